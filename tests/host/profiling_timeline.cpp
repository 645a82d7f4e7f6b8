// The account of a timeline: hand-worked cases, generated timelines, the join, names of calls, the cut.
#include "profiling/timeline.hpp"

#include <algorithm>
#include <random>

#include "tests/catch.hpp"

using namespace gvf::profiling;

namespace {

Work work(Nanoseconds begin, Nanoseconds end, std::uint32_t id = 1, WorkKind kind = WorkKind::kernel) {
  return {{begin, end}, id, kind, "work", 7, 0, 0};
}
Call call(Nanoseconds begin, Nanoseconds end, std::uint32_t id, std::string name = "cudaLaunchKernel_v7000") {
  return {{begin, end}, id, std::move(name)};
}

}  // namespace

TEST_CASE("account: two kernels with the host late for the second", "[profiling][account]") {
  // s1 = 5000 - a1 = 1000 -> latency 4000; busy 900 + 900; idle 9500 - 5900 = 3600 = gap 1700 + starved 1900;
  // z = 12000 - 10400 -> completion 1600. 4000 + 1800 + 1700 + 1900 + 1600 = 11000 = 12000 - 1000.
  const Timeline t{
      1000, 12000, {call(1000, 4600, 1), call(5000, 8700, 2)}, {work(5000, 5900, 1), work(9500, 10400, 2)}};
  const auto parts = account(t, 1700);
  REQUIRE(parts.ok());
  CHECK(*parts == Account{4000, 1800, 1700, 1900, 1600});
  CHECK(parts->wall() == t.wall());
}

TEST_CASE("account: idle shorter than the device gap starves nobody", "[profiling][account]") {
  // idle 200 < gap 1700: all of it is gap. 10 + 200 + 200 + 0 + 90 = 500.
  const Timeline t{0, 500, {}, {work(10, 110), work(310, 410)}};
  CHECK(*account(t, 1700) == Account{10, 200, 200, 0, 90});
  // At g = 0 the same idle is all starved.
  CHECK(*account(t, 0) == Account{10, 200, 0, 200, 90});
}

TEST_CASE("account: overlapping and nested works are busy once", "[profiling][account]") {
  // [100,500] holds [200,300]; [400,600] adds 100; idle 600..650 counts from the latest end, 600, not from
  // 300. busy 400 + 100 + 50 = 550; idle 50 = gap 30 + starved 20; 100 + 550 + 30 + 20 + 300 = 1000.
  const Timeline t{0, 1000, {}, {work(650, 700), work(200, 300), work(100, 500), work(400, 600)}};
  CHECK(*account(t, 30) == Account{100, 550, 30, 20, 300});
}

TEST_CASE("account: copies and memsets occupy the device like kernels", "[profiling][account]") {
  // 20 latency; busy 30 + 50 + 10; idle 5 and 15, g = 10: gap 5 + 10, starved 5; completion 65; sum 200.
  const Timeline t{
      0, 200, {}, {work(20, 50, 1, WorkKind::memset), work(55, 105), work(120, 130, 3, WorkKind::memcpy)}};
  CHECK(*account(t, 10) == Account{20, 90, 15, 5, 70});
}

TEST_CASE("account: a kernel may start before its call returned, and before the host clock says",
          "[profiling][account]") {
  // Call [0,50], kernel [20,80]: 20 + 60 + 20 = 100.
  CHECK(*account(Timeline{0, 100, {call(0, 50, 1)}, {work(20, 80)}}, 5) == Account{20, 60, 0, 0, 20});
  // Skewed clocks: kernel [-30,40] in iteration [0,35]: latency -30, busy 70, completion -5; sum 35.
  CHECK(*account(Timeline{0, 35, {}, {work(-30, 40)}}, 5) == Account{-30, 70, 0, 0, -5});
}

TEST_CASE("account: invalid timelines give a reason", "[profiling][account]") {
  const auto reason = [](const Timeline& t, Nanoseconds gap = 1) {
    const auto parts = account(t, gap);
    REQUIRE_FALSE(parts.ok());
    return parts.reason().text;
  };
  CHECK(reason({0, 10, {}, {}}).find("no device work") != std::string::npos);
  CHECK(reason({0, 10, {}, {work(5, 4)}}).find("ends before it begins") != std::string::npos);
  CHECK(reason({10, 0, {}, {work(5, 6)}}).find("before the iteration started") != std::string::npos);
  CHECK(reason({0, 10, {call(3, 2, 1)}, {work(5, 6)}}).find("returns before it starts") != std::string::npos);
  CHECK(reason({0, 10, {}, {work(5, 6)}}, -1).find("negative") != std::string::npos);
}

