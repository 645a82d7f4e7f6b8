// A benchmark file on its way into a recording: smaller, and the same rows.
#include "study/recordings/slim_bench.hpp"

#include <nlohmann/json.hpp>

#include "study/recordings/bench_rows.hpp"
#include "tests/catch.hpp"

using namespace gvf::study;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

namespace {

json entry(const std::string& name, double wall_us) {
  return {{"name", name},      {"run_name", name},   {"run_type", "iteration"}, {"real_time", wall_us},
          {"time_unit", "us"}, {"wall_us", wall_us}, {"kernels", 2.0},          {"bytes_min", 67108868.0}};
}

json aggregate(const std::string& name, const std::string& of) {
  json made = entry(name + "_" + of, 12.5);
  made["run_name"] = name;
  made["run_type"] = "aggregate";
  made["aggregate_name"] = of;
  return made;
}

json failed(const std::string& name) {
  return {{"name", name},
          {"run_name", name},
          {"run_type", "iteration"},
          {"error_occurred", true},
          {"error_message", "not applicable: why"}};
}

std::string text_of(const json& benchmarks) {
  return json{
      {"context", {{"host_name", "secret"}, {"executable", "/home/somebody/gvf-bench"}, {"gpu", "G"}}},
      {"benchmarks", benchmarks}}
      .dump(2);
}

const std::string good = "sum_abs/fused/stream/latency/n:1024/iterations:200/manual_time";
const std::string bad = "sum_abs/fused/graph_branches/latency/n:1024/iterations:200/manual_time";

}  // namespace

TEST_CASE("slim bench: the same rows, without whose machine it was", "[study][recording]") {
  const std::string whole =
      text_of({entry(good, 12.345678901), entry(good, 12.5), aggregate(good, "mean"),
               aggregate(good, "median"), aggregate(good, "stddev"), failed(bad), failed(bad)});
  const std::string slim = slim_bench(whole);
  CHECK_THAT(slim, !ContainsSubstring("secret") && !ContainsSubstring("somebody"));
  CHECK(slim.size() < whole.size() / 2);
  const json file = json::parse(slim);
  CHECK(file.at("context").at("gpu") == "G");
  REQUIRE(file.at("benchmarks").size() == 4);  // two repetitions, a median, one error
  CHECK(file.at("benchmarks")[0].at("wall_us") == 12.3457);
  CHECK(file.at("benchmarks")[0].at("bytes_min").dump() == "67108868");

  const auto before = bench_rows(json::parse(whole), "whole");
  const auto after = bench_rows(file, "slim");
  REQUIRE(after.size() == before.size());
  for (std::size_t i = 0; i < after.size(); ++i) {
    CHECK(after[i].name.label() == before[i].name.label());
    CHECK(after[i].fault == before[i].fault);
  }
  CHECK(after[0].find("wall_us")->repetitions == 2);
  CHECK(after[0].find("wall_us")->median == Catch::Approx(before[0].find("wall_us")->median).epsilon(1e-5));
  CHECK(slim_bench(slim) == slim);
  // What is not finite stays a fault of its row.
  const std::string name = json(good).dump();
  const std::string nan =
      "{\"benchmarks\": [{\"name\": " + name + ", \"run_type\": \"iteration\", \"wall_us\": NaN}]}";
  CHECK_FALSE(bench_rows(json::parse(slim_bench(nan)), "nan").front().fault.empty());
}

TEST_CASE("slim bench: what is no JSON stays as it was, but for the names", "[study][recording]") {
  const std::string broken = "{\"context\": {\"host_name\": \"secret\"}, \"benchmarks\": [{\"wall_us\": ";
  CHECK(slim_bench(broken) == "{\"context\": {\"host_name\": \"\"}, \"benchmarks\": [{\"wall_us\": ");
  CHECK(slim_bench("[1, 2]") == "[1, 2]");
  CHECK(slim_bench("") == "");
}
