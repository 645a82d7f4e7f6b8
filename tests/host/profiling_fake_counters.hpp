// The counter half of CUPTI made of plain functions over one global script: which metrics the chip has, what
// they read, how many passes they take, which call fails; and a log of what was called.
#pragma once

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "profiling/counters/counter_api.hpp"
#include "tests/host/profiling_fake_cupti.hpp"

namespace gvf::tests {

struct FakeSample {
  std::uint64_t begin = 0, end = 0;
  std::map<std::string, double> values;  // by metric name
};

struct FakeCounters {
  std::map<std::string, CUptiResult> fail;  // call -> what it returns
  std::set<std::string> metrics{"dram__bytes_read.sum",       "dram__bytes_write.sum",
                                "lts__t_bytes.sum",           "lts__t_sectors_srcunit_tex.sum",
                                "lts__t_sectors_op_read.sum", "lts__t_sectors_op_write.sum",
                                "gpu__time_duration.sum"};
  std::map<std::string, double> values;  // of the one range; absent: 0
  std::string chip = "GH100";
  std::size_t passes = 1;
  std::size_t passes_asked_for = 1;  // differs from `passes` where CUPTI contradicts itself
  std::size_t ranges = 1, dropped = 0;
  bool context = true;
  CUpti_Profiler_DeviceSupported_Params support = all_supported();
  std::vector<FakeSample> samples;
  std::size_t samples_per_decode = 1000;
  bool overflow = false;

  // What happened.
  std::vector<std::string> calls;  // of the target half
  int hosts_alive = 0;
  std::size_t passes_done = 0;
  std::size_t decoded = 0, decoded_before = 0;  // samples
  std::vector<std::string> scheduled;           // in the last call of add_metrics
  std::string range;

