// What both profilers ask of the device: see counter_target.hpp.
#include "profiling/counters/counter_target.hpp"

#include <utility>

#include "profiling/cupti_lock.hpp"

namespace gvf::profiling {

namespace {

// The first of CUPTI's flags that rules counters out, in words; empty where it names none.
std::string why_unsupported(const CUpti_Profiler_DeviceSupported_Params& support) {
  struct Flag {
    CUpti_Profiler_Support_Level level;
    const char* reason;
  };
  const Flag flags[] = {
      {support.architecture, "its architecture is not supported"},
      {support.sli, "SLI is enabled"},
      {support.vGpu, "it is a virtual GPU without profiling"},
      {support.confidentialCompute, "confidential computing is enabled"},
      {support.cmp, "it is a mining processor"},
      {support.wsl, "this WSL does not support it"},
  };
  for (const Flag& flag : flags) {
    if (flag.level == CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED) return flag.reason;
    if (flag.level == CUPTI_PROFILER_CONFIGURATION_DISABLED)
      return std::string(flag.reason) + " (supported, but disabled by the system)";
  }
  return "CUPTI does not say why";
}

}  // namespace

Result<CounterTarget, CuptiProblem> CounterTarget::open(const CounterApi& api, int device,
                                                        CUpti_Profiler_API profiler) {
  if (cupti_session_open().exchange(true)) return cupti_session_is_open();
  CounterTarget target(api);  // from here on, its destructor clears up
  if (auto problem = target.probe(device, profiler)) return *problem;
  return target;
}

std::optional<CuptiProblem> CounterTarget::probe(int device, CUpti_Profiler_API profiler) {
  // First of all: without a driver CUPTI 13.0 does not fail cuptiDeviceGetChipName, it crashes.
  CUdevice handle = 0;
  if (api_->ctx_get_current(&context_) != CUDA_SUCCESS || !context_ ||
      api_->device_get(&handle, device) != CUDA_SUCCESS)
    return CuptiProblem{Degraded::not_initialized,
                        "counters need a CUDA context of device " + std::to_string(device) +
                            " that is current in this thread: make one first, such as by cudaFree(nullptr)"};
  device_ = static_cast<std::size_t>(device);

  GVF_CUPTI_PARAMS(CUpti_Profiler_Initialize_Params, initialize);
  if (const CUptiResult status = api_->profiler_initialize(&initialize); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerInitialize");
  initialised_ = true;

  GVF_CUPTI_PARAMS(CUpti_Profiler_DeviceSupported_Params, support);
  support.cuDevice = handle;
  support.api = profiler;
  if (const CUptiResult status = api_->device_supported(&support); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerDeviceSupported");
  if (support.isSupported != CUPTI_PROFILER_CONFIGURATION_SUPPORTED)
    return CuptiProblem{Degraded::unsupported_device, "device " + std::to_string(device) +
                                                          " cannot be counted: " + why_unsupported(support) +
                                                          "; bytes come from the model only"};

  GVF_CUPTI_PARAMS(CUpti_Device_GetChipName_Params, chip);
  chip.deviceIndex = device_;
  if (const CUptiResult status = api_->get_chip_name(&chip); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiDeviceGetChipName");
  chip_ = chip.pChipName ? chip.pChipName : "";
  return read_availability(profiler);
}

// Asked twice, for the size and then for the image. The first call that needs permission for counters.
std::optional<CuptiProblem> CounterTarget::read_availability(CUpti_Profiler_API profiler) {
  for (int round = 0; round < 2; ++round) {
    CUptiResult status = CUPTI_SUCCESS;
    std::size_t bytes = availability_.size();
    std::uint8_t* image = availability_.empty() ? nullptr : availability_.data();
    if (profiler == CUPTI_PROFILER_PM_SAMPLING) {
      GVF_CUPTI_PARAMS(CUpti_PmSampling_GetCounterAvailability_Params, params);
      params.deviceIndex = device_;
      params.counterAvailabilityImageSize = bytes;
      params.pCounterAvailabilityImage = image;
      status = api_->pm_availability(&params);
      bytes = params.counterAvailabilityImageSize;
    } else {
      GVF_CUPTI_PARAMS(CUpti_Profiler_GetCounterAvailability_Params, params);
      params.ctx = context_;
      params.counterAvailabilityImageSize = bytes;
      params.pCounterAvailabilityImage = image;
      status = api_->range_availability(&params);
      bytes = params.counterAvailabilityImageSize;
    }
    if (status != CUPTI_SUCCESS)
      return describe_counters(*api_, status,
                               profiler == CUPTI_PROFILER_PM_SAMPLING
                                   ? "cuptiPmSamplingGetCounterAvailability"
                                   : "cuptiProfilerGetCounterAvailability");
    availability_.resize(bytes);
  }
  return std::nullopt;
}

CounterTarget::CounterTarget(CounterTarget&& other) noexcept
    : api_(other.api_),
      owner_(std::exchange(other.owner_, false)),
      initialised_(std::exchange(other.initialised_, false)),
      context_(other.context_),
      device_(other.device_),
      chip_(std::move(other.chip_)),
      availability_(std::move(other.availability_)) {}

CounterTarget::~CounterTarget() {
  if (initialised_) {
    GVF_CUPTI_PARAMS(CUpti_Profiler_DeInitialize_Params, params);
    (void)api_->profiler_deinitialize(&params);  // nothing can be done about a failure here
  }
  if (owner_) cupti_session_open() = false;
}

}  // namespace gvf::profiling
