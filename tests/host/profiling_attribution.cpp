// Reconstruction of untraced iterations, attribution of rows, hand-worked.
#include "profiling/attribution.hpp"

#include <limits>
#include <random>

#include "tests/catch.hpp"

using namespace gvf::profiling;
using Catch::Approx;

namespace {

// L = 4000, g = 1700, C = 2000.
const EdgeConstants constants{1700, 4000, std::nullopt, 2000, 900};

Timeline api_iteration(Nanoseconds start, std::vector<Interval> calls, Nanoseconds sync_return) {
  Timeline t{start, sync_return, {}, {}};
  std::uint32_t id = 0;
  for (const Interval& at : calls)
    t.calls.push_back({{start + at.begin, start + at.end}, ++id, "cudaLaunchKernel_v7000"});
  t.calls.push_back({{start + calls.back().end, sync_return}, ++id, "cudaStreamSynchronize_v3020"});
  return t;
}

Timeline kernel_iteration(Nanoseconds start, std::vector<Interval> works, Nanoseconds sync_return) {
  Timeline t{start, sync_return, {}, {}};
  std::uint32_t id = 0;
  for (const Interval& at : works)
    t.works.push_back({{start + at.begin, start + at.end}, ++id, WorkKind::kernel, "k", 7, 0, 0});
  return t;
}

}  // namespace

TEST_CASE("reconstruct: the host is late", "[profiling][attribution]") {
  // Calls at 500 and 4500, kernels of 900. start1 = 500 + 4000 = 4500, end1 = 5400;
  // start2 = max(5400 + 1700, 4500 + 4000) = 8500, end2 = 9400; z = 9400 + 2000 = 11400.
  const auto built = reconstruct({{{500, 4000}}, {{4500, 8000}}}, {{900}, {900}}, constants);
  REQUIRE(built.ok());
  REQUIRE(built->works.size() == 2);
  CHECK(built->works[0].at == Interval{4500, 5400});
  CHECK(built->works[1].at == Interval{8500, 9400});
  CHECK(built->sync_return == 11400);
  // idle 8500 - 5400 = 3100 = 1700 + 1400
  CHECK(*account(*built, 1700) == Account{4500, 1800, 1700, 1400, 2000});
}

TEST_CASE("reconstruct: the device is late", "[profiling][attribution]") {
  // Kernels of 33000: start2 = max(37000 + 1700, 8000) = 38700; end 71700; z 73700. Nothing starves.
  const auto built = reconstruct({{{0, 3500}}, {{4000, 7500}}}, {{33000}, {33000}}, constants);
  REQUIRE(built.ok());
  CHECK(built->works[1].at == Interval{38700, 71700});
  CHECK(*account(*built, 1700) == Account{4000, 66000, 1700, 0, 2000});
}

TEST_CASE("reconstruct: the host is still in its call when the last kernel ended",
          "[profiling][attribution]") {
  // Call [0,9000], kernel [4000,4900]; z = 9000 + 2000: completion = 11000 - 4900 = 6100, and it adds up.
  const auto built = reconstruct({{{0, 9000}}}, {{900}}, constants);
  REQUIRE(built.ok());
  CHECK(*account(*built, 1700) == Account{4000, 900, 0, 0, 6100});
}

TEST_CASE("reconstruct: a call with several works, a busy latency", "[profiling][attribution]") {
  EdgeConstants k = constants;
  k.busy_launch_to_start_ns = 3000;
  // First call puts two works: 4000-5000, then max(5000 + 1700, 0 + 3000) = 6700-7700.
  // Second call at 6000: max(7700 + 1700, 6000 + 3000) = 9400.
  const auto built = reconstruct({{{0, 100}, 2}, {{6000, 6100}, 1}}, {{1000}, {1000}, {1000}}, k);
  REQUIRE(built.ok());
  CHECK(built->works[1].at == Interval{6700, 7700});
  CHECK(built->works[2].at == Interval{9400, 10400});
  CHECK(built->works[1].correlation_id == built->works[0].correlation_id);
  // The busy latency decides where the host is late: 20000 + 3000.
  CHECK(reconstruct({{{0, 100}}, {{20000, 20100}}}, {{1000}, {1000}}, k)->works[1].at.begin == 23000);
}

