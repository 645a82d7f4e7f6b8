// A relay with a kernel for every step.
#include <cuda_runtime.h>

#include "core/programmatic.cuh"
#include "pipelines/relay.cuh"

namespace gvf {
namespace {

template <RelayWork work>
__global__ void relay_kernel(unsigned* words) {
  begin_dependent_kernel();
  if constexpr (work == RelayWork::load) relay_step(words, blockIdx.x);
}

}  // namespace

void enqueue_relay(Launcher& launcher, int steps, RelayGrid grid, RelayWork work, unsigned* words) {
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(grid.blocks));
  config.block = dim3(static_cast<unsigned>(grid.threads));
  auto* kernel = work == RelayWork::load ? &relay_kernel<RelayWork::load> : &relay_kernel<RelayWork::empty>;
  for (int step = 0; step < steps; ++step) launcher.launch(kernel, config, words);
}

}  // namespace gvf
