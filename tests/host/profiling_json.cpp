// Files of the profiling room: attribution rows to and from JSON.
#include <limits>

#include "profiling/attribution_json.hpp"
#include "tests/catch.hpp"

using namespace gvf::profiling;
using nlohmann::json;

namespace {

AttributionRow full_row() {
  Attribution a;
  a.parts = {4.5, 1.6, 1.7, 1.8, 2.0, -0.1};
  a.wall_us = 11.5;
  a.passes = {{"untraced", 11.5}, {"api", 13.0}};
  a.evidence = {{"busy", "kernel pass"}};
  a.modelled = true;
  a.marks = {"api pass disturbs wall by +13%"};
  AttributionRow row = make_row("sum_abs/separate/stream/n:268435456", a);
  Split split;
  split.essential_us = 240;
  split.ramp_us = -1.5;
  split.round_trip_us = 530;
  split.round_trip_l2_us = 400;
  set_split(row, split);
  row.counters.dram_read_bytes = 2.1e9;
  return row;
}

}  // namespace

TEST_CASE("attribution JSON has the field names of the recording", "[profiling][json]") {
  const json file = to_json(std::vector{full_row()});
  const json& row = file.at("rows").at(0);
  CHECK(row.at("name") == "sum_abs/separate/stream/n:268435456");
  CHECK(row.at("wall_us") == 11.5);
  CHECK(row.at("passes").at("api") == 13.0);
  for (const char* part :
       {"launch_latency_us", "starved_us", "gap_us", "busy_us", "completion_us", "residual_us"})
    CHECK(row.at("parts").at(part).is_number_float());
  CHECK(row.at("parts").at("residual_us") == -0.1);
  for (const char* part : {"essential_us", "ramp_us", "round_trip_us"}) CHECK(row.at("split").contains(part));
  CHECK(row.at("counters").at("dram_read_bytes") == 2.1e9);
  CHECK_FALSE(row.at("counters").contains("l2_bytes"));
}

TEST_CASE("attribution JSON round trip", "[profiling][json]") {
  AttributionRow withheld = make_row("sum_abs/fused/graph/n:1024", Reason{"3 records dropped"});
  set_split(withheld, Reason{"not separable: a slice has 2 waves"});
  const AttributionRow bare = make_row("x/separate/stream/n:1", Reason{"no iterations"});
  const std::vector<AttributionRow> rows = {full_row(), withheld, bare};
  const auto back = rows_from_json(json::parse(to_json(rows).dump()));
  REQUIRE(back.ok());
  CHECK(*back == rows);
  CHECK((*back)[1].withheld == "3 records dropped");
}

TEST_CASE("attribution JSON never holds a number that is not finite", "[profiling][json]") {
  AttributionRow row = full_row();
  row.attribution->parts.gap_us = std::numeric_limits<double>::quiet_NaN();
  json file = to_json(std::vector{row});
  CHECK(file["rows"][0].at("withheld") == "gap_us is not a finite number");
  CHECK_FALSE(file["rows"][0].contains("parts"));
  row = full_row();
  row.attribution->passes["api"] = std::numeric_limits<double>::infinity();
  file = to_json(std::vector{row});
  CHECK(file["rows"][0].at("withheld") == "passes.api is not a finite number");
  CHECK(file.dump().find("null") == std::string::npos);
}

TEST_CASE("a damaged attribution file says where and why", "[profiling][json]") {
  const auto why = [](const json& file) {
    const auto rows = rows_from_json(file);
    REQUIRE_FALSE(rows.ok());
    return rows.reason().text;
  };
  const json good = to_json(std::vector{full_row()});
  CHECK(why(json::array()).find("the file is not an object") != std::string::npos);
  CHECK(why({{"benchmarks", 1}}).find("no 'rows'") != std::string::npos);
  json bad = good;
  bad["rows"][0]["parts"].erase("gap_us");
  CHECK(why(bad).find("n:268435456).parts has no 'gap_us'") != std::string::npos);
  bad = good;
  bad["rows"][0]["parts"]["busy_us"] = nullptr;
  CHECK(why(bad).find("busy_us is not a finite number") != std::string::npos);
  bad = good;
  bad["rows"][0]["name"] = 3;
  CHECK(why(bad).find("not an attribution file") != std::string::npos);
  bad = good;
  bad["rows"][0]["marks"] = 3;
  CHECK_FALSE(rows_from_json(bad).ok());
}

TEST_CASE("launch constants round trip, by submission", "[profiling][json]") {
  ConstantsBySubmission all{{"stream", {1700, 4000, 3500, 2000, 900, 1300, 300, 1500}}, {"graph", {}}};
  const auto to_file = [&all] {
    json file;
    for (const auto& [submission, constants] : all) file[submission] = to_json(constants);
    return file;
  };
  CHECK(*constants_from_json(to_file()) == all);
  all["stream"].busy_launch_to_start_ns.reset();
  CHECK(*constants_from_json(to_file()) == all);
  json missing = to_file();
  missing["graph"].erase("completion_ns");
  REQUIRE_FALSE(constants_from_json(missing).ok());
  CHECK(constants_from_json(missing).reason().text.find("constants.graph has no 'completion_ns'") !=
        std::string::npos);
  CHECK_FALSE(constants_from_json(json::object()).ok());
  CHECK_FALSE(constants_from_json(json{{"gap_ns", 1700}}).ok());  // those of no submission
}
