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

// Latencies 3900, 4000, 4200; kernels of 900; completions 2100, 2000, 1800. One train behind a gate.
EmptyKernelPass good_pass() {
  EmptyKernelPass pass;
  pass.singles = {iteration(0, 6900, {{3900, 4800}}), iteration(10000, 16900, {{14000, 14900}}),
                  iteration(20000, 26900, {{24200, 25100}})};
  // The gate [0, 50000], then gaps of 5000 (behind the gate, not counted), 1600, 1700, 1900.
  pass.trains = {
      iteration(0, 90000, {{0, 50000}, {55000, 55900}, {57500, 58400}, {60100, 61000}, {62900, 63800}})};
  return pass;
}

}  // namespace

TEST_CASE("stream constants are medians, and the gap behind the gate is not a gap",
          "[profiling][calibration]") {
  const auto constants = reduce_stream(good_pass());
  REQUIRE(constants.ok());
  CHECK(constants->launch_to_start_ns == 4000);
  CHECK(constants->empty_kernel_ns == 900);
  CHECK(constants->completion_ns == 2000);
  CHECK(constants->stream_gap_ns == 1700);
  CHECK_FALSE(constants->busy_launch_to_start_ns.has_value());
}

TEST_CASE("busy latency comes from kernels that waited for the host", "[profiling][calibration]") {
  EmptyKernelPass pass = good_pass();
  // Marks 0, 4000, 5000, 10000. Kernel 2 waits 2600 > 1700 after its predecessor: 7500 - 4000 = 3500;
  // kernel 3 starts exactly a gap after kernel 2: held by the device, not counted; kernel 4: 13500 - 10000 =
  // 3500.
  Timeline train = iteration(0, 20000, {{4000, 4900}, {7500, 8400}, {10100, 11000}, {13500, 14400}});
  for (Nanoseconds mark : {0, 4000, 5000, 10000}) train.calls.push_back({{mark, mark}, 0, "host mark"});
  pass.host_bound = {train};
  auto constants = reduce_stream(pass);
  REQUIRE(constants.ok());
  REQUIRE(constants->busy_launch_to_start_ns.has_value());
  CHECK(*constants->busy_launch_to_start_ns == 3500);

  // 3900 is within 5 % of 4000: not distinguishable.
  for (std::size_t i : {1, 3}) pass.host_bound[0].calls[i].at = {train.works[i].at.begin - 3900, 0};
  CHECK_FALSE(reduce_stream(pass)->busy_launch_to_start_ns.has_value());

  pass.host_bound[0].calls.pop_back();
  CHECK_FALSE(reduce_stream(pass).ok());
}

TEST_CASE("stream constants: what is refused", "[profiling][calibration]") {
  CHECK_FALSE(reduce_stream({}).ok());
  EmptyKernelPass pass = good_pass();
  pass.singles[1].works.clear();
  CHECK_FALSE(reduce_stream(pass).ok());
  pass = good_pass();
  for (Timeline& single : pass.singles) single.start += 9000;  // host clock ahead of the device's
  REQUIRE_FALSE(reduce_stream(pass).ok());
  CHECK(reduce_stream(pass).reason().text.find("clocks disagree") != std::string::npos);
}

TEST_CASE("graph constants: slope over chain length", "[profiling][calibration]") {
  // span = 2050 + 550 * n exactly; the first node is 2600.
  std::map<int, std::vector<Timeline>> passes;
  for (int n : {1, 33, 129}) {
    const Nanoseconds span = 2050 + 550 * n;
    passes[n] = {iteration(0, 99999, {{6000, 6000 + span}}), iteration(0, 99999, {{5000, 5000 + span}})};
  }
  const auto graph = reduce_graph(passes);
  REQUIRE(graph.ok());
  CHECK(graph->node_period_ns == Approx(550));
  CHECK(graph->first_node_ns == Approx(2600));
  CHECK(graph->fit_relative_error == Approx(0).margin(1e-9));
  CHECK(graph->first_node_wall_ns == 99999);

  StreamConstants stream = *reduce_stream(good_pass());
  auto calibration = combine(stream, *graph, 3.0, {1e6, 1e6, 3.0});
  CHECK(calibration.constants.graph_gap_ns == 0);  // 550 - 900 < 0
  REQUIRE(calibration.marks.size() == 1);
  CHECK(calibration.marks[0].find("not separable") != std::string::npos);
  stream.empty_kernel_ns = 400;
  calibration = combine(stream, *graph, 3.0, {1e6, 1e6, 3.0});
  CHECK(calibration.constants.graph_gap_ns == 150);
  CHECK(calibration.marks.empty());
  CHECK(calibration.constants.stream_gap_ns == 1700);

  passes[33][0].works.clear();
  CHECK_FALSE(reduce_graph(passes).ok());
  CHECK_FALSE(reduce_graph({}).ok());
}

TEST_CASE("what tracing adds to an empty kernel is taken off its launch", "[profiling][calibration]") {
  StreamConstants stream;
  stream.launch_to_start_ns = 7400;
  stream.busy_launch_to_start_ns = 6900;
  stream.empty_kernel_ns = 600;
  stream.completion_ns = 2300;
  GraphConstants graph;
  graph.node_period_ns = 700;
  graph.first_node_wall_ns = 8500;
  // Traced parts: 7400 + 600 + 2300 = 10300; untraced wall 8400: tracing costs 1900.
  const auto k = combine(stream, graph, 3.5, {8.4, 7.1, 3.1}).constants;
  CHECK(k.kernel_trace_cost_ns == 1900);
  CHECK(k.launch_to_start_ns == 5500);
  CHECK(k.busy_launch_to_start_ns == 5000);
  CHECK(k.launch_to_start_ns + k.empty_kernel_ns + k.completion_ns == 8400);
  CHECK(k.graph_trace_cost_ns == 1400);
  CHECK(k.api_trace_cost_ns == 400);
  // A traced wall below the untraced one is noise, not a negative cost.
  const auto quiet = combine(stream, graph, 3.0, {11.0, 9.0, 3.1}).constants;
  CHECK(quiet.kernel_trace_cost_ns == 0);
  CHECK(quiet.launch_to_start_ns == 7400);
  CHECK(quiet.graph_trace_cost_ns == 0);
  CHECK(quiet.api_trace_cost_ns == 0);
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
