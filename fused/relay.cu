// A relay in one kernel: a barrier of the whole grid stands where each kernel boundary stood.
#include <cuda_runtime.h>

#include "core/error.hpp"
#include "core/programmatic.cuh"
#include "fused/grid_barrier.cuh"
#include "pipelines/relay.cuh"

// Chips before Hopper have no clusters; a kernel for them is not launched there.
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ < 900
#define GVF_CLUSTER_OF(blocks)
#else
#define GVF_CLUSTER_OF(blocks) __cluster_dims__(blocks, 1, 1)
#endif

namespace gvf {
namespace {

struct CooperativeGroupsBarrier {
  __device__ explicit CooperativeGroupsBarrier(unsigned long long*) {}
  __device__ void sync() { cooperative_groups::this_grid().sync(); }
};

// The block that takes a tile is another one in every step: with the same one, nothing would have to wait.
template <RelayWork work, class Barrier>
__device__ __forceinline__ void run_relay(unsigned* words, unsigned long long* arrivals, int steps) {
  Barrier barrier(arrivals);
  for (int step = 0; step < steps; ++step) {
    if constexpr (work == RelayWork::load) {
      relay_step(words, (blockIdx.x + static_cast<unsigned>(step)) % gridDim.x);
    }
    if (step + 1 < steps) barrier.sync();
  }
}

template <RelayWork work, class Barrier>
__global__ void relay_kernel(unsigned* words, unsigned long long* arrivals, int steps) {
  begin_dependent_kernel();
  run_relay<work, Barrier>(words, arrivals, steps);
}

template <RelayWork work, int blocks>
__global__ void GVF_CLUSTER_OF(blocks)
    cluster_kernel(unsigned* words, unsigned long long* arrivals, int steps) {
  begin_dependent_kernel();
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 900
  run_relay<work, ClusterBarrier>(words, arrivals, steps);
#endif
}

using Kernel = void (*)(unsigned*, unsigned long long*, int);

template <RelayWork work>
Kernel kernel_with(Barrier barrier) {
  switch (barrier) {
    case Barrier::cooperative_groups:
      return &relay_kernel<work, CooperativeGroupsBarrier>;
    case Barrier::flat:
      return &relay_kernel<work, FlatBarrier>;
    case Barrier::cluster_2:
      return &cluster_kernel<work, 2>;
    case Barrier::cluster_4:
      return &cluster_kernel<work, 4>;
    case Barrier::cluster_8:
      return &cluster_kernel<work, 8>;
    case Barrier::cluster_16:
      return &cluster_kernel<work, 16>;
  }
  return nullptr;
}

}  // namespace

std::string_view to_string(Barrier barrier) noexcept {
  switch (barrier) {
    case Barrier::cooperative_groups:
      return "cooperative groups";
    case Barrier::flat:
      return "flat";
    case Barrier::cluster_2:
      return "clusters of 2";
    case Barrier::cluster_4:
      return "clusters of 4";
    case Barrier::cluster_8:
      return "clusters of 8";
    case Barrier::cluster_16:
      return "clusters of 16";
  }
  return "?";
}

int cluster_size(Barrier barrier) noexcept {
  switch (barrier) {
    case Barrier::cluster_2:
      return 2;
    case Barrier::cluster_4:
      return 4;
    case Barrier::cluster_8:
      return 8;
    case Barrier::cluster_16:
      return 16;
    default:
      return 1;
  }
}

void enqueue_relay_in_one_kernel(Launcher& launcher, int steps, RelayGrid grid, RelayWork work,
                                 unsigned* words, unsigned long long* arrivals, Barrier barrier) {
  const Kernel kernel = work == RelayWork::load ? kernel_with<RelayWork::load>(barrier)
                                                : kernel_with<RelayWork::empty>(barrier);
  constexpr int portable_blocks = 8;
  if (cluster_size(barrier) > portable_blocks) {
    GVF_CUDA(cudaFuncSetAttribute(reinterpret_cast<const void*>(kernel),
                                  cudaFuncAttributeNonPortableClusterSizeAllowed, 1),
             "allowing clusters of 16 blocks");
  }
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(grid.blocks));
  config.block = dim3(static_cast<unsigned>(grid.threads));
  config.cooperative = true;
  launcher.launch(kernel, config, words, arrivals, steps);
}

}  // namespace gvf
