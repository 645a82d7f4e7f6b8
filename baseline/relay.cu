// A relay with a kernel for every step.
#include <cuda_runtime.h>

#include "core/programmatic.cuh"
#include "pipelines/relay.cuh"

namespace gvf {
namespace {

template <RelayWork work>
__global__ void relay_kernel(unsigned* words) {
  if constexpr (work != RelayWork::bare) begin_dependent_kernel();
  if constexpr (work == RelayWork::load) relay_step(words, blockIdx.x);
}

auto* kernel_of(RelayWork work) {
  switch (work) {
    case RelayWork::load:
      return &relay_kernel<RelayWork::load>;
    case RelayWork::empty:
      return &relay_kernel<RelayWork::empty>;
    default:
      return &relay_kernel<RelayWork::bare>;
  }
}

}  // namespace

void enqueue_relay(Launcher& launcher, int steps, RelayGrid grid, RelayWork work, unsigned* words) {
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(grid.blocks));
  config.block = dim3(static_cast<unsigned>(grid.threads));
  auto* kernel = kernel_of(work);
  for (int step = 0; step < steps; ++step) launcher.launch(kernel, config, words);
}

}  // namespace gvf
