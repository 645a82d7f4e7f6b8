// Where each of the five parts of an iteration lies in time: the account of timeline.hpp, drawn instead of
// added up.
#pragma once

#include <string_view>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

enum class Part { launch_latency, gap, starved, busy, completion };
std::string_view to_string(Part part);

struct PartInterval {
  Part part = Part::busy;
  Interval at;
  bool operator==(const PartInterval&) const = default;
};

/// Tiles [start, sync_return] with parts, in order of time: lengths add up to the wall exactly, and part by
/// part to `account`. In an idle time the gap comes first: a host that is early enough leaves that much.
/// Where the clocks of host and device disagree (launch latency or completion negative), the parts are cut at
/// the iteration's edges. Refuses what `account` refuses.
Result<std::vector<PartInterval>> part_intervals(const Timeline& timeline, Nanoseconds device_gap);

}  // namespace gvf::profiling
