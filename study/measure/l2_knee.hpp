// Where L2 ends: a read that is repeated over ever larger working sets, by counters and by clock.
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>
#include <optional>
#include <vector>

namespace gvf::study {

struct KneePoint {
  std::int64_t bytes = 0;    // read by each iteration, the same ones
  double dram_fraction = 0;  // of them, what DRAM delivered
  double gbps = 0;           // bytes / period
};

struct Knee {
  std::optional<std::int64_t>
      resident_up_to_bytes;  // the largest working set that DRAM sees next to nothing of
  std::optional<std::int64_t> streaming_from_bytes;  // the smallest that DRAM sees next to all of
};
// Points in order of size; "next to" is ByteTolerance's tenth (profiling/counters/byte_check.hpp).
[[nodiscard]] Knee knee_of(const std::vector<KneePoint>& points);

// In this process, which must be its own: {"points": [{"bytes", "dram_fraction", "gbps"}],
// "resident_up_to_bytes", "streaming_from_bytes"}. Throws MachineLacks where this GPU cannot be counted.
[[nodiscard]] nlohmann::ordered_json measure_l2_knee();

}  // namespace gvf::study