  static CUpti_Profiler_DeviceSupported_Params all_supported() {
    CUpti_Profiler_DeviceSupported_Params p{};
    p.isSupported = p.architecture = p.sli = p.vGpu = p.confidentialCompute = p.cmp = p.wsl =
        CUPTI_PROFILER_CONFIGURATION_SUPPORTED;
    return p;
  }
  std::size_t count(const std::string& call) const {
    return static_cast<std::size_t>(std::count(calls.begin(), calls.end(), call));
  }
};

inline FakeCounters& counters() {
  static FakeCounters the;
  return the;
}

// Logs the call and says what it returns.
inline CUptiResult called(const std::string& call) {
  counters().calls.push_back(call);
  const auto found = counters().fail.find(call);
  return found == counters().fail.end() ? CUPTI_SUCCESS : found->second;
}

inline profiling::CounterApi fake_counter_api() {
  profiling::CounterApi api;
  api.cupti = fake_api();
  api.ctx_get_current = [](CUcontext* context) {
    *context = counters().context ? reinterpret_cast<CUcontext>(&counters()) : nullptr;
    return CUDA_SUCCESS;
  };
  api.device_get = [](CUdevice* device, int ordinal) {
    *device = ordinal;
    return CUDA_SUCCESS;
  };
  api.profiler_initialize = [](CUpti_Profiler_Initialize_Params*) { return called("initialize"); };
  api.profiler_deinitialize = [](CUpti_Profiler_DeInitialize_Params*) { return called("deinitialize"); };
  api.device_supported = [](CUpti_Profiler_DeviceSupported_Params* p) {
    const auto& s = counters().support;
    p->isSupported = s.isSupported;
    p->architecture = s.architecture;
    p->sli = s.sli;
    p->vGpu = s.vGpu;
    p->confidentialCompute = s.confidentialCompute;
    p->cmp = s.cmp;
    p->wsl = s.wsl;
    return called("device_supported");
  };
  api.get_chip_name = [](CUpti_Device_GetChipName_Params* p) {
    p->pChipName = counters().chip.c_str();
    return called("get_chip_name");
  };

  api.host_initialize = [](CUpti_Profiler_Host_Initialize_Params* p) {
    const CUptiResult status = called("host_initialize");
    if (status != CUPTI_SUCCESS) return status;
    ++counters().hosts_alive;
    p->pHostObject = reinterpret_cast<CUpti_Profiler_Host_Object*>(&counters());
    return status;
  };
  api.host_deinitialize = [](CUpti_Profiler_Host_Deinitialize_Params*) {
    --counters().hosts_alive;
    return CUPTI_SUCCESS;
  };
  api.host_add_metrics = [](CUpti_Profiler_Host_ConfigAddMetrics_Params* p) {
    counters().scheduled.assign(p->ppMetricNames, p->ppMetricNames + p->numMetrics);
    for (const std::string& name : counters().scheduled)
      if (!counters().metrics.count(name)) return CUPTI_ERROR_INVALID_PARAMETER;
    return counters().scheduled.size() == 1 ? CUPTI_SUCCESS : called("add_metrics");
  };
  api.host_config_image_size = [](CUpti_Profiler_Host_GetConfigImageSize_Params* p) {
    p->configImageSize = 1664;
    return called("config_image_size");
  };
  api.host_config_image = [](CUpti_Profiler_Host_GetConfigImage_Params*) { return called("config_image"); };
  api.host_passes = [](CUpti_Profiler_Host_GetNumOfPasses_Params* p) {
    p->numOfPasses = counters().passes;
    return called("passes");
  };
  api.host_evaluate = [](CUpti_Profiler_Host_EvaluateToGpuValues_Params* p) {
    const auto& samples = counters().samples;
    const auto& values =
        samples.empty() ? counters().values : samples.at(counters().decoded_before + p->rangeIndex).values;
    for (std::size_t i = 0; i < p->numMetrics; ++i) {
      const auto found = values.find(p->ppMetricNames[i]);
      p->pMetricValues[i] = found == values.end() ? 0 : found->second;
    }
    return called("evaluate");
  };

  api.range_availability = [](CUpti_Profiler_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 128;
    return called("range_availability");
  };
  api.range_enable = [](CUpti_RangeProfiler_Enable_Params* p) {
    p->pRangeProfilerObject = reinterpret_cast<CUpti_RangeProfiler_Object*>(&counters());
    counters().passes_done = 0;
    return called("range_enable");
  };
  api.range_disable = [](CUpti_RangeProfiler_Disable_Params*) { return called("range_disable"); };
  api.range_data_size = [](CUpti_RangeProfiler_GetCounterDataSize_Params* p) {
    p->counterDataSize = 4096;
    return called("range_data_size");
  };
  api.range_data_initialize = [](CUpti_RangeProfiler_CounterDataImage_Initialize_Params*) {
    return called("range_data_initialize");
  };
  api.range_set_config = [](CUpti_RangeProfiler_SetConfig_Params* p) {
    const bool user = p->range == CUPTI_UserRange && p->replayMode == CUPTI_UserReplay;
    const CUptiResult status = called("range_set_config");
    return user ? status : CUPTI_ERROR_INVALID_PARAMETER;
  };
  api.range_start = [](CUpti_RangeProfiler_Start_Params*) { return called("range_start"); };
  api.range_stop = [](CUpti_RangeProfiler_Stop_Params* p) {
    p->isAllPassSubmitted = ++counters().passes_done >= counters().passes_asked_for;
    return called("range_stop");
  };
  api.range_push = [](CUpti_RangeProfiler_PushRange_Params* p) {
    counters().range = p->pRangeName;
    return called("range_push");
  };
  api.range_pop = [](CUpti_RangeProfiler_PopRange_Params*) { return called("range_pop"); };
  api.range_decode = [](CUpti_RangeProfiler_DecodeData_Params* p) {
    p->numOfRangeDropped = counters().dropped;
    return called("range_decode");
  };
  api.range_data_info = [](CUpti_RangeProfiler_GetCounterDataInfo_Params* p) {
    p->numTotalRanges = counters().ranges;
    return called("range_data_info");
  };

  api.pm_availability = [](CUpti_PmSampling_GetCounterAvailability_Params* p) {
    p->counterAvailabilityImageSize = 128;
    return called("pm_availability");
  };
  api.pm_enable = [](CUpti_PmSampling_Enable_Params* p) {
    p->pPmSamplingObject = reinterpret_cast<CUpti_PmSampling_Object*>(&counters());
    return called("pm_enable");
  };
  api.pm_disable = [](CUpti_PmSampling_Disable_Params*) { return called("pm_disable"); };
  api.pm_data_size = [](CUpti_PmSampling_GetCounterDataSize_Params* p) {
    p->counterDataSize = 4096;
    return called("pm_data_size");
  };
  api.pm_data_initialize = [](CUpti_PmSampling_CounterDataImage_Initialize_Params*) {
    counters().decoded_before = counters().decoded;
    return called("pm_data_initialize");
  };
  api.pm_set_config = [](CUpti_PmSampling_SetConfig_Params*) { return called("pm_set_config"); };
  api.pm_start = [](CUpti_PmSampling_Start_Params*) { return called("pm_start"); };
  api.pm_stop = [](CUpti_PmSampling_Stop_Params*) { return called("pm_stop"); };
  api.pm_decode = [](CUpti_PmSampling_DecodeData_Params* p) {
    const std::size_t left = counters().samples.size() - counters().decoded;
    counters().decoded += std::min(left, counters().samples_per_decode);
    p->decodeStopReason = left > counters().samples_per_decode
                              ? CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL
                              : CUPTI_PM_SAMPLING_DECODE_STOP_REASON_END_OF_RECORDS;
    p->overflow = counters().overflow;
    return called("pm_decode");
  };
  api.pm_data_info = [](CUpti_PmSampling_GetCounterDataInfo_Params* p) {
    p->numCompletedSamples = counters().decoded - counters().decoded_before;
    return called("pm_data_info");
  };
  api.pm_sample_info = [](CUpti_PmSampling_CounterData_GetSampleInfo_Params* p) {
    const FakeSample& sample = counters().samples.at(counters().decoded_before + p->sampleIndex);
    p->startTimestamp = sample.begin;
    p->endTimestamp = sample.end;
    return called("pm_sample_info");
  };
  return api;
}

}  // namespace gvf::tests
