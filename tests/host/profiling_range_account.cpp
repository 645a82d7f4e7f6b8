// Accounts of recorded processes, on inputs worked by hand.
#include "profiling/record/range_account.hpp"

#include <cupti.h>

#include <fstream>
#include <nlohmann/json.hpp>

#include "profiling/attribution_json.hpp"
#include "tests/catch.hpp"

using namespace gvf::profiling;

namespace {

// A process put together by hand.
struct Made : RecordedProcess {
  std::uint32_t name(const std::string& text) {
    for (std::uint32_t i = 0; i < names.size(); ++i)
      if (names[i] == text) return i;
    names.push_back(text);
    return static_cast<std::uint32_t>(names.size() - 1);
  }
  void call(const char* text, Interval at, std::uint32_t id, std::uint32_t thread = 1) {
    calls.push_back({at, id, thread, name(text), 0});
  }
  RecordedWork& work(Interval at, std::uint32_t id, std::uint32_t stream = 7,
                     WorkKind kind = WorkKind::kernel) {
    RecordedWork w;
    w.at = at;
    w.correlation_id = id;
    w.stream = stream;
    w.kind = kind;
    works.push_back(w);
    return works.back();
  }
  void range(const char* text, Interval at, std::uint32_t thread = 1, std::uint32_t end_thread = 1) {
    ranges.push_back({at, thread, end_thread, name(text), name("")});
  }
};

AccountOptions gap(Nanoseconds ns) {
  AccountOptions options;
  options.stream_gap = ns;
  return options;
}

const Summary& named(const std::vector<Summary>& summaries, const std::string& name) {
  for (const Summary& summary : summaries)
    if (summary.name == name) return summary;
  FAIL("no summary named " << name);
  return summaries.front();
}

}  // namespace

TEST_CASE("a wall splits into six parts that add up", "[profiling][record]") {
  // Own [10,20] and [35,40], another's [22,30] between them, gap 3; nothing before 10, the wait returns
  // at 47.
  const RangeParts parts =
      split_wall(0, 47, {{{10, 20}, true, 0}, {{22, 30}, false, 0}, {{35, 40}, true, 0}}, 3);
  CHECK(parts == RangeParts{10, 8, 2, 5, 15, 7});  // idle 2 is gap; idle 5 is gap 3 and starved 2
  CHECK(parts.wall() == 47);

  // The stream was busy when the call was made: that is queueing, not launch latency. What runs later is no
  // matter.
  const RangeParts queued =
      split_wall(0, std::nullopt, {{{-50, 9}, false, 0}, {{10, 20}, true, 0}, {{18, 90}, false, 0}}, 3);
  CHECK(queued == RangeParts{0, 9, 0, 1, 10, 0});
  CHECK(queued.wall() == 20);

  // Two streams at once count once; clocks of host and device may disagree by a little.
  const RangeParts overlapped = split_wall(2, 30, {{{0, 20}, true, 0}, {{10, 25}, true, 0}}, 3);
  CHECK(overlapped == RangeParts{-2, 0, 0, 0, 25, 5});
  CHECK(overlapped.wall() == 28);

  // Between nodes of one graph launch no host is involved; between two launches it is.
  const RangeParts graph =
      split_wall(0, std::nullopt, {{{1, 2}, true, 5}, {{12, 13}, true, 5}, {{23, 24}, true, 6}}, 3);
  CHECK(graph == RangeParts{1, 0, 7, 13, 3, 0});
}

