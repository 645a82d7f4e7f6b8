// Stamps of %globaltimer: see gpu_clock.hpp.
#include <cuda_runtime.h>

#include <stdexcept>

#include "core/error.hpp"
#include "core/launcher.hpp"
#include "profiling/gpu_clock.hpp"

namespace gvf::profiling {

namespace {

__global__ void stamp_kernel(unsigned long long* time) {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  *time = ns;
}

}  // namespace

GpuClock::GpuClock(int stamps) : times_(static_cast<std::size_t>(stamps)), room_(stamps) {}

void GpuClock::stamp(cudaStream_t stream) {
  if (used_ == room_) throw std::logic_error("GpuClock: no room for another stamp");
  StreamLauncher launcher(stream);
  launcher.launch(stamp_kernel, LaunchConfig{}, times_.data() + used_++);
}

std::vector<Nanoseconds> GpuClock::read(cudaStream_t stream) {
  std::vector<unsigned long long> raw(static_cast<std::size_t>(used_));
  GVF_CUDA(
      cudaMemcpyAsync(raw.data(), times_.data(), raw.size() * sizeof raw[0], cudaMemcpyDeviceToHost, stream),
      "reading stamps of the GPU's clock");
  GVF_CUDA(cudaStreamSynchronize(stream), "reading stamps of the GPU's clock");
  used_ = 0;
  return {raw.begin(), raw.end()};
}

}  // namespace gvf::profiling