TEST_CASE("reconstruct: a dependent launch that overlaps its predecessor", "[profiling][attribution]") {
  // First 4000-14000. The second was seen to start 3000 before that end and to last 8000, 5000 of them its
  // own: it starts at 11000 and ends at 14000 + 5000.
  auto built = reconstruct({{{0, 100}}, {{200, 300}}}, {{10000}, {8000, 3000}}, constants);
  REQUIRE(built.ok());
  CHECK(built->works[1].at == Interval{11000, 19000});
  // With the host late (call at 12000 -> 16000) only its own 5000 remain: 16000-21000.
  built = reconstruct({{{0, 100}}, {{12000, 12100}}}, {{10000}, {8000, 3000}}, constants);
  CHECK(built->works[1].at == Interval{16000, 21000});
}

TEST_CASE("reconstruct: passes that disagree are refused", "[profiling][attribution]") {
  const auto refused = reconstruct({{{0, 100}}}, {{900}, {900}}, constants);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.reason().text.find("passes disagree") != std::string::npos);
  CHECK_FALSE(reconstruct({}, {}, constants).ok());
  EdgeConstants negative = constants;
  negative.completion_ns = -1;
  CHECK_FALSE(reconstruct({{{0, 100}}}, {{900}}, negative).ok());
}

TEST_CASE("reconstruct: any evidence gives a timeline whose account adds up",
          "[profiling][attribution][property]") {
  std::mt19937_64 random(7);
  const auto pick = [&](Nanoseconds low, Nanoseconds high) {
    return std::uniform_int_distribution<Nanoseconds>(low, high)(random);
  };
  for (int round = 0; round < 3000; ++round) {
    IterationCalls calls;
    IterationWorks works;
    Nanoseconds host = pick(0, 2000);
    for (Nanoseconds c = pick(1, 10); c > 0; --c) {
      const Interval at{host, host + pick(0, 9000)};
      calls.push_back({at, static_cast<int>(pick(1, 3))});
      host = at.end + pick(0, 2000);
      for (int w = 0; w < calls.back().works; ++w)
        works.push_back({pick(0, 20000), pick(0, 3) ? 0 : pick(0, 2000)});
    }
    works.front().overlap = 0;
    const EdgeConstants k{pick(0, 2000), pick(0, 5000), pick(0, 5000), pick(0, 3000), 0};
    const auto built = reconstruct(calls, works, k);
    REQUIRE(built.ok());
    const auto parts = account(*built, k.gap_ns);
    REQUIRE(parts.ok());
    REQUIRE(parts->wall() == built->wall());
    REQUIRE(parts->launch_latency >= 0);
    REQUIRE(parts->completion >= k.completion_ns);
  }
}

TEST_CASE("calls_of: outermost submitting calls, relative to the iteration", "[profiling][attribution]") {
  Timeline t{1000, 9000, {}, {}};
  t.calls = {{{1100, 1500}, 1, "cudaLaunchKernel_v7000"},
             {{1200, 1400}, 2, "cuLaunchKernel"},
             {{1600, 1700}, 3, "cudaGetLastError_v3020"},
             {{2000, 2100}, 4, "cudaMemsetAsync_v3020"}};
  auto calls = calls_of(t);
  REQUIRE(calls.ok());
  REQUIRE(calls->size() == 2);
  CHECK((*calls)[0].at == Interval{100, 500});
  CHECK((*calls)[0].works == 1);
  CHECK((*calls)[1].at == Interval{1000, 1100});
  // With works present they are counted, whichever of the nested calls they name.
  t.works = {{{3000, 3100}, 2, WorkKind::kernel, "k", 7, 0, 0},
             {{3200, 3300}, 1, WorkKind::kernel, "k", 7, 0, 0},
             {{3400, 3500}, 4, WorkKind::memset, "", 7, 0, 0}};
  calls = calls_of(t);
  CHECK((*calls)[0].works == 2);
  CHECK((*calls)[1].works == 1);
  t.calls.resize(0);
  CHECK_FALSE(calls_of(t).ok());
}