TEST_CASE("ranges nest, and each has its thread's calls and their works", "[profiling][record]") {
  Made process;
  process.range("step", {0, 1000});
  process.range("inner", {0, 250});
  process.range("other thread", {0, 1000}, 2, 2);
  process.range("all threads", {0, 1000}, 3, 4);
  process.range("host only", {0, 5});
  process.call("cudaLaunchKernel", {10, 20}, 1);
  process.work({100, 200}, 1);
  process.call("cudaMemcpyAsync", {210, 220}, 2);
  process.work({300, 350}, 2, 7, WorkKind::memcpy);
  process.call("cudaMemsetAsync", {300, 310}, 3);
  process.work({360, 380}, 3, 8, WorkKind::memset);
  process.call("cudaStreamSynchronize", {320, 400}, 4);
  process.call("cuLaunchKernelEx", {500, 510}, 5, 2);
  process.work({600, 700}, 5, 9);

  const ProcessAccount account = account_process(process, gap(10));
  CHECK(account.unmatched_works == 0);
  const Summary& step = named(account.ranges, "step");
  CHECK(step.counts == Counts{3, 1, 0, 1, 1, 0, 1, 1});
  // s_1 - a_1 = 90; busy 100 + 50 + 20; idle 100 and 10; the wait returns 20 after the last end.
  CHECK(step.total == RangeParts{90, 0, 90, 20, 170, 20});
  CHECK(step.not_waited == 0);
  const Summary& inner = named(account.ranges, "inner");
  CHECK(inner.counts.calls == 2);
  // Its last call was followed by another submission: nobody waited for it in particular.
  CHECK(inner.not_waited == 1);
  CHECK(inner.total == RangeParts{90, 0, 90, 10, 150, 0});
  const Summary& other = named(account.ranges, "other thread");
  CHECK(other.counts.kernels == 1);
  CHECK(other.total == RangeParts{100, 0, 0, 0, 100, 0});
  CHECK(named(account.ranges, "all threads").counts.calls == 4);
  CHECK(named(account.ranges, "host only").without_work == 1);
  CHECK(account.all.counts.kernels == 2);
  // Most launch-bound first; equal ones in any order.
  for (std::size_t i = 1; i < account.ranges.size(); ++i)
    CHECK(account.ranges[i - 1].total.launch_bound() >= account.ranges[i].total.launch_bound());
  CHECK(account.streams.size() == 3);
  CHECK(named(account.streams, "device 0, context 0, stream 7").total == RangeParts{90, 0, 90, 10, 150, 0});
}

TEST_CASE("instances of a name: totals, medians, and launches counted once", "[profiling][record]") {
  Made process;
  for (std::uint32_t i = 0; i < 3; ++i) {
    const Nanoseconds t = 10000 * i;
    process.range("iteration", {t, t + 5000});
    // A runtime call with the driver call inside it, under one id.
    process.call("cudaLaunchKernel", {t + 10, t + 30}, i + 1);
    process.call("cuLaunchKernel", {t + 15, t + 25}, i + 1);
    process.work({t + 110 + 10 * i, t + 200 + 10 * i}, i + 1);
    process.call("cudaDeviceSynchronize", {t + 40, t + 300}, 100 + i);
  }
  process.work({90000, 90100}, 999);  // device-launched: no call
  const ProcessAccount account = account_process(process, gap(10));
  CHECK(account.unmatched_works == 1);
  const Summary& iteration = named(account.ranges, "iteration");
  CHECK(iteration.instances == 3);
  CHECK(iteration.counts.calls == 3);
  CHECK(iteration.counts.kernels == 3);
  CHECK(iteration.counts.waits == 3);
  CHECK(iteration.total.launch_latency == 100 + 110 + 120);
  CHECK(iteration.median.launch_latency == 110);
  CHECK(iteration.total.busy == 270);
  CHECK(iteration.total.wall() == 3 * 290);
  CHECK(iteration.median_wall == 290);
  CHECK_FALSE(iteration.trace_cost.has_value());

  AccountOptions calibrated = gap(10);
  calibrated.trace_cost = {300, 1500, 3000};
  CHECK(named(account_process(process, calibrated).ranges, "iteration").trace_cost == 3 * (300 + 1500));
  // What recording each node of a graph costs is not calibrated.
  process.graph_nodes = true;
  CHECK_FALSE(account_process(process, calibrated).all.trace_cost.has_value());
}

