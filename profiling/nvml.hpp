// Clock, throttle reasons and driver version from NVML, opened at run time: nothing to link, nothing to
// install.
#pragma once

#include <string>
#include <vector>

#include "profiling/dynamic_library.hpp"
#include "profiling/result.hpp"

namespace gvf::profiling {

/// The NVML calls in use, with the types of nvml.h spelled out: the header comes with few toolkits.
struct NvmlApi {
  using Device = struct nvmlDevice_st*;
  int (*init)() = nullptr;
  int (*shutdown)() = nullptr;
  const char* (*error_string)(int) = nullptr;
  int (*driver_version)(char* version, unsigned length) = nullptr;
  int (*device_by_bus_id)(const char* bus_id, Device* device) = nullptr;
  int (*device_by_index)(unsigned index, Device* device) = nullptr;
  int (*clock_mhz)(Device device, int clock_type, unsigned* mhz) = nullptr;
  int (*event_reasons)(Device device, unsigned long long* reasons) = nullptr;
};

Result<NvmlApi> load_nvml(const DynamicLoader& loader = system_loader());

/// Names of the reasons why clocks are below the maximum, without the harmless "idle"; empty: none.
std::vector<std::string> clock_event_names(unsigned long long reasons);

/// One GPU, NVML initialised for as long as it lives.
class Nvml {
 public:
  /// `pci_bus_id` as cudaDeviceGetPCIBusId spells it; empty: the first GPU.
  static Result<Nvml> open(const NvmlApi& api, const std::string& pci_bus_id = "");
  Nvml(Nvml&& other) noexcept;
  Nvml& operator=(Nvml&&) = delete;
  ~Nvml();

  Result<unsigned> sm_clock_mhz() const;
  Result<std::vector<std::string>> clock_event_reasons() const;
  Result<std::string> driver_version() const;

 private:
  explicit Nvml(const NvmlApi& api) : api_(api) {}
  Reason failure(const char* call, int code) const;

  NvmlApi api_;
  NvmlApi::Device device_ = nullptr;
  bool initialised_ = true;
};

}  // namespace gvf::profiling