TEST_CASE("attribute a stream row: parts, residual, marks", "[profiling][attribution]") {
  StreamEvidence evidence;
  evidence.untraced_wall_us = {11.0, 12.0, 11.5};
  // Three iterations alike but for the second call: 4500, 4700, 4900 -> starved 1400, 1600, 1800; median
  // 1600.
  for (Nanoseconds late : {0, 200, 400}) {
    evidence.api_pass.push_back(api_iteration(100000, {{500, 4000}, {4500 + late, 8000}}, 100000 + 13000));
    evidence.kernel_pass.push_back(kernel_iteration(500000, {{5000, 5900}, {9000, 9900}}, 500000 + 11600));
  }
  const auto row = attribute_stream(evidence, constants);
  REQUIRE(row.ok());
  CHECK(row->wall_us == 11.5);
  CHECK(row->parts.launch_latency_us == Approx(4.5));
  CHECK(row->parts.busy_us == Approx(1.8));
  CHECK(row->parts.gap_us == Approx(1.7));
  CHECK(row->parts.starved_us == Approx(1.6));
  CHECK(row->parts.completion_us == Approx(2.0));
  CHECK(row->parts.residual_us == Approx(11.5 - 11.6));  // negative, and shown
  CHECK(row->parts.sum() == Approx(row->wall_us));
  CHECK_FALSE(row->modelled);
  CHECK(row->passes.at("untraced") == 11.5);
  CHECK(row->passes.at("api") == 13.0);
  CHECK(row->passes.at("kernel") == Approx(11.6));
  // 13.0 / 11.5 = +13 %; the kernel pass, +1 %, is not worth a mark.
  REQUIRE(row->marks.size() == 1);
  CHECK(row->marks[0] == "api pass disturbs wall by +13%");
  for (const char* part : {"launch_latency", "starved", "gap", "busy", "completion", "residual"})
    CHECK(row->evidence.count(part) == 1);
}

TEST_CASE("attribute a stream row: the gap is what its untraced span leaves", "[profiling][attribution]") {
  EdgeConstants k = constants;
  k.span_cost_ns = 2200;
  StreamEvidence evidence;
  evidence.untraced_wall_us = {11.0, 12.0, 11.5, 11.6, 11.4};
  evidence.api_pass = {api_iteration(0, {{500, 4000}, {4500, 8000}}, 13000)};
  evidence.kernel_pass = {kernel_iteration(0, {{5000, 5900}, {9000, 9900}}, 11600)};
  // Span 5.0 - 2.2 = 2.8 beside 1.8 of busy: a gap of 1.0 at its one edge, where the constant says 1.7. The
  // second kernel starts at 4500 + 4000, 3100 after the first: starved 2.1.
  evidence.gated_span_us = {5.0, 4.9, 5.3};
  auto row = attribute_stream(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->span_us == Approx(2.8));
  CHECK(row->parts.gap_us == Approx(1.0));
  CHECK(row->parts.starved_us == Approx(2.1));
  CHECK(row->parts.sum() == Approx(11.5));
  CHECK(row->wall_iqr_us == Approx(0.2));  // 11.4 to 11.6
  // Two routes: 4.5 + 2.1 + 2.0 out of traces, 11.5 - 2.8 on clocks.
  CHECK(launch_side_us(row->parts) == Approx(8.6));
  CHECK(launch_side_by_clocks_us(*row) == Approx(8.7));
  CHECK(row->evidence.at("gap").find("untraced span") != std::string::npos);

  // Kernels that read longer than they take leave nothing, and are marked.
  evidence.gated_span_us = {3.7};  // 1.5 for 1.8 of busy
  row = attribute_stream(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->parts.gap_us == 0.0);
  CHECK(row->marks.back() == "kernel pass reads more than the untraced span by 20%");

  // Without spans: the calibrated gap, and no second route.
  evidence.gated_span_us.clear();
  row = attribute_stream(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->parts.gap_us == Approx(1.7));
  CHECK_FALSE(launch_side_by_clocks_us(*row).has_value());
  CHECK(row->evidence.at("gap").find("calibrated") != std::string::npos);
}

