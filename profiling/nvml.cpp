// NVML at run time: see nvml.hpp.
#include "profiling/nvml.hpp"

#include <initializer_list>
#include <utility>

namespace gvf::profiling {

namespace {

constexpr const char* soname = "libnvidia-ml.so.1";
constexpr int success = 0;
constexpr int sm_clock = 1;  // NVML_CLOCK_SM

// nvmlClocksEventReason* of nvml.h.
struct NamedReason {
  unsigned long long bit;
  const char* name;
};
constexpr unsigned long long idle = 0x1;
constexpr NamedReason named_reasons[] = {
    {0x2, "applications clocks setting"}, {0x4, "software power cap"},
    {0x8, "hardware slowdown"},           {0x10, "sync boost"},
    {0x20, "software thermal slowdown"},  {0x40, "hardware thermal slowdown"},
    {0x80, "hardware power brake"},       {0x100, "display clock setting"},
};

template <class F>
bool bind(const DynamicLoader& loader, void* handle, F& pointer, std::initializer_list<const char*> names) {
  for (const char* name : names) {
    pointer = reinterpret_cast<F>(loader.find(handle, name));
    if (pointer) return true;
  }
  return false;
}

}  // namespace

Result<NvmlApi> load_nvml(const DynamicLoader& loader) {
  void* handle = loader.open(soname, false);
  if (!handle)
    return Reason{std::string("NVML (") + soname +
                  ") not found: it comes with the driver; clocks and throttling are not recorded"};
  NvmlApi api;
  const char* missing = nullptr;
  const auto need = [&](auto& pointer, std::initializer_list<const char*> names) {
    if (!bind(loader, handle, pointer, names) && !missing) missing = *names.begin();
  };
  need(api.init, {"nvmlInit_v2"});
  need(api.shutdown, {"nvmlShutdown"});
  need(api.error_string, {"nvmlErrorString"});
  need(api.driver_version, {"nvmlSystemGetDriverVersion"});
  need(api.device_by_bus_id, {"nvmlDeviceGetHandleByPciBusId_v2"});
  need(api.device_by_index, {"nvmlDeviceGetHandleByIndex_v2"});
  need(api.clock_mhz, {"nvmlDeviceGetClockInfo"});
  // The second is the name before driver 535.
  need(api.event_reasons,
       {"nvmlDeviceGetCurrentClocksEventReasons", "nvmlDeviceGetCurrentClocksThrottleReasons"});
  if (missing)
    return Reason{std::string("NVML (") + soname + ") has no " + missing +
                  ": clocks and throttling are not recorded"};
  return api;
}

std::vector<std::string> clock_event_names(unsigned long long reasons) {
  std::vector<std::string> names;
  unsigned long long known = idle;
  for (const NamedReason& reason : named_reasons) {
    known |= reason.bit;
    if (reasons & reason.bit) names.emplace_back(reason.name);
  }
  if (reasons & ~known) names.push_back("reason bits " + std::to_string(reasons & ~known));
  return names;
}

Reason Nvml::failure(const char* call, int code) const {
  const char* text = api_.error_string(code);
  return Reason{std::string(call) + " failed: " + (text ? text : "unknown error") + " (" +
                std::to_string(code) + ")"};
}

Result<Nvml> Nvml::open(const NvmlApi& api, const std::string& pci_bus_id) {
  Nvml nvml(api);
  if (const int code = api.init(); code != success) {
    nvml.initialised_ = false;
    return nvml.failure("nvmlInit", code);
  }
  const int code = pci_bus_id.empty() ? api.device_by_index(0, &nvml.device_)
                                      : api.device_by_bus_id(pci_bus_id.c_str(), &nvml.device_);
  if (code != success) return nvml.failure("nvmlDeviceGetHandle", code);
  return nvml;
}

Nvml::Nvml(Nvml&& other) noexcept
    : api_(other.api_), device_(other.device_), initialised_(std::exchange(other.initialised_, false)) {}

Nvml::~Nvml() {
  if (initialised_) (void)api_.shutdown();
}

Result<unsigned> Nvml::sm_clock_mhz() const {
  unsigned mhz = 0;
  if (const int code = api_.clock_mhz(device_, sm_clock, &mhz); code != success)
    return failure("nvmlDeviceGetClockInfo", code);
  return mhz;
}

Result<std::vector<std::string>> Nvml::clock_event_reasons() const {
  unsigned long long reasons = 0;
  if (const int code = api_.event_reasons(device_, &reasons); code != success)
    return failure("nvmlDeviceGetCurrentClocksEventReasons", code);
  return clock_event_names(reasons);
}

Result<std::string> Nvml::driver_version() const {
  char version[96] = {};  // NVML_SYSTEM_DRIVER_VERSION_BUFFER_SIZE is 80
  if (const int code = api_.driver_version(version, sizeof version); code != success)
    return failure("nvmlSystemGetDriverVersion", code);
  return std::string(version);
}

}  // namespace gvf::profiling
