// The SM clock and what holds it back, from NVML where it is there.
#pragma once

#include <optional>
#include <string>

#include "profiling/nvml.hpp"

namespace gvf::study {

class SmClock {
 public:
  // Says on stderr why there is none, once; mhz() is then 0.
  SmClock();
  [[nodiscard]] double mhz() const;
  [[nodiscard]] std::string throttle_reasons() const;  // comma-separated; empty: none, or no NVML

 private:
  std::optional<profiling::Nvml> nvml_;
};

// What a row across which the clock moved by more than 2 % carries; empty where it did not, or is unknown
// (0).
[[nodiscard]] std::string clock_remark(double mhz_before, double mhz_after,
                                       const std::string& throttle_reasons);

}  // namespace gvf::study