TEST_CASE("account: the parts add up on generated timelines", "[profiling][account][property]") {
  std::mt19937_64 random(20240917);
  const auto pick = [&](Nanoseconds low, Nanoseconds high) {
    return std::uniform_int_distribution<Nanoseconds>(low, high)(random);
  };
  int with_overlap = 0, with_starved = 0, negative_latency = 0;
  for (int round = 0; round < 5000; ++round) {
    Timeline t;
    t.start = pick(0, 1) ? 1'700'000'000'000'000'000 + pick(0, 1'000'000) : pick(-1000, 1000);
    Nanoseconds host = t.start;
    Nanoseconds latest = t.start;
    const int calls = static_cast<int>(pick(1, 12));
    for (int c = 0; c < calls; ++c) {
      const auto id = static_cast<std::uint32_t>(c);
      t.calls.push_back(call(host, host + pick(0, 4000), id));
      const int works = static_cast<int>(pick(c == 0 ? 1 : 0, 4));
      for (int w = 0; w < works; ++w) {
        // Around its call: before it (skew), inside it, after it; lengths from nothing to long.
        const Nanoseconds begin = host + pick(-500, 6000);
        t.works.push_back(work(begin, begin + pick(0, 3000), id, static_cast<WorkKind>(pick(0, 3))));
        latest = std::max(latest, t.works.back().at.end);
      }
      host = t.calls.back().at.end + pick(0, 3000);
    }
    std::shuffle(t.works.begin(), t.works.end(), random);
    t.sync_return = std::max(t.start, latest + pick(-200, 3000));
    const Nanoseconds gap = pick(0, 2000);

    const auto parts = account(t, gap);
    REQUIRE(parts.ok());
    REQUIRE(parts->wall() == t.wall());
    REQUIRE(parts->gap >= 0);
    REQUIRE(parts->starved >= 0);
    std::vector<Interval> busy;
    Nanoseconds summed = 0;
    for (const Work& w : t.works) {
      busy.push_back(w.at);
      summed += w.at.length();
    }
    REQUIRE(parts->busy == union_length(busy));
    REQUIRE(parts->busy <= summed);
    // A larger device gap moves idle time from starved to gap and changes nothing else.
    const auto wider = account(t, gap + 100);
    REQUIRE(wider->gap + wider->starved == parts->gap + parts->starved);
    REQUIRE(wider->starved <= parts->starved);
    with_overlap += parts->busy < summed;
    with_starved += parts->starved > 0;
    negative_latency += parts->launch_latency < 0;
  }
  // The generator reaches what it is for.
  CHECK(with_overlap > 500);
  CHECK(with_starved > 500);
  CHECK(negative_latency > 50);
}

TEST_CASE("join: all kernels of a graph share the launch, and the host is charged once",
          "[profiling][join]") {
  Timeline t{0,
             100,
             {call(0, 10, 42, "cudaGraphLaunch_v10000"), call(60, 100, 43, "cudaStreamSynchronize_v3020")},
             {}};
  for (int k = 0; k < 5; ++k) t.works.push_back(work(20 + 5 * k, 24 + 5 * k, 42));
  t.works.push_back(work(50, 55, 99));
  const auto joined = join(t);
  REQUIRE(joined.ok());
  CHECK(joined->works_of_call[0].size() == 5);
  CHECK(joined->works_of_call[1].empty());
  CHECK(joined->orphans == 1);
  CHECK_FALSE(joined->call_of_work[5].has_value());
  CHECK(joined->host == 10);
}

TEST_CASE("join: a driver call inside a runtime call is charged once", "[profiling][join]") {
  // Outer [0,10], inner [2,8]: host is 10, not 16, and the work belongs to the outer call in either order.
  const Call outer = call(0, 10, 5);
  const Call inner = call(2, 8, 5, "cuLaunchKernel");
  for (const auto& calls : {std::vector{outer, inner}, std::vector{inner, outer}}) {
    const Timeline t{0, 100, calls, {work(20, 30, 5)}};
    const auto joined = join(t);
    REQUIRE(joined.ok());
    CHECK(joined->host == 10);
    CHECK(t.calls[*joined->call_of_work[0]].name == outer.name);
  }
}

