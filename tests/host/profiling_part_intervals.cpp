// Parts in time, on timelines worked out by hand, and against the account on random ones.
#include "profiling/part_intervals.hpp"

#include <map>
#include <random>

#include "tests/catch.hpp"

using namespace gvf::profiling;

namespace {

Work kernel(Nanoseconds begin, Nanoseconds end) {
  Work work;
  work.at = {begin, end};
  return work;
}

Timeline timeline(Nanoseconds start, Nanoseconds sync_return, std::vector<Work> works) {
  return {start, sync_return, {}, std::move(works)};
}

std::map<Part, Nanoseconds> lengths(const std::vector<PartInterval>& parts) {
  std::map<Part, Nanoseconds> sums;
  for (const PartInterval& part : parts) sums[part.part] += part.at.length();
  return sums;
}

}  // namespace

TEST_CASE("parts by hand: the gap first, then what the host is late", "[profiling][trace]") {
  const auto parts =
      part_intervals(timeline(100, 200, {kernel(110, 120), kernel(123, 130), kernel(150, 190)}), 5);
  REQUIRE(parts.ok());
  CHECK(*parts == std::vector<PartInterval>{{Part::launch_latency, {100, 110}},
                                            {Part::busy, {110, 120}},
                                            {Part::gap, {120, 123}},
                                            {Part::busy, {123, 130}},
                                            {Part::gap, {130, 135}},
                                            {Part::starved, {135, 150}},
                                            {Part::busy, {150, 190}},
                                            {Part::completion, {190, 200}}});
}

TEST_CASE("works that overlap, touch or lie inside one another are one busy part", "[profiling][trace]") {
  // Unordered on purpose.
  const auto parts =
      part_intervals(timeline(0, 60, {kernel(30, 50), kernel(10, 30), kernel(12, 14), kernel(45, 55)}), 5);
  REQUIRE(parts.ok());
  CHECK(*parts == std::vector<PartInterval>{
                      {Part::launch_latency, {0, 10}}, {Part::busy, {10, 55}}, {Part::completion, {55, 60}}});
}

TEST_CASE("without a gap all idle time is starved", "[profiling][trace]") {
  const auto parts = part_intervals(timeline(0, 40, {kernel(10, 20), kernel(25, 40)}), 0);
  REQUIRE(parts.ok());
  CHECK(*parts == std::vector<PartInterval>{{Part::launch_latency, {0, 10}},
                                            {Part::busy, {10, 20}},
                                            {Part::starved, {20, 25}},
                                            {Part::busy, {25, 40}}});
}

TEST_CASE("clocks that disagree cut parts at the iteration's edges, and the sum stays the wall",
          "[profiling][trace]") {
  const auto parts = part_intervals(timeline(100, 200, {kernel(90, 150), kernel(160, 210)}), 100);
  REQUIRE(parts.ok());
  CHECK(*parts == std::vector<PartInterval>{
                      {Part::busy, {100, 150}}, {Part::gap, {150, 160}}, {Part::busy, {160, 200}}});
  const auto outside = part_intervals(timeline(100, 200, {kernel(10, 20)}), 0);
  REQUIRE(outside.ok());
  CHECK(*outside == std::vector<PartInterval>{{Part::completion, {100, 200}}});
}

TEST_CASE("parts refuse what the account refuses", "[profiling][trace]") {
  CHECK_FALSE(part_intervals(timeline(0, 10, {}), 0).ok());
  CHECK_FALSE(part_intervals(timeline(0, 10, {kernel(3, 2)}), 0).ok());
  CHECK_FALSE(part_intervals(timeline(0, 10, {kernel(2, 3)}), -1).ok());
}

TEST_CASE("parts tile the iteration and add up to the account", "[profiling][trace]") {
  std::mt19937 random(7);
  const auto below = [&](int limit) { return static_cast<Nanoseconds>(random() % limit); };
  for (int round = 0; round < 500; ++round) {
    const Nanoseconds start = 1'700'000'000'000'000'000 + below(1000);
    Timeline t = timeline(start, 0, {});
    Nanoseconds at = start;
    const int works = 1 + static_cast<int>(below(20));
    for (int w = 0; w < works; ++w) {
      at += below(3000);
      t.works.push_back(kernel(at, at + below(4000)));
    }
    Nanoseconds last = 0;
    for (const Work& work : t.works) last = std::max(last, work.at.end);
    t.sync_return = last + below(3000);
    const Nanoseconds gap = below(2000);

    const auto parts = part_intervals(t, gap);
    const auto accounted = account(t, gap);
    REQUIRE(parts.ok());
    REQUIRE(accounted.ok());
    Nanoseconds reached = t.start;
    for (const PartInterval& part : *parts) {
      REQUIRE(part.at.begin == reached);
      REQUIRE(part.at.length() > 0);
      reached = part.at.end;
    }
    REQUIRE(reached == t.sync_return);
    auto sums = lengths(*parts);
    CHECK(sums[Part::launch_latency] == accounted->launch_latency);
    CHECK(sums[Part::gap] == accounted->gap);
    CHECK(sums[Part::starved] == accounted->starved);
    CHECK(sums[Part::busy] == accounted->busy);
    CHECK(sums[Part::completion] == accounted->completion);
  }
}
