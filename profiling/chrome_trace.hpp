// Timelines as Chrome trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing. From top to bottom:
// the iterations, the parts of each, the host's calls, the works of each stream, the memory bandwidth; an
// arrow from each launch to the first work that it put on the device.
#pragma once

#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

/// Bandwidth of the device's memory from `at` to the next sample; `at` is in the clock of the timelines.
struct BandwidthSample {
  Nanoseconds at = 0;
  double gbps = 0;
  const char* track = "memory bandwidth";  ///< samples of one name are one counter
};

struct ChromeTraceOptions {
  /// The calibrated device gap of this kind of edge, as for `account`; without it there are no parts.
  std::optional<Nanoseconds> device_gap;
  std::vector<BandwidthSample> bandwidth;
};

/// {"traceEvents": [...], "displayTimeUnit": "ns", "otherData": {"name": name}}. Times are µs from the
/// earliest record and exact to the ns (`trace_us`). `name` is the variant's. Timelines are in order of time;
/// one that `find_fault` refuses, or that starts before the one before has returned, is the reason why there
/// is no trace.
Result<nlohmann::json> chrome_trace(const std::string& name, const std::vector<Timeline>& timelines,
                                    const ChromeTraceOptions& options = {});

}  // namespace gvf::profiling
