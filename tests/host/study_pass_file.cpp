// What a measuring pass hands over: through JSON and back, round by round, and damaged.
#include "study/measure/pass_file.hpp"

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using gvf::profiling::Timeline;
using gvf::profiling::WorkKind;

namespace {

PassFile example() {
  Timeline timeline;
  timeline.start = 1234567890123456789;  // more digits than a double holds
  timeline.sync_return = 1234567890123999999;
  timeline.calls.push_back(
      {{1234567890123456800, 1234567890123456900}, 4000000000U, "cudaLaunchKernelExC_v11060"});
  timeline.works.push_back({{1234567890123457000, 1234567890123458000},
                            4000000000U,
                            WorkKind::memset,
                            "a \"kernel\" with <quotes>",
                            7,
                            3,
                            18446744073709551615ULL});
  PassFile pass;
  pass.mode = "kernel";
  pass.rows["sum_abs/fused/stream/n:1"] = {
      {10.25, 11.5}, {3.5, 4.25}, {6.5}, "", {{"l2_bytes", 4096.5}}, {timeline, Timeline{}}, ""};
  pass.rows["sum_abs/persistent/stream/n:1"] = {{}, {}, {}, "", {}, {}, "no cooperative launch"};
  pass.references["n:1"]["empty/stream/kernels:1"] = {{7.5}, {3.25},     {}, "the gate timed out",
                                                      {},    {timeline}, ""};
  pass.edges["n:1"] = {1700, 3500};
  pass.edges["n:2"] = {1600, std::nullopt};
  return pass;
}

void check_equal(const std::map<std::string, PassRow>& a, const std::map<std::string, PassRow>& b) {
  REQUIRE(a.size() == b.size());
  for (const auto& [name, row] : a) {
    CAPTURE(name);
    REQUIRE(b.count(name) == 1);
    const PassRow& other = b.at(name);
    CHECK(other.wall_us == row.wall_us);
    CHECK(other.host_us == row.host_us);
    CHECK(other.span_us == row.span_us);
    CHECK(other.no_span == row.no_span);
    CHECK(other.counts == row.counts);
    CHECK(other.timelines == row.timelines);
    CHECK(other.reason == row.reason);
  }
}

void check_equal(const PassFile& a, const PassFile& b) {
  CHECK(a.mode == b.mode);
  check_equal(a.rows, b.rows);
  REQUIRE(a.references.size() == b.references.size());
  for (const auto& [problem, rows] : a.references) check_equal(rows, b.references.at(problem));
  CHECK(a.edges == b.edges);
}

}  // namespace

TEST_CASE("pass file: to JSON text and back without a nanosecond lost", "[study][pass]") {
  const PassFile pass = example();
  const std::string text = to_json(pass).dump();
  check_equal(pass, pass_from_json(nlohmann::json::parse(text), "file"));
}

TEST_CASE("pass file: a row that is not there says which pass lacks it", "[study][pass]") {
  const PassRow row = example().row("chain/fused/stream/n:1/k:16");
  CHECK(row.wall_us.empty());
  CHECK(row.timelines.empty());
  CHECK(row.reason == "the kernel pass has no row chain/fused/stream/n:1/k:16");
}

TEST_CASE("pass file: two processes' rows of one pass, and the references of the first", "[study][pass]") {
  PassFile whole;
  add(whole, example());  // nothing yet: all of it
  CHECK(to_json(whole) == to_json(example()));
  PassFile part = example();
  part.rows = {{"sum_abs/fused/graph_device/n:1", {}}};
  part.edges["n:1"].gap_ns += 1;
  part.edges["n:3"].gap_ns = 7;
  for (auto& [problem, references] : part.references) {
    for (auto& [name, row] : references) row.wall_us = {99};
  }
  const std::size_t rows = whole.rows.size();
  add(whole, part);
  CHECK(whole.mode == example().mode);
  CHECK(whole.rows.size() == rows + 1);
  CHECK(whole.rows.contains("sum_abs/fused/graph_device/n:1"));
  CHECK(whole.edges.at("n:1").gap_ns == example().edges.at("n:1").gap_ns);
  CHECK(whole.edges.at("n:3").gap_ns == 7);
  CHECK(to_json(whole)["references"] == to_json(example())["references"]);
}

TEST_CASE("pass file: a foreign or damaged one is named", "[study][pass]") {
  auto no_references = to_json(example());
  no_references.erase("references");
  auto edge_without_gap = to_json(example());
  edge_without_gap["edges"]["n:1"].erase("gap_ns");
  auto no_walls = to_json(example());
  no_walls["rows"]["sum_abs/fused/stream/n:1"].erase("wall_us");
  auto text_for_time = to_json(example());
  text_for_time["rows"]["sum_abs/fused/stream/n:1"]["timelines"][0]["start"] = "now";
  auto short_work = to_json(example());
  short_work["rows"]["sum_abs/fused/stream/n:1"]["timelines"][0]["works"][0] = {1, 2};
  for (const nlohmann::json& json :
       {nlohmann::json::object(), nlohmann::json::array(), nlohmann::json{{"mode", "kernel"}},
        nlohmann::json{{"mode", 3}, {"rows", {}}}, no_references, edge_without_gap, no_walls, text_for_time,
        short_work}) {
    CAPTURE(json.dump());
    CHECK_THAT(bad_input([&] { static_cast<void>(pass_from_json(json, "kernel.json")); }),
               ContainsSubstring("kernel.json: not a pass file: "));
  }
}

TEST_CASE("passes: those taken in a round, the counters of the first among them", "[study][pass]") {
  Passes passes;
  CHECK(passes.taken().empty());
  passes.untraced.mode = "untraced";
  passes.api.mode = "api";
  passes.kernel.mode = "kernel";
  passes.graph.mode = "graph";
  CHECK(passes.taken().size() == 4);
  passes.counters.mode = "counters";
  REQUIRE(passes.taken().size() == 5);
  CHECK(passes.taken().back() == &passes.counters);
}
