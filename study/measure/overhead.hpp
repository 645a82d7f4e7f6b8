// What an instrument costs: the same few workloads under each, beside no instrument at all.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gvf::study {

// Under the instrument of this name, in this process, which must be its own: an array of one object a
// workload,
// {"workload", "what", "host_us_per_call", "wall_us", "wall_p10_us", "wall_p90_us"}, "period_us" where a
// steady state of many iterations fits the launch queue, "device_us_per_record" where the instrument records
// the device. Medians, µs. Throws MachineLacks with the instrument's reason.
[[nodiscard]] nlohmann::ordered_json measure_overhead(const std::string& instrument);

}  // namespace gvf::study
