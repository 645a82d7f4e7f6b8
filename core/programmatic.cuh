// Programmatic dependent launch (PDL), the device half: a kernel that was launched with a programmatic edge
// comes up while its predecessor still runs, and must itself wait before it touches what that one wrote.
#pragma once

#include <cuda_runtime.h>

namespace gvf {

// The two halves, each without effect where there is no programmatic edge. The successor may come up once all
// blocks of this grid have said so, or have ended.
__device__ __forceinline__ void let_successor_come_up() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaTriggerProgrammaticLaunchCompletion();
#endif
}
// Until all predecessors have completed and their writes are visible.
__device__ __forceinline__ void wait_for_predecessors() {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  cudaGridDependencySynchronize();
#endif
}

// First statement of every kernel that goes through a Launcher, in every thread. Waiting comes before any
// access to global memory, reads and writes: a kernel that skipped it would not only see half of its
// predecessor's result, it would also let its own successor, which waits for this kernel alone, start before
// the predecessor's predecessor has ended.
//
// What was written by a predecessor must not be read through `const __restrict__` parameters of the kernel:
// those loads may take the non-coherent path, which promises nothing while a writer overlaps this kernel.
__device__ __forceinline__ void begin_dependent_kernel() {
  let_successor_come_up();
  wait_for_predecessors();
}

}  // namespace gvf
