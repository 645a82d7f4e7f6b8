// What the kernels choose their shape from: one GPU's limits, probed once. Also describable without a GPU,
// so that launch shapes are tested on any machine.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <variant>

namespace gvf {

struct Device {
  int ordinal = -1;  // -1: described only, not present
  std::string name;
  int sm_count = 0;
  int max_threads_per_sm = 0;
  int compute_major = 0;
  int compute_minor = 0;
  std::int64_t l2_bytes = 0;
  std::int64_t memory_bytes = 0;
  double memory_gbps = 0;  // what bus width and clock promise; 0: unknown
  bool cooperative_launch = false;

  [[nodiscard]] bool present() const noexcept { return ordinal >= 0; }
};

struct NoDevice {
  std::string reason;  // one line: what is missing and what to do
};

// Device 0 (or what CUDA_VISIBLE_DEVICES selects) made current, or why there is none. Never throws for
// absence.
[[nodiscard]] std::variant<Device, NoDevice> probe_device();

// Gives up this process's context, for programs whose children are to have the GPU to themselves.
void release_device();

// Driver and runtime versions as CUDA encodes them (13000 = 13.0); 0 where there is no driver.
struct CudaVersions {
  int driver = 0;
  int runtime = 0;
};
[[nodiscard]] CudaVersions cuda_versions() noexcept;

[[nodiscard]] std::int64_t free_device_bytes();

// How many blocks of `kernel` an SM holds at once, at least 1. For a device that is only described it is the
// bound set by threads alone.
[[nodiscard]] int resident_blocks_per_sm(const Device& device, const void* kernel, int threads_per_block,
                                         std::size_t shared_bytes = 0);

// The same for a whole device: the largest grid whose blocks all run at once.
[[nodiscard]] int resident_blocks(const Device& device, const void* kernel, int threads_per_block,
                                  std::size_t shared_bytes = 0);

}  // namespace gvf
