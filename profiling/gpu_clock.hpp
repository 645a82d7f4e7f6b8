// The GPU's own clock, %globaltimer, stamped from within a stream.
#pragma once

#include <cuda_runtime_api.h>

#include <vector>

#include "core/handles.hpp"
#include "profiling/timeline.hpp"

namespace gvf::profiling {

class GpuClock {
 public:
  /// Room for this many stamps. Throws gvf::CudaError.
  explicit GpuClock(int stamps);
  /// Enqueues a kernel of one thread that notes the time; the n-th call writes stamp n. Throws
  /// gvf::CudaError.
  void stamp(cudaStream_t stream);
  /// The stamps since the last read, in order, ns; waits for `stream`.
  std::vector<Nanoseconds> read(cudaStream_t stream);

 private:
  DeviceBuffer<unsigned long long> times_;
  int room_;
  int used_ = 0;
};

}  // namespace gvf::profiling
