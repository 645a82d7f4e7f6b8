// Timelines as Chrome trace events, for Perfetto (ui.perfetto.dev) and chrome://tracing: a host track for
// calls, a track per stream for device work, arrows from each call to the works it submitted.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

/// {"traceEvents": [...], "displayTimeUnit": "ns", "otherData": {"name": name}}. Times are µs from the first
/// iteration's start. A timeline that `find_fault` refuses is the reason.
Result<nlohmann::json> chrome_trace(const std::string& name, const std::vector<Timeline>& timelines);

}  // namespace gvf::profiling
