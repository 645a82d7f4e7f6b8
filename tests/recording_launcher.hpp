// A submission that runs nothing: it writes down what a pipeline enqueues. That it exists here, and that no
// pipeline had to know of it, is the proof that a new submission needs no change in a pipeline.
#pragma once

#include <functional>
#include <set>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/launcher.hpp"

namespace gvf::tests {

struct RecordedLaunch {
  const void* function = nullptr;
  LaunchConfig config;
  std::size_t argument_count = 0;
};

class RecordingLauncher : public Launcher {
 public:
  std::vector<RecordedLaunch> kernels;
  std::vector<std::string> libraries;
  std::set<int> lanes;
  std::vector<std::size_t> intermediates;  // bytes of each that was asked for

  void begin_lane(int lane) override { lanes.insert(lane); }
  [[nodiscard]] int launches() const { return static_cast<int>(kernels.size() + libraries.size()); }

 protected:
  void* place_intermediate(void* own, std::size_t bytes) override {
    intermediates.push_back(bytes);
    return own;
  }
  void submit(const KernelLaunch& launch) override {
    kernels.push_back({launch.function, launch.config, launch.argument_count});
  }
  void submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& /*call*/) override {
    libraries.emplace_back(what);
  }
};

// A GPU that is described and not present.
inline Device described_device() {
  Device device;
  device.ordinal = -1;
  device.name = "a described GPU";
  device.sm_count = 132;
  device.max_threads_per_sm = 2048;
  device.l2_bytes = std::int64_t{60} << 20;
  device.cooperative_launch = true;
  return device;
}

}  // namespace gvf::tests