TEST_CASE("a wait counts where it waits for the range's stream", "[profiling][record]") {
  Made process;
  process.range("r", {0, 1000});
  process.call("cudaLaunchKernel", {0, 10}, 1);
  process.work({50, 100}, 1, 7);
  process.call("cudaStreamSynchronize", {20, 150}, 2);  // another stream
  process.call("cudaStreamSynchronize", {160, 170}, 3);
  process.waits.push_back({2, 0, 8, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE});
  process.waits.push_back({3, 0, 7, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE});
  CHECK(account_process(process, gap(10)).ranges[0].total.completion == 70);
  process.waits[1] = {3, 5, 0, CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE};  // another context
  CHECK(account_process(process, gap(10)).ranges[0].not_waited == 1);
  process.waits[1].context = 0;
  CHECK(account_process(process, gap(10)).ranges[0].total.completion == 70);

  process.works[0].context = 2147483647;  // a graph that starts on the host
  CHECK(account_process(process, gap(10)).ranges[0].total.completion == 70);

  // A copy that blocks waits for itself.
  Made copies;
  copies.range("r", {0, 1000});
  copies.call("cudaMemcpy", {0, 120}, 1);
  copies.work({50, 100}, 1, 7, WorkKind::memcpy);
  CHECK(account_process(copies, gap(10)).ranges[0].total == RangeParts{50, 0, 0, 0, 50, 20});
}

TEST_CASE("graph launches: at either granularity, one instance a launch", "[profiling][record]") {
  Made process;
  for (std::uint32_t i = 0; i < 2; ++i) {
    const Nanoseconds t = 10000 * i;
    process.call("cudaGraphLaunch", {t, t + 10}, i + 1);
    process.work({t + 100, t + 400}, i + 1, 7, WorkKind::graph).graph_id = 3;
  }
  // Its nodes too: not counted twice.
  process.work({100, 200}, 1).graph_id = 3;
  ProcessAccount account = account_process(process, gap(10));
  REQUIRE(account.graphs.size() == 1);
  CHECK(account.graphs[0].name == "graph 3");
  CHECK(account.graphs[0].instances == 2);
  CHECK(account.graphs[0].counts == Counts{2, 0, 2, 0, 0, 2, 0, 0});
  CHECK(account.graphs[0].total == RangeParts{200, 0, 0, 0, 600, 0});

  Made nodes;
  nodes.call("cudaGraphLaunch", {0, 10}, 1);
  for (Nanoseconds n = 0; n < 3; ++n) {
    RecordedWork& work = nodes.work({100 + 100 * n, 150 + 100 * n}, 1);
    work.graph_id = 3;
    work.node_id = static_cast<std::uint64_t>(n + 1);
  }
  account = account_process(nodes, gap(10));
  CHECK(account.graphs[0].counts.kernels == 3);
  CHECK(account.graphs[0].total == RangeParts{100, 0, 0, 100, 150, 0});
}

TEST_CASE("works of a range by name, those of graphs apart", "[profiling][record]") {
  Made p;
  p.range("step", {0, 1000});
  for (std::uint32_t id = 1; id <= 3; ++id) {
    const Nanoseconds at = 100 * id;
    p.call("cudaLaunchKernel", {at, at + 10}, id);
    p.work({at + 20, at + 30}, id).name = p.name(id == 2 ? "copy" : "square");
  }
  p.call("cudaGraphLaunch", {500, 510}, 9);
  RecordedWork& node = p.work({520, 580}, 9);
  node.name = p.name("square");
  node.graph_id = 5;
  const auto works = named(account_process(p, gap(3)).ranges, "step").works;
  REQUIRE(works.size() == 3);
  CHECK(works[0] == WorkSum{"square", WorkKind::kernel, true, 1, 60});
  CHECK(works[1] == WorkSum{"square", WorkKind::kernel, false, 2, 20});
  CHECK(works[2] == WorkSum{"copy", WorkKind::kernel, false, 1, 10});
}

