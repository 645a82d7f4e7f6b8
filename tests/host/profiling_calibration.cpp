// Launch constants from records of empty kernels, hand-worked.
#include "profiling/calibration.hpp"

#include "tests/catch.hpp"

using namespace gvf::profiling;
using Catch::Approx;

namespace {

Timeline iteration(Nanoseconds start, Nanoseconds sync_return, const std::vector<Interval>& works) {
  Timeline t{start, sync_return, {}, {}};
  for (const Interval& at : works) t.works.push_back({at, 0, WorkKind::kernel, "empty", 7, 0, 0});
  return t;
}

// Latencies 3900, 4000, 4200; kernels of 900; completions 2100, 2000, 1800.
std::vector<Timeline> singles() {
  return {iteration(0, 6900, {{3900, 4800}}), iteration(10000, 16900, {{14000, 14900}}),
          iteration(20000, 26900, {{24200, 25100}})};
}

// The gate [0, 50000], then gaps of 5000 (behind the gate, not counted), 1600, 1700, 1900.
std::vector<Timeline> trains() {
  return {iteration(0, 90000, {{0, 50000}, {55000, 55900}, {57500, 58400}, {60100, 61000}, {62900, 63800}})};
}

// All figures of one place: the traced parts are 7400 + 600 + 2300 = 10300 of an untraced wall of 8400.
EmptyKernelFigures figures() {
  EmptyKernelFigures figures;
  figures.wall_us = 8.4;
  figures.span_us = 2.5;
  figures.traced = {7400, 600, 2300};
  figures.call_us = 3.1;
  figures.traced_call_us = 3.5;
  figures.edges = {1700, 6900};
  return figures;
}

}  // namespace

TEST_CASE("an empty kernel's constants are medians", "[profiling][calibration]") {
  const auto empty = reduce_empty_kernel(singles());
  REQUIRE(empty.ok());
  CHECK(empty->launch_to_start_ns == 4000);
  CHECK(empty->duration_ns == 900);
  CHECK(empty->completion_ns == 2000);
}

TEST_CASE("an empty kernel's constants: what is refused", "[profiling][calibration]") {
  CHECK_FALSE(reduce_empty_kernel({}).ok());
  auto iterations = singles();
  iterations[1].works.clear();
  CHECK_FALSE(reduce_empty_kernel(iterations).ok());
  iterations = singles();
  for (Timeline& single : iterations) single.start += 9000;  // host clock ahead of the device's
  const auto refused = reduce_empty_kernel(iterations);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.reason().text.find("clocks disagree") != std::string::npos);
}

TEST_CASE("the gap behind the gate is not a gap", "[profiling][calibration]") {
  const auto edges = reduce_stream_edges(trains(), {});
  REQUIRE(edges.ok());
  CHECK(edges->gap_ns == 1700);
  CHECK_FALSE(edges->busy_launch_to_start_ns.has_value());
  CHECK_FALSE(reduce_stream_edges({}, {}).ok());
  // Kernels that overlap have no gap.
  const auto overlapping = reduce_stream_edges({iteration(0, 99, {{0, 10}, {20, 40}, {30, 50}})}, {});
  REQUIRE_FALSE(overlapping.ok());
  CHECK(overlapping.reason().text.find("negative") != std::string::npos);
}

TEST_CASE("busy latency comes from kernels that waited for the host", "[profiling][calibration]") {
  // Marks 0, 4000, 5000, 10000. Kernel 2 waits 2600 > 1700 after its predecessor: 7500 - 4000 = 3500;
  // kernel 3 starts exactly a gap after kernel 2: held by the device, not counted; kernel 4: 13500 - 10000 =
  // 3500.
  Timeline train = iteration(0, 20000, {{4000, 4900}, {7500, 8400}, {10100, 11000}, {13500, 14400}});
  for (Nanoseconds mark : {0, 4000, 5000, 10000}) train.calls.push_back({{mark, mark}, 0, "host mark"});
  const auto edges = reduce_stream_edges(trains(), {train});
  REQUIRE(edges.ok());
  CHECK(edges->busy_launch_to_start_ns == 3500);

  train.calls.pop_back();
  CHECK_FALSE(reduce_stream_edges(trains(), {train}).ok());
}

TEST_CASE("graph nodes: slope over chain length", "[profiling][calibration]") {
  // span = 2050 + 550 * n exactly; the first node is 2600.
  std::map<int, std::vector<Timeline>> chains;
  for (int n : {1, 33, 129}) {
    const Nanoseconds span = 2050 + 550 * n;
    chains[n] = {iteration(0, 99999, {{6000, 6000 + span}}), iteration(0, 99999, {{5000, 5000 + span}})};
  }
  const auto nodes = reduce_graph_nodes(chains);
  REQUIRE(nodes.ok());
  CHECK(nodes->node_period_ns == Approx(550));
  CHECK(nodes->first_node_ns == Approx(2600));
  CHECK(nodes->fit_relative_error == Approx(0).margin(1e-9));

  chains[33][0].works.clear();
  CHECK_FALSE(reduce_graph_nodes(chains).ok());
  CHECK_FALSE(reduce_graph_nodes({}).ok());
}

TEST_CASE("what tracing adds to an empty kernel is taken off its launch", "[profiling][calibration]") {
  const EdgeConstants k = calibrate(figures());
  CHECK(k.trace_cost_ns == 1900);
  CHECK(k.launch_to_start_ns == 5500);
  CHECK(k.busy_launch_to_start_ns == 5000);
  CHECK(k.launch_to_start_ns + k.empty_kernel_ns + k.completion_ns == 8400);
  CHECK(k.span_cost_ns == 1900);
  CHECK(k.api_trace_cost_ns == 400);
  CHECK(k.gap_ns == 1700);
  // A traced wall below the untraced one is noise, not a negative cost.
  EmptyKernelFigures place = figures();
  place.wall_us = 11.0;
  place.traced_call_us = 3.0;
  const EdgeConstants quiet = calibrate(place);
  CHECK(quiet.trace_cost_ns == 0);
  CHECK(quiet.launch_to_start_ns == 7400);
  CHECK(quiet.api_trace_cost_ns == 0);
}

TEST_CASE("a submission whose works have no calls of their own has no cost of calls",
          "[profiling][calibration]") {
  EmptyKernelFigures place = figures();
  place.call_us.reset();
  place.traced_call_us.reset();
  place.edges.reset();
  const EdgeConstants k = calibrate(place);
  CHECK(k.api_trace_cost_ns == 0);
  CHECK(k.gap_ns == 0);
  CHECK_FALSE(k.busy_launch_to_start_ns.has_value());
  CHECK(k.launch_to_start_ns == 5500);
}

TEST_CASE("host time per launch of a train", "[profiling][calibration]") {
  Timeline train;
  train.sync_return = 100000;
  for (int i = 0; i < 4; ++i)
    train.calls.push_back({{1000 + 3500 * i, 4000 + 3500 * i},
                           static_cast<std::uint32_t>(i + 1),
                           "cudaLaunchKernelExC_v11060"});
  // First begin 1000, last end 14500: 13500 ns for 4 launches.
  const auto per_call = reduce_calls({train});
  REQUIRE(per_call.ok());
  CHECK(*per_call == Approx(3.375));
  train.calls.clear();
  CHECK_FALSE(reduce_calls({train}).ok());
  CHECK_FALSE(reduce_calls({}).ok());
}
