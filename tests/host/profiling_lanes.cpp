// Lanes of a track: what overlaps goes to another one.
#include "profiling/lanes.hpp"

#include "tests/catch.hpp"

using namespace gvf::profiling;

namespace {
using Lanes = std::vector<std::size_t>;
}

TEST_CASE("what follows what shares a lane, touching ends included", "[profiling][trace]") {
  CHECK(assign_lanes({}, Overlap::never).empty());
  CHECK(assign_lanes({{0, 5}, {5, 9}, {12, 13}}, Overlap::never) == Lanes{0, 0, 0});
}

TEST_CASE("an overlapping kernel goes to the lowest lane that is free", "[profiling][trace]") {
  // Three in flight at once, then the first lane is free again.
  CHECK(assign_lanes({{0, 10}, {8, 20}, {9, 30}, {10, 12}, {25, 31}}, Overlap::never) ==
        Lanes{0, 1, 2, 0, 0});
  // The answer is that of the interval at that place, whatever the order.
  CHECK(assign_lanes({{8, 20}, {0, 10}}, Overlap::never) == Lanes{1, 0});
}

TEST_CASE("a kernel inside another one is no child of it, a call inside a call is", "[profiling][trace]") {
  const std::vector<Interval> inside = {{0, 10}, {2, 8}, {3, 4}, {8, 10}};
  CHECK(assign_lanes(inside, Overlap::never) == Lanes{0, 1, 2, 1});
  CHECK(assign_lanes(inside, Overlap::nests) == Lanes{0, 0, 0, 0});
  CHECK(assign_lanes({{0, 10}, {2, 11}}, Overlap::nests) == Lanes{0, 1});
  // The same start: the longer one is the parent, also where it comes second.
  CHECK(assign_lanes({{0, 4}, {0, 10}}, Overlap::nests) == Lanes{0, 0});
}

TEST_CASE("empty intervals take no room", "[profiling][trace]") {
  CHECK(assign_lanes({{5, 5}, {5, 9}, {9, 9}}, Overlap::never) == Lanes{0, 0, 0});
  CHECK(assign_lanes({{5, 9}, {5, 5}}, Overlap::never) == Lanes{0, 0});
  CHECK(assign_lanes({{0, 9}, {5, 5}}, Overlap::never) == Lanes{0, 1});
}
