// Filling the table of counter calls and naming their failures: see counter_api.hpp.
#include "profiling/counters/counter_api.hpp"

#include <type_traits>

namespace gvf::profiling {

namespace {

constexpr const char* driver_soname = "libcuda.so.1";
constexpr const char* neighbours[] = {"libnvperf_host.so", "libnvperf_target.so"};

template <class F>
void each_driver_symbol(CounterApi& api, F&& symbol) {
  symbol("cuCtxGetCurrent", api.ctx_get_current);
  symbol("cuDeviceGet", api.device_get);
}

template <class F>
void each_cupti_symbol(CounterApi& api, F&& symbol) {
  symbol("cuptiProfilerInitialize", api.profiler_initialize);
  symbol("cuptiProfilerDeInitialize", api.profiler_deinitialize);
  symbol("cuptiProfilerDeviceSupported", api.device_supported);
  symbol("cuptiDeviceGetChipName", api.get_chip_name);
  symbol("cuptiProfilerHostInitialize", api.host_initialize);
  symbol("cuptiProfilerHostDeinitialize", api.host_deinitialize);
  symbol("cuptiProfilerHostConfigAddMetrics", api.host_add_metrics);
  symbol("cuptiProfilerHostGetConfigImageSize", api.host_config_image_size);
  symbol("cuptiProfilerHostGetConfigImage", api.host_config_image);
  symbol("cuptiProfilerHostGetNumOfPasses", api.host_passes);
  symbol("cuptiProfilerHostEvaluateToGpuValues", api.host_evaluate);
  symbol("cuptiProfilerGetCounterAvailability", api.range_availability);
  symbol("cuptiRangeProfilerEnable", api.range_enable);
  symbol("cuptiRangeProfilerDisable", api.range_disable);
  symbol("cuptiRangeProfilerGetCounterDataSize", api.range_data_size);
  symbol("cuptiRangeProfilerCounterDataImageInitialize", api.range_data_initialize);
  symbol("cuptiRangeProfilerSetConfig", api.range_set_config);
  symbol("cuptiRangeProfilerStart", api.range_start);
  symbol("cuptiRangeProfilerStop", api.range_stop);
  symbol("cuptiRangeProfilerPushRange", api.range_push);
  symbol("cuptiRangeProfilerPopRange", api.range_pop);
  symbol("cuptiRangeProfilerDecodeData", api.range_decode);
  symbol("cuptiRangeProfilerGetCounterDataInfo", api.range_data_info);
  symbol("cuptiPmSamplingGetCounterAvailability", api.pm_availability);
  symbol("cuptiPmSamplingEnable", api.pm_enable);
  symbol("cuptiPmSamplingDisable", api.pm_disable);
  symbol("cuptiPmSamplingGetCounterDataSize", api.pm_data_size);
  symbol("cuptiPmSamplingCounterDataImageInitialize", api.pm_data_initialize);
  symbol("cuptiPmSamplingSetConfig", api.pm_set_config);
  symbol("cuptiPmSamplingStart", api.pm_start);
  symbol("cuptiPmSamplingStop", api.pm_stop);
  symbol("cuptiPmSamplingDecodeData", api.pm_decode);
  symbol("cuptiPmSamplingGetCounterDataInfo", api.pm_data_info);
  symbol("cuptiPmSamplingCounterDataGetSampleInfo", api.pm_sample_info);
}

const char* remedy(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return "this virtual GPU was set up without profiling: its host has to allow it (enable_profiling)";
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
      return "a virtual GPU has no counters here: run on bare metal or with the whole GPU passed through";
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
      return "a MIG instance has no counters here: run on the whole GPU";
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
      return "no counters under this WSL: run on native Linux";
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
      return "confidential computing hides the counters: run with it switched off";
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return "this CUPTI does not know the chip: a newer one may, see GVF_CUPTI_LIBRARY";
    default:
      break;
  }
  switch (classify(result)) {
    case Degraded::no_permission:
      return "the driver lets only administrators read counters: load it with "
             "NVreg_RestrictProfilingToAdminUsers=0, or run as root or with CAP_SYS_ADMIN (a container: "
             "--cap-add SYS_ADMIN); see developer.nvidia.com/ERR_NVGPUCTRPERM";
    case Degraded::other_tool:
      return "another profiler (ncu, nsys with GPU metrics, DCGM) holds the counters: end it (DCGM: dcgmi "
             "profile --pause)";
    case Degraded::not_initialized:
      return "there is no usable driver or GPU in this process";
    case Degraded::unsupported_device:
      return "this device or environment has no counters";
    default:
      return "nothing is known about it";
  }
}

}  // namespace

CuptiProblem describe_counters(const CounterApi& api, CUptiResult result, const std::string& call) {
  const char* name = nullptr;
  if (!api.cupti.get_result_string || api.cupti.get_result_string(result, &name) != CUPTI_SUCCESS || !name)
    name = "unknown";
  return {classify(result), call + " failed with " + name + " (" + std::to_string(static_cast<int>(result)) +
                                "): " + remedy(result) + "; bytes come from the model only"};
}

Result<CounterApi, CuptiProblem> load_counter_api(const DynamicLoader& loader) {
  auto cupti = load_cupti(loader);
  if (!cupti) return cupti.reason();
  CounterApi api;
  api.cupti = std::move(cupti).value();

  // Absent ones are left to the loader's own search; a profiler that still misses them says so when it
  // starts.
  if (const auto slash = api.cupti.path.rfind('/'); slash != std::string::npos)
    for (const char* neighbour : neighbours)
      loader.open(api.cupti.path.substr(0, slash + 1) + neighbour, false);

  std::string missing;
  const auto bind_from = [&](void* handle) {
    return [&loader, &missing, handle](const char* name, auto& pointer) {
      pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(loader.find(handle, name));
      if (!pointer && missing.empty()) missing = name;
    };
  };
  void* driver = loader.open(driver_soname, false);
  if (!driver)
    return CuptiProblem{Degraded::library_absent,
                        std::string(driver_soname) + " not found: counters need the NVIDIA driver"};
  each_driver_symbol(api, bind_from(driver));
  void* handle = loader.open(api.cupti.path, false);
  if (!handle)
    return CuptiProblem{Degraded::library_absent, "CUPTI at " + api.cupti.path + " cannot be opened again"};
  each_cupti_symbol(api, bind_from(handle));
  if (!missing.empty())
    return CuptiProblem{Degraded::symbol_missing,
                        (missing.rfind("cupti", 0) == 0 ? "CUPTI at " + api.cupti.path : driver_soname) +
                            " has no " + missing +
                            ": counters need a driver and a CUPTI of CUDA 13; set GVF_CUPTI_LIBRARY to one"};
  return api;
}

}  // namespace gvf::profiling
