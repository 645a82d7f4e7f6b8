// Launch constants from the figures of empty kernels, worked by hand.
#include "study/measure/constants.hpp"

#include "study/measure/attribute.hpp"
#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using gvf::profiling::EdgeConstants;

namespace {

EmptyKernels example() {
  EmptyKernels round;
  round.untraced = {{"wall_us", 7.0}, {"graph_wall_us", 8.5}, {"call_us", 3.0}};
  round.api = {{"call_us", 3.2}};
  round.kernel = {{"launch_to_start_ns", 5000},
                  {"completion_ns", 2000},
                  {"empty_kernel_ns", 1000},
                  {"stream_gap_ns", 900},
                  {"busy_launch_to_start_ns", 4500}};
  round.graph = {{"node_period_ns", 1200.0},
                 {"first_node_ns", 2500.0},
                 {"fit_relative_error", 0.01},
                 {"first_node_wall_ns", 9000.0}};
  return round;
}

}  // namespace

TEST_CASE("constants: one round, by hand", "[study][constants]") {
  // The traced parts are 5000 + 1000 + 2000 = 8000 of an untraced 7000: kernel tracing adds 1000, which comes
  // off both latencies. A graph's traced wall of 9000 is 500 more than untraced, a call's 3.2 us are 200 ns.
  const EdgeConstants constants = calibration_of(example()).constants;
  CHECK(constants.kernel_trace_cost_ns == 1000);
  CHECK(constants.launch_to_start_ns == 4000);
  CHECK(constants.busy_launch_to_start_ns == 3500);
  CHECK(constants.completion_ns == 2000);
  CHECK(constants.empty_kernel_ns == 1000);
  CHECK(constants.stream_gap_ns == 900);
  CHECK(constants.graph_gap_ns == 200);
  CHECK(constants.graph_trace_cost_ns == 500);
  CHECK(constants.api_trace_cost_ns == 200);
}

TEST_CASE("constants: a figure that is missing or no number is bad input", "[study][constants]") {
  for (const char* figure : {"launch_to_start_ns", "completion_ns", "empty_kernel_ns", "stream_gap_ns"}) {
    EmptyKernels round = example();
    round.kernel.erase(figure);
    CHECK_THAT(bad_input([&] { static_cast<void>(calibration_of(round)); }), ContainsSubstring(figure));
    round.kernel[figure] = "fast";
    CHECK_FALSE(bad_input([&] { static_cast<void>(calibration_of(round)); }).empty());
  }
  EmptyKernels round = example();
  round.untraced = nullptr;
  CHECK_FALSE(bad_input([&] { static_cast<void>(calibration_of(round)); }).empty());
}

TEST_CASE("constants: those of passes, a problem each", "[study][constants]") {
  const EmptyKernels round = example();
  Passes passes;
  CHECK(empty_kernels_of(passes).empty());
  passes.untraced.empty_kernels["n:1"] = round.untraced;
  passes.api.empty_kernels["n:1"] = round.api;
  passes.kernel.empty_kernels["n:1"] = round.kernel;
  passes.graph.empty_kernels["n:1"] = round.graph;
  const auto all = empty_kernels_of(passes);
  REQUIRE(all.size() == 1);
  CHECK(calibration_of(all.front()).constants == calibration_of(round).constants);
  passes.api.empty_kernels = nullptr;  // as in a trace
  CHECK_FALSE(bad_input([&] { static_cast<void>(pool(empty_kernels_of(passes))); }).empty());
}

TEST_CASE("constants: pooled by medians, a missing busy latency is the idle one", "[study][constants]") {
  EmptyKernels quiet = example();
  EmptyKernels other = example();
  EmptyKernels burst = example();
  quiet.kernel["launch_to_start_ns"] = 5200;
  quiet.kernel.erase("busy_launch_to_start_ns");
  burst.kernel["launch_to_start_ns"] = 9000;
  burst.untraced["wall_us"] = 12.0;
  const EmptyKernels pooled = pool({quiet, other, burst});
  CHECK(pooled.kernel.at("launch_to_start_ns") == 5200);
  CHECK(pooled.kernel.at("busy_launch_to_start_ns") == 4500);  // of 5200 (idle), 4500, 4500
  CHECK(pooled.kernel.at("launch_to_start_ns").is_number_integer());
  CHECK(pooled.untraced.at("wall_us") == 7.0);
  CHECK(pool({other}).graph == other.graph);
  CHECK_FALSE(bad_input([] { static_cast<void>(pool({})); }).empty());
  burst.kernel.erase("completion_ns");
  burst.kernel.erase("launch_to_start_ns");
  CHECK_FALSE(bad_input([&] { static_cast<void>(pool({burst, other})); }).empty());
}
