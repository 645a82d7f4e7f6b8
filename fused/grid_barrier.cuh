// Barriers for all blocks of a grid, which must be resident at once. They order memory: what any thread wrote
// before one, every thread reads after it.
//
// Both count arrivals in one word of global memory for ever, so that nothing needs a reset; 64 bits do not
// wrap around.
#pragma once

#include <cooperative_groups.h>

#include <cuda/atomic>
#include <utility>

namespace gvf {

using ArrivalCount = cuda::atomic_ref<unsigned long long, cuda::thread_scope_device>;

// Every block counts itself; its ticket tells it which count ends its wait. An addition whose result nobody
// waits for would save a trip to L2, but then blocks poll while others still arrive: on an H200 8 % less at
// 128 blocks, half as much again at 1024.
class FlatBarrier {
 public:
  __device__ explicit FlatBarrier(unsigned long long* arrivals) : arrivals_(*arrivals) {}

  __device__ void sync() {
    __syncthreads();
    if (threadIdx.x == 0) {
      const unsigned long long ticket = arrivals_.fetch_add(1, cuda::memory_order_acq_rel);
      const unsigned long long all_here = (ticket / gridDim.x + 1) * gridDim.x;
      while (arrivals_.load(cuda::memory_order_acquire) < all_here) {
      }
    }
    __syncthreads();
  }

 private:
  ArrivalCount arrivals_;
};

#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
// Two levels: blocks meet their cluster in hardware, and one block of each cluster counts. All blocks poll
// the count, so that a cluster meets once and not twice. To be made before this block's first arrival: until
// then no wait can end, so that the count of the waits before cannot be mistaken.
class ClusterBarrier {
 public:
  __device__ explicit ClusterBarrier(unsigned long long* arrivals)
      : arrivals_(*arrivals),
        clusters_(gridDim.x / cooperative_groups::this_cluster().num_blocks()),
        all_here_(arrivals_.load(cuda::memory_order_relaxed) / clusters_ * clusters_) {}

  __device__ void sync() {
    const auto cluster = cooperative_groups::this_cluster();
    auto arrival = cluster.barrier_arrive();
    const bool counts = cluster.block_rank() == 0;
    if (counts) cluster.barrier_wait(std::move(arrival));
    if (threadIdx.x == 0) {
      if (counts) arrivals_.fetch_add(1, cuda::memory_order_release);
      all_here_ += clusters_;
      while (arrivals_.load(cuda::memory_order_acquire) < all_here_) {
      }
    }
    if (!counts) cluster.barrier_wait(std::move(arrival));  // over by now
    __syncthreads();
  }

 private:
  ArrivalCount arrivals_;
  unsigned clusters_;
  unsigned long long all_here_;
};
#endif

}  // namespace gvf
