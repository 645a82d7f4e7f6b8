// steps.json as a table, and which ways to separate steps there are on which chip.
#include <set>

#include "study/measure/step_ways.hpp"
#include "study/recordings/step_tables.hpp"
#include "tests/catch.hpp"

using namespace gvf;
using namespace gvf::study;
using Catch::Matchers::ContainsSubstring;
using nlohmann::ordered_json;

namespace {

ordered_json spread(double median) {
  return {{"p10", median - 0.01}, {"p50", median}, {"p90", median + 0.02}};
}

ordered_json clock_of(double step, double fixed) {
  return {{"step", spread(step)}, {"fixed", spread(fixed)}};
}

ordered_json row_of(const char* way, const char* shape, bool one_launch, double device) {
  return {{"way", way},
          {"group", "submission"},
          {"shape", shape},
          {"lanes", 1},
          {"one_launch", one_launch},
          {"rounds", 21},
          {"host_us", clock_of(one_launch ? 0.0004 : 3.5, 1.3)},
          {"wall_us", clock_of(one_launch ? device : 3.5, 6.25)},
          {"device_us", clock_of(device, 1.0)}};
}

ordered_json invented() {
  ordered_json json{{"steps", {64, 320}}};
  json["shapes"] = {{{"name", "small"}, {"work", "load"}, {"blocks", 128}, {"threads", 256}},
                    {{"name", "empty"}, {"work", "empty"}, {"blocks", 2}, {"threads", 32}}};
  json["rows"] = {row_of("stream", "small", false, 1.94),
                  row_of("graph", "small", true, 1.16),
                  {{"way", "one kernel"},
                   {"group", "barrier"},
                   {"shape", "small"},
                   {"lanes", 1},
                   {"one_launch", true},
                   {"missing", "the chip has no clusters"}},
                  row_of("stream", "empty", false, 1.61),
                  {{"way", "graph"},
                   {"group", "submission"},
                   {"shape", "empty"},
                   {"lanes", 1},
                   {"one_launch", true},
                   {"missing", "the gate timed out"}}};
  json["calls"] = {{{"what", "launching a graph of 32 nodes"}, {"host_us", spread(1.39)}}};
  return json;
}

Device chip(int compute_major, bool cooperative) {
  Device device;
  device.name = "a chip";
  device.compute_major = compute_major;
  device.cooperative_launch = cooperative;
  return device;
}

std::set<std::string> names_on(const Device& device) {
  std::set<std::string> names;
  const auto ways = step_ways(device);
  for (const StepWay& way : ways) names.insert(way.name);
  CHECK(names.size() == ways.size());  // a way is found by its name
  return names;
}

}  // namespace

TEST_CASE("a table of steps: medians with their spread, launches where one call brings all steps",
          "[study][steps]") {
  const std::string text = to_markdown(step_tables(invented()));
  CHECK_THAT(text, ContainsSubstring("device, 32768 threads"));
  CHECK_THAT(text, ContainsSubstring("device, empty kernels, 64 threads"));
  CHECK_THAT(text,
             ContainsSubstring("| stream | 3.50 | 3.50 | - | - | 1.94 (1.93-1.96) | 1.61 (1.60-1.63) |"));
  CHECK_THAT(text, ContainsSubstring("| graph | 0.00 | 1.16 | 1.30 | 6.25 | 1.16 (1.15-1.18) | - |"));
  CHECK_THAT(text, ContainsSubstring("the chip has no clusters"));
  CHECK_THAT(text, ContainsSubstring("launching a graph of 32 nodes"));
  CHECK_THAT(text, ContainsSubstring("medians of 21 rounds"));
}

TEST_CASE("a chip has the ways that it can go", "[study][steps]") {
  const auto hopper = names_on(chip(9, true));
  CHECK(hopper.contains("graph_pdl"));
  CHECK(hopper.contains("one kernel, barrier: clusters of 16"));
  for (const StepWay& way : step_ways(chip(9, true))) {
    CAPTURE(way.name);
    const bool launches_on_device =
        way.name.starts_with("graph_device") || way.name.starts_with("graph_fan_out");
    CHECK((way.stage == Stage::device) ==
          (launches_on_device || way.name.find("beside many") != std::string::npos));
    CHECK((way.stage == Stage::fresh) == (way.name.find("fresh process") != std::string::npos));
  }
  const auto ampere = names_on(chip(8, true));
  CHECK_FALSE(ampere.contains("graph_pdl"));
  CHECK(ampere.contains("one kernel, barrier: flat"));
  CHECK_FALSE(ampere.contains("one kernel, barrier: clusters of 2"));
  const auto without = names_on(chip(6, false));
  CHECK(without.contains("graph"));
  CHECK_FALSE(without.contains("one kernel, barrier: cooperative groups"));
}
