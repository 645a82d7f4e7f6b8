// The CUPTI calls behind hardware counters, as a second table of function pointers: the host half schedules
// and evaluates metrics, the target half collects them over ranges (range profiler) or over time (PM
// sampling).
#pragma once

#include <cuda.h>
#include <cupti_pmsampling.h>
#include <cupti_profiler_host.h>
#include <cupti_profiler_target.h>
#include <cupti_range_profiler.h>
#include <cupti_target.h>

#include <string>

#include "profiling/cupti_api.hpp"

/// Declares the parameters of a CUPTI call, zeroed and with their size filled in.
#define GVF_CUPTI_PARAMS(Type, name) \
  Type name{};                       \
  name.structSize = Type##_STRUCT_SIZE

namespace gvf::profiling {

struct CounterApi {
  CuptiApi cupti;  ///< result strings, path and version

  // The driver, for the context that is counted.
  decltype(&cuCtxGetCurrent) ctx_get_current = nullptr;
  decltype(&cuDeviceGet) device_get = nullptr;

  // Both profilers.
  decltype(&cuptiProfilerInitialize) profiler_initialize = nullptr;
  decltype(&cuptiProfilerDeInitialize) profiler_deinitialize = nullptr;
  decltype(&cuptiProfilerDeviceSupported) device_supported = nullptr;
  decltype(&cuptiDeviceGetChipName) get_chip_name = nullptr;

  // Host: metrics to a config image, counter data to values.
  decltype(&cuptiProfilerHostInitialize) host_initialize = nullptr;
  decltype(&cuptiProfilerHostDeinitialize) host_deinitialize = nullptr;
  decltype(&cuptiProfilerHostConfigAddMetrics) host_add_metrics = nullptr;
  decltype(&cuptiProfilerHostGetConfigImageSize) host_config_image_size = nullptr;
  decltype(&cuptiProfilerHostGetConfigImage) host_config_image = nullptr;
  decltype(&cuptiProfilerHostGetNumOfPasses) host_passes = nullptr;
  decltype(&cuptiProfilerHostEvaluateToGpuValues) host_evaluate = nullptr;

  // Range profiler.
  decltype(&cuptiProfilerGetCounterAvailability) range_availability = nullptr;
  decltype(&cuptiRangeProfilerEnable) range_enable = nullptr;
  decltype(&cuptiRangeProfilerDisable) range_disable = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataSize) range_data_size = nullptr;
  decltype(&cuptiRangeProfilerCounterDataImageInitialize) range_data_initialize = nullptr;
  decltype(&cuptiRangeProfilerSetConfig) range_set_config = nullptr;
  decltype(&cuptiRangeProfilerStart) range_start = nullptr;
  decltype(&cuptiRangeProfilerStop) range_stop = nullptr;
  decltype(&cuptiRangeProfilerPushRange) range_push = nullptr;
  decltype(&cuptiRangeProfilerPopRange) range_pop = nullptr;
  decltype(&cuptiRangeProfilerDecodeData) range_decode = nullptr;
  decltype(&cuptiRangeProfilerGetCounterDataInfo) range_data_info = nullptr;

  // PM sampling.
  decltype(&cuptiPmSamplingGetCounterAvailability) pm_availability = nullptr;
  decltype(&cuptiPmSamplingEnable) pm_enable = nullptr;
  decltype(&cuptiPmSamplingDisable) pm_disable = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataSize) pm_data_size = nullptr;
  decltype(&cuptiPmSamplingCounterDataImageInitialize) pm_data_initialize = nullptr;
  decltype(&cuptiPmSamplingSetConfig) pm_set_config = nullptr;
  decltype(&cuptiPmSamplingStart) pm_start = nullptr;
  decltype(&cuptiPmSamplingStop) pm_stop = nullptr;
  decltype(&cuptiPmSamplingDecodeData) pm_decode = nullptr;
  decltype(&cuptiPmSamplingGetCounterDataInfo) pm_data_info = nullptr;
  decltype(&cuptiPmSamplingCounterDataGetSampleInfo) pm_sample_info = nullptr;
};

/// load_cupti, then what counters need on top: libcuda, and CUPTI's neighbours libnvperf_host and
/// libnvperf_target, which it asks for by bare name and cannot find by itself.
Result<CounterApi, CuptiProblem> load_counter_api(const DynamicLoader& loader = system_loader());

/// The problem behind a failed call, with what to do to get counters. `call` is its name.
CuptiProblem describe_counters(const CounterApi& api, CUptiResult result, const std::string& call);

}  // namespace gvf::profiling
