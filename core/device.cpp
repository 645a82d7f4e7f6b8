// Implements core/device.hpp.
#include "core/device.hpp"

#include <cuda_runtime_api.h>
#include <fmt/format.h>

#include <algorithm>

#include "core/error.hpp"

namespace gvf {

std::variant<Device, NoDevice> probe_device() {
  int count = 0;
  const cudaError_t status = cudaGetDeviceCount(&count);
  if (status != cudaSuccess || count == 0) {
    static_cast<void>(cudaGetLastError());
    const cudaError_t why = status == cudaSuccess ? cudaErrorNoDevice : status;
    return NoDevice{fmt::format("no usable GPU: {} ({}); {}", cudaGetErrorName(why), cudaGetErrorString(why),
                                cuda_remedy(why).empty() ? "check nvidia-smi" : cuda_remedy(why))};
  }
  cudaDeviceProp properties{};
  GVF_CUDA(cudaGetDeviceProperties(&properties, 0), "reading the properties of device 0");
  // Synchronisation spins: how a thread waits is part of every wall time, so it is the same everywhere.
  GVF_CUDA(cudaSetDeviceFlags(cudaDeviceScheduleSpin), "choosing how synchronisation waits");
  if (const cudaError_t usable = cudaSetDevice(0); usable != cudaSuccess) {
    static_cast<void>(cudaGetLastError());
    return NoDevice{fmt::format("{} cannot be used: {}; is another process holding it exclusively?",
                                properties.name, cudaGetErrorString(usable))};
  }
  Device device;
  device.ordinal = 0;
  device.name = properties.name;
  device.sm_count = properties.multiProcessorCount;
  device.max_threads_per_sm = properties.maxThreadsPerMultiProcessor;
  device.compute_major = properties.major;
  device.compute_minor = properties.minor;
  device.l2_bytes = properties.l2CacheSize;
  device.memory_bytes = static_cast<std::int64_t>(properties.totalGlobalMem);
  device.cooperative_launch = properties.cooperativeLaunch != 0;
  int clock_khz = 0;
  int bus_bits = 0;
  GVF_CUDA(cudaDeviceGetAttribute(&clock_khz, cudaDevAttrMemoryClockRate, 0), "reading the memory clock");
  GVF_CUDA(cudaDeviceGetAttribute(&bus_bits, cudaDevAttrGlobalMemoryBusWidth, 0), "reading the bus width");
  device.memory_gbps = 2e3 * clock_khz * (bus_bits / 8) * 1e-9;  // two transfers a clock
  return device;
}

void release_device() {
  GVF_CUDA(cudaDeviceReset(), "leaving the GPU to other processes");
}

CudaVersions cuda_versions() noexcept {
  CudaVersions versions;
  if (cudaDriverGetVersion(&versions.driver) != cudaSuccess) versions.driver = 0;
  if (cudaRuntimeGetVersion(&versions.runtime) != cudaSuccess) versions.runtime = 0;
  static_cast<void>(cudaGetLastError());
  return versions;
}

std::int64_t free_device_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  GVF_CUDA(cudaMemGetInfo(&free, &total), "reading free device memory");
  return static_cast<std::int64_t>(free);
}

int resident_blocks_per_sm(const Device& device, const void* kernel, int threads_per_block,
                           std::size_t shared_bytes) {
  if (!device.present()) return std::max(1, device.max_threads_per_sm / threads_per_block);
  int blocks = 0;
  GVF_CUDA(cudaOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, kernel, threads_per_block, shared_bytes),
           "computing the occupancy of a kernel");
  return std::max(1, blocks);
}

int resident_blocks(const Device& device, const void* kernel, int threads_per_block,
                    std::size_t shared_bytes) {
  return device.sm_count * resident_blocks_per_sm(device, kernel, threads_per_block, shared_bytes);
}

}  // namespace gvf
