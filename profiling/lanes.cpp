// Lanes: see lanes.hpp.
#include "profiling/lanes.hpp"

#include <algorithm>
#include <numeric>

namespace gvf::profiling {

std::vector<std::size_t> assign_lanes(const std::vector<Interval>& intervals, Overlap overlap) {
  std::vector<std::size_t> order(intervals.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    if (intervals[a].begin != intervals[b].begin) return intervals[a].begin < intervals[b].begin;
    // The outer one first where they may nest, else an empty one before the one that starts where it ends.
    return overlap == Overlap::nests ? intervals[a].end > intervals[b].end
                                     : intervals[a].end < intervals[b].end;
  });

  std::vector<std::vector<Nanoseconds>> open_ends;  // of each lane, innermost last
  std::vector<std::size_t> lane_of(intervals.size());
  for (std::size_t i : order) {
    const Interval& at = intervals[i];
    const auto has_room = [&](std::vector<Nanoseconds>& ends) {
      while (!ends.empty() && ends.back() <= at.begin) ends.pop_back();
      return ends.empty() || (overlap == Overlap::nests && at.end <= ends.back());
    };
    auto lane = std::find_if(open_ends.begin(), open_ends.end(), has_room);
    if (lane == open_ends.end()) lane = open_ends.emplace(open_ends.end());
    lane->push_back(at.end);
    lane_of[i] = static_cast<std::size_t>(lane - open_ends.begin());
  }
  return lane_of;
}

}  // namespace gvf::profiling
