// What this machine's memory can do: the ceilings that pipelines are held against. Several kernels of each
// kind are tried and the best one is the ceiling, so that a ceiling is not just one more kernel's
// shortcoming.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "core/device.hpp"

namespace gvf::profiling {

struct CeilingTrial {
  std::string kind;    // read, write, copy, l2_read
  std::string kernel;  // which of the kernels tried
  double gbps = 0;     // bytes moved (read plus written) per ns, median of the repetitions
  double spread = 0;   // (p90 - p10) / median of its times
};

struct Ceilings {
  double read_gbps = 0;
  double write_gbps = 0;
  double copy_gbps = 0;  // counts bytes read plus bytes written
  double l2_read_gbps = 0;
  std::int64_t bytes = 0;  // size of each buffer
  std::vector<CeilingTrial> trials;
};

// Takes two buffers of up to 4 GiB (a sixteenth of L2 or more each, a quarter of free memory at most) and
// about a second. Throws CudaError.
[[nodiscard]] Ceilings measure_ceilings(const Device& device);

}  // namespace gvf::profiling