TEST_CASE("attribute a stream row: withheld with a reason", "[profiling][attribution]") {
  StreamEvidence good;
  good.untraced_wall_us = {11.0};
  good.api_pass = {api_iteration(0, {{500, 4000}}, 9000)};
  good.kernel_pass = {kernel_iteration(0, {{4500, 5400}}, 7400)};
  REQUIRE(attribute_stream(good, constants).ok());

  const auto reason = [](const StreamEvidence& e) {
    const auto row = attribute_stream(e, constants);
    REQUIRE_FALSE(row.ok());
    return row.reason().text;
  };
  StreamEvidence bad = good;
  bad.untraced_wall_us.clear();
  CHECK(reason(bad).find("no untraced wall") != std::string::npos);
  bad = good;
  bad.untraced_wall_us = {std::numeric_limits<double>::quiet_NaN()};
  CHECK(reason(bad).find("untraced wall sample") != std::string::npos);
  bad = good;
  bad.api_pass.clear();
  CHECK(reason(bad).find("api pass") != std::string::npos);
  bad = good;
  bad.kernel_pass = {kernel_iteration(0, {{4500, 5400}, {6000, 6100}}, 7400)};
  CHECK(reason(bad).find("passes disagree") != std::string::npos);
  bad = good;
  bad.kernel_pass[0].works.clear();
  CHECK(reason(bad).find("no device work") != std::string::npos);
}

TEST_CASE("attribute a graph row: closes over latency, span and completion", "[profiling][attribution]") {
  EdgeConstants k;
  k.launch_to_start_ns = 2100;
  k.completion_ns = 2800;
  k.span_cost_ns = 1400;
  GraphEvidence evidence;
  evidence.untraced_wall_us = {41.0, 40.0, 46.0};
  // Span 37.4 - 1.4 = 36; 2.1 + 36 + 2.8 = 40.9 of the wall's 41. Twin's kernels 28.8.
  evidence.gated_span_us = {37.4, 37.3, 39.0};
  evidence.twin_busy_us = 28.8;
  auto row = attribute_graph(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->parts.launch_latency_us == Approx(2.1));
  CHECK(row->parts.busy_us == Approx(28.8));
  CHECK(row->parts.gap_us == Approx(7.2));
  CHECK(row->parts.starved_us == 0.0);
  CHECK(row->parts.completion_us == Approx(2.8));
  CHECK(row->parts.residual_us == Approx(0.1));
  CHECK(row->parts.sum() == Approx(41.0));
  CHECK(row->span_us == Approx(36.0));
  CHECK(launch_side_us(row->parts) == Approx(4.9));
  CHECK(launch_side_by_clocks_us(*row) == Approx(5.0));
  CHECK(row->modelled);
  CHECK(row->marks.empty());

  // The graph pass is a second reading: its wall is kept, and another span is marked.
  const Timeline t{0, 33500, {}, {{{6000, 31200}, 1, WorkKind::graph, "", 7, 3, 0}}};
  evidence.graph_pass = {t, t, t};
  row = attribute_graph(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->passes.at("graph") == Approx(33.5));
  CHECK(row->parts.residual_us == Approx(0.1));
  REQUIRE(row->marks.size() == 2);
  CHECK(row->marks[1] == "graph pass reads another span: -30%");

  // A twin slower than the span fills it and no more.
  evidence.twin_busy_us = 50.0;
  row = attribute_graph(evidence, k);
  CHECK(row->parts.busy_us == Approx(36.0));
  CHECK(row->parts.gap_us == 0.0);

  // Without a twin the span stays whole, and says so.
  evidence.twin_busy_us.reset();
  row = attribute_graph(evidence, k);
  CHECK(row->parts.busy_us == Approx(36.0));
  CHECK_FALSE(row->modelled);
  REQUIRE_FALSE(row->marks.empty());
  CHECK(row->marks.back().find("not split") != std::string::npos);
}