TEST_CASE("copies and memsets have no names: their kind stands for one", "[profiling][record]") {
  Made p;
  p.range("step", {0, 1000});  // the first of the names, which a copy must not take
  p.call("cudaMemcpyAsync", {0, 10}, 1);
  p.work({20, 60}, 1, 7, WorkKind::memcpy);
  p.call("cudaMemsetAsync", {30, 40}, 2);
  p.work({70, 90}, 2, 7, WorkKind::memset);
  p.call("cudaLaunchKernel", {50, 60}, 3);
  p.work({95, 99}, 3).name = p.name("step");
  const auto works = named(account_process(p, gap(3)).ranges, "step").works;
  REQUIRE(works.size() == 3);
  CHECK(works[0] == WorkSum{"memcpy", WorkKind::memcpy, false, 1, 40});
  CHECK(works[1] == WorkSum{"memset", WorkKind::memset, false, 1, 20});
  CHECK(works[2] == WorkSum{"step", WorkKind::kernel, false, 1, 4});
}

TEST_CASE("one GPU, several processes, whatever number each gives it", "[profiling][record]") {
  Made first, second;
  first.devices.push_back({0, "H200", "aa", 132});
  first.work({0, 100}, 1);
  second.devices.push_back({1, "H200", "aa", 132});
  second.work({50, 200}, 1).device = 1;
  second.work({250, 300}, 2, 8).device = 1;
  second.work({0, 10}, 3).device = 0;  // a GPU that its recording does not name
  const auto devices = account_devices({first, second}, 20);
  REQUIRE(devices.size() == 2);
  const DeviceAccount& shared = devices[0];
  CHECK(shared.processes == 2);
  CHECK(shared.streams == 3);
  CHECK(shared.works == 3);
  CHECK(shared.parts == RangeParts{0, 0, 30, 20, 250, 0});
  CHECK(devices[1].name == "device 0");
}

TEST_CASE("correlation ids are each process's own: two of them share no graph launch",
          "[profiling][record]") {
  const auto with_node_at = [](Interval at) {
    Made process;
    process.devices.push_back({0, "H200", "aa", 132});
    RecordedWork& node = process.work(at, 1);
    node.graph_id = 3;
    node.node_id = 1;
    return process;
  };
  const auto gaps = [](const std::vector<RecordedProcess>& processes) {
    return account_devices(processes, 20).at(0).parts;
  };
  CHECK(gaps({with_node_at({0, 100}), with_node_at({200, 300})}) == RangeParts{0, 0, 80, 20, 200, 0});
  // Of one process it is one launch, whose idle time is all gap.
  Made one = with_node_at({0, 100});
  one.works.push_back(with_node_at({200, 300}).works[0]);
  CHECK(gaps({one}) == RangeParts{0, 0, 0, 100, 200, 0});
}

TEST_CASE("a stream whose first work has no recorded call begins with that work", "[profiling][record]") {
  Made process;
  process.work({0, 50}, 99);  // launched by the device, or its call was lost
  process.call("cudaLaunchKernel", {100, 110}, 1);
  process.work({120, 150}, 1);
  const ProcessAccount account = account_process(process, gap(10));
  CHECK(account.streams.at(0).total == RangeParts{0, 0, 60, 10, 80, 0});
  CHECK(account.all.total == RangeParts{20, 0, 0, 0, 30, 0});
}

TEST_CASE("an empty process has an account", "[profiling][record]") {
  const ProcessAccount account = account_process(RecordedProcess{}, gap(10));
  CHECK(account.ranges.empty());
  CHECK(account.all.without_work == 1);
  CHECK(account_devices({RecordedProcess{}}, 10).empty());
}

TEST_CASE("the default gap is about the shipped recording's", "[profiling][record]") {
  std::ifstream in(std::string(GVF_SOURCE_DIR) + "/docs/recordings/h200/machine.json");
  const auto constants = constants_from_json(nlohmann::json::parse(in)["constants"]);
  REQUIRE(constants.ok());
  const auto shipped = static_cast<double>(constants->at("stream").gap_ns);
  CHECK(shipped == Catch::Approx(static_cast<double>(default_stream_gap)).epsilon(0.2));
}
