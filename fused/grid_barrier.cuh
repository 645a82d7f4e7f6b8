// Barriers for all blocks of a grid, which must be resident at once. Both order memory: what any thread wrote
// before one, every thread reads after it.
#pragma once

#include <cooperative_groups.h>

#include <cuda/atomic>

namespace gvf {

// `arrivals` counts for ever, so that it never needs a reset: the turn that a block waits for follows from
// its own ticket. 64 bits do not wrap around.
class ArrivalCounter {
 public:
  __device__ ArrivalCounter(unsigned long long* arrivals, unsigned participants)
      : arrivals_(*arrivals), participants_(participants) {}

  // By one thread of each participant.
  __device__ void arrive_and_wait() {
    const unsigned long long ticket = arrivals_.fetch_add(1, cuda::memory_order_acq_rel);
    const unsigned long long all_here = (ticket / participants_ + 1) * participants_;
    while (arrivals_.load(cuda::memory_order_acquire) < all_here) {
    }
  }

 private:
  cuda::atomic_ref<unsigned long long, cuda::thread_scope_device> arrivals_;
  unsigned participants_;
};

// Every block counts itself.
__device__ __forceinline__ void flat_grid_barrier(unsigned long long* arrivals) {
  __syncthreads();
  if (threadIdx.x == 0) ArrivalCounter(arrivals, gridDim.x).arrive_and_wait();
  __syncthreads();
}

// Two levels: the hardware's barrier within a cluster, the counter among clusters. A sixteenth of the atomics
// where clusters are of sixteen blocks, for two waits more.
__device__ __forceinline__ void cluster_grid_barrier([[maybe_unused]] unsigned long long* arrivals) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 900
  const auto cluster = cooperative_groups::this_cluster();
  const unsigned clusters = gridDim.x / cluster.num_blocks();
  cluster.sync();
  if (cluster.block_rank() == 0 && threadIdx.x == 0) ArrivalCounter(arrivals, clusters).arrive_and_wait();
  cluster.sync();
#endif
}

}  // namespace gvf
