// Parts in time: see part_intervals.hpp.
#include "profiling/part_intervals.hpp"

#include <algorithm>
#include <utility>

namespace gvf::profiling {

std::string_view to_string(Part part) {
  switch (part) {
    case Part::launch_latency:
      return "launch latency";
    case Part::gap:
      return "gap";
    case Part::starved:
      return "starved";
    case Part::busy:
      return "busy";
    case Part::completion:
      return "completion";
  }
  return "unknown";
}

namespace {

// Appends parts end to end, cut to the iteration; neighbours of one kind become one.
class Tiling {
 public:
  explicit Tiling(const Interval& iteration) : iteration_(iteration) {}

  void add(Part part, Nanoseconds begin, Nanoseconds end) {
    begin = std::max(begin, iteration_.begin);
    end = std::min(end, iteration_.end);
    if (end <= begin) return;
    if (!parts_.empty() && parts_.back().part == part && parts_.back().at.end == begin) {
      parts_.back().at.end = end;
    } else {
      parts_.push_back({part, {begin, end}});
    }
  }

  std::vector<PartInterval> take() { return std::move(parts_); }

 private:
  Interval iteration_;
  std::vector<PartInterval> parts_;
};

}  // namespace

Result<std::vector<PartInterval>> part_intervals(const Timeline& timeline, Nanoseconds device_gap) {
  if (const auto accounted = account(timeline, device_gap); !accounted) return accounted.reason();

  std::vector<Interval> works;
  for (const Work& work : timeline.works) works.push_back(work.at);
  std::sort(works.begin(), works.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });

  Tiling tiling({timeline.start, timeline.sync_return});
  Nanoseconds latest_end = works.front().begin;
  tiling.add(Part::launch_latency, timeline.start, latest_end);
  for (const Interval& at : works) {
    const Nanoseconds idle = std::max<Nanoseconds>(0, at.begin - latest_end);
    const Nanoseconds gap_end = latest_end + std::min(idle, device_gap);
    tiling.add(Part::gap, latest_end, gap_end);
    tiling.add(Part::starved, gap_end, at.begin);
    tiling.add(Part::busy, std::max(latest_end, at.begin), at.end);
    latest_end = std::max(latest_end, at.end);
  }
  tiling.add(Part::completion, latest_end, timeline.sync_return);
  return tiling.take();
}

}  // namespace gvf::profiling