TEST_CASE("launch calls are recognised with any suffix", "[profiling][calls]") {
  CHECK(base_name("cudaLaunchKernel_ptsz_v7000") == "cudaLaunchKernel");
  CHECK(base_name("cuMemcpyHtoDAsync_v2_ptsz") == "cuMemcpyHtoDAsync");
  CHECK(base_name("cudaMemcpy3D") == "cudaMemcpy3D");
  CHECK(base_name("_v2") == "");
  for (const char* name :
       {"cudaLaunchKernel_v7000", "__cudaLaunchKernel_v13000", "__cudaLaunchKernel_ptsz_v13000",
        "cudaLaunchKernelExC_v11060", "cudaLaunchKernelExC_ptsz_v11060", "cudaLaunchCooperativeKernel_v9000",
        "cudaGraphLaunch_v10000", "cudaGraphLaunch_ptsz_v10000", "cuLaunchKernelEx", "cuLaunchKernelEx_ptsz",
        "cuLaunchKernel", "cuLaunchCooperativeKernel", "cuGraphLaunch_ptsz", "cudaMemsetAsync_v3020",
        "cudaMemcpyAsync_ptsz_v7000", "cuMemsetD32Async", "cuMemcpyDtoDAsync_v2"}) {
    INFO(name);
    CHECK(is_submitting_call(name));
  }
  for (const char* name :
       {"cudaStreamSynchronize_v3020", "cudaLaunchHostFunc_v10000", "cudaGraphInstantiate_v12000",
        "cudaEventRecord_v3020", "cudaGetLastError_v3020", "cuStreamSynchronize", ""}) {
    INFO(name);
    CHECK_FALSE(is_submitting_call(name));
  }
  CHECK(is_sync_call("cudaStreamSynchronize_ptsz_v7000"));
  CHECK(is_sync_call("cuCtxSynchronize_v2"));
  CHECK_FALSE(is_sync_call("cudaLaunchKernel_v7000"));
}

TEST_CASE("cut: works follow their call, else the clock, the rest is outside", "[profiling][cut]") {
  const std::vector<Interval> marks = {{100, 200}, {300, 400}};
  const auto cut = cut_into_iterations(
      marks, {call(310, 320, 2), call(100, 110, 1), call(250, 260, 3)},
      {work(150, 160, 1), work(299, 305, 2), work(350, 351, 77), work(260, 270, 3), work(50, 60, 78)});
  REQUIRE(cut.iterations.size() == 2);
  CHECK(cut.iterations[0].start == 100);
  CHECK(cut.iterations[0].sync_return == 200);
  CHECK(cut.iterations[0].calls.size() == 1);
  CHECK(cut.iterations[0].works.size() == 1);
  // The work at 299 lies before its mark by clock skew, yet its call is in the second iteration.
  REQUIRE(cut.iterations[1].works.size() == 2);
  CHECK(cut.iterations[1].works[0].at.begin == 299);
  CHECK(cut.iterations[1].works[1].correlation_id == 77);
  CHECK(cut.outside == 3);
}

TEST_CASE("union length counts overlaps once", "[profiling][account]") {
  CHECK(union_length({}) == 0);
  CHECK(union_length({{5, 5}}) == 0);
  CHECK(union_length({{10, 20}, {0, 5}, {15, 30}, {16, 17}}) == 25);
}

TEST_CASE("copies that block are told from those that do not", "[profiling][timeline]") {
  for (const char* call :
       {"cudaMemcpy_v3020", "cudaMemcpy2D_ptds_v7000", "cuMemcpyDtoH_v2", "cudaMemcpyFromSymbol"})
    CHECK(is_blocking_copy(call));
  for (const char* call : {"cudaMemcpyAsync_v3020", "cuMemcpyDtoHAsync_v2", "cudaMemcpyBatchAsync_v13000",
                           "cudaMemset_v3020", "cudaLaunchKernel_v7000"})
    CHECK_FALSE(is_blocking_copy(call));
}