TEST_CASE("attribute a graph row: a launch call that outlasts the span starves the device",
          "[profiling][attribution]") {
  EdgeConstants k;
  k.launch_to_start_ns = 2000;
  k.completion_ns = 3000;
  k.span_cost_ns = 1000;
  GraphEvidence evidence;
  // Sixteen branches: 10 us on the device with the host ahead, and 14 us more of a call than an empty
  // graph's.
  evidence.untraced_wall_us = {19.5};
  evidence.gated_span_us = {11.0};
  evidence.twin_busy_us = 9.0;
  evidence.longer_call_us = 14.0;
  auto row = attribute_graph(evidence, k);
  REQUIRE(row.ok());
  CHECK(row->parts.starved_us == Approx(4.0));
  CHECK(row->parts.residual_us == Approx(0.5));
  CHECK(row->parts.sum() == Approx(19.5));
  CHECK(row->evidence.at("starved").find("modelled") != std::string::npos);
  evidence.longer_call_us = 9.9;  // the device had work throughout
  row = attribute_graph(evidence, k);
  CHECK(row->parts.starved_us == 0.0);
}

TEST_CASE("attribute a graph row: withheld with a reason", "[profiling][attribution]") {
  EdgeConstants k;
  k.span_cost_ns = 1400;
  GraphEvidence good;
  good.untraced_wall_us = {9.0};
  good.gated_span_us = {3.0};
  REQUIRE(attribute_graph(good, k).ok());
  const auto reason = [&k](const GraphEvidence& evidence) {
    const auto row = attribute_graph(evidence, k);
    return row ? std::string() : row.reason().text;
  };
  GraphEvidence bad = good;
  bad.untraced_wall_us.clear();
  CHECK(reason(bad).find("no untraced wall") != std::string::npos);
  bad = good;
  bad.gated_span_us.clear();
  CHECK(reason(bad).find("no untraced span") != std::string::npos);
  bad = good;
  bad.gated_span_us = {1.3};  // shorter than what the events of an empty graph read
  CHECK(reason(bad).find("-0.1 us") != std::string::npos);
  bad = good;
  bad.graph_pass.emplace_back();
  CHECK(reason(bad).find("graph pass: iteration 0") != std::string::npos);
  bad = good;
  bad.twin_busy_us = -1;
  CHECK(reason(bad).find("twin") != std::string::npos);
  k.completion_ns = -5;
  CHECK(reason(good).find("negative") != std::string::npos);
}

TEST_CASE("median of odd and even counts, busy of a pass", "[profiling][attribution]") {
  CHECK(median({3, 1, 2}) == 2);
  CHECK(median({4, 1, 2, 3}) == 2.5);
  CHECK(median({5}) == 5);
  // Overlap counted once: [0,2000] and [1000,3000] are 3 µs busy.
  const auto busy = median_busy_us({kernel_iteration(0, {{0, 2000}, {1000, 3000}}, 4000)});
  REQUIRE(busy.ok());
  CHECK(*busy == Approx(3.0));
  CHECK_FALSE(median_busy_us({}).ok());
}

TEST_CASE("what tracing adds to each call is taken back before a work starts", "[profiling][attribution]") {
  EdgeConstants k;
  k.launch_to_start_ns = 5000;
  k.completion_ns = 2000;
  k.gap_ns = 1000;
  k.api_trace_cost_ns = 400;
  // Three traced calls of 3000 ns each, 100 ns works: the host is the bottleneck.
  const IterationCalls calls{{{0, 3000}, 1}, {{3000, 6000}, 1}, {{6000, 9000}, 1}};
  const IterationWorks works{{100, 0}, {100, 0}, {100, 0}};
  const auto built = reconstruct(calls, works, k);
  REQUIRE(built.ok());
  CHECK(built->calls[0].at == Interval{0, 2600});
  CHECK(built->calls[1].at == Interval{2600, 5200});
  CHECK(built->calls[2].at == Interval{5200, 7800});
  CHECK(built->works[2].at == Interval{10200, 10300});
  CHECK(built->sync_return == 12300);
}
