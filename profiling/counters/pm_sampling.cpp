// PM sampling: see pm_sampling.hpp.
#include "profiling/counters/pm_sampling.hpp"

#include <utility>

namespace gvf::profiling {

namespace {

// Stops the sampling when the sampled work throws.
class StopOnExit {
 public:
  explicit StopOnExit(std::function<void()> stop) : stop_(std::move(stop)) {}
  StopOnExit(const StopOnExit&) = delete;
  StopOnExit& operator=(const StopOnExit&) = delete;
  ~StopOnExit() {
    if (stop_) stop_();
  }
  void dismiss() { stop_ = nullptr; }

 private:
  std::function<void()> stop_;
};

std::optional<double> rate(const std::map<std::string, double>& values, const char* quantity, double ns) {
  const auto found = values.find(quantity);
  if (found == values.end()) return std::nullopt;
  return found->second / ns;
}

}  // namespace

std::optional<CuptiProblem> PmSamplingSession::check(CUptiResult status, const char* call) const {
  if (status == CUPTI_SUCCESS) return std::nullopt;
  return describe_counters(*api_, status, call);
}

Result<PmSamplingSession, CuptiProblem> PmSamplingSession::open(const CounterApi& api,
                                                                const PmSamplingOptions& options) {
  auto table = std::make_unique<const CounterApi>(api);
  auto target = CounterTarget::open(*table, options.device, CUPTI_PROFILER_PM_SAMPLING);
  if (!target) return target.reason();
  auto schedule = MetricSchedule::make(*table, CUPTI_PROFILER_TYPE_PM_SAMPLING, target->chip(),
                                       target->availability(), bandwidth_metrics());
  if (!schedule) return schedule.reason();
  if (schedule->passes() != 1)
    return CuptiProblem{Degraded::metric_unavailable, "PM sampling has one pass, and " + target->chip() +
                                                          " needs " + std::to_string(schedule->passes()) +
                                                          " to count reads and writes of DRAM"};
  PmSamplingSession session(std::move(table), std::move(target).value(), std::move(schedule).value(),
                            options);
  if (auto problem = session.configure()) return *problem;
  return session;
}

std::optional<CuptiProblem> PmSamplingSession::configure() {
  GVF_CUPTI_PARAMS(CUpti_PmSampling_Enable_Params, enable);
  enable.deviceIndex = target_.device();
  if (auto p = check(api_->pm_enable(&enable), "cuptiPmSamplingEnable")) return p;
  object_ = enable.pPmSamplingObject;

  GVF_CUPTI_PARAMS(CUpti_PmSampling_SetConfig_Params, config);
  config.pPmSamplingObject = object_;
  config.configSize = schedule_.config_image().size();
  config.pConfig = schedule_.config_image().data();
  config.hardwareBufferSize = options_.hardware_buffer_bytes;
  config.samplingInterval = options_.interval_ns;
  config.triggerMode = CUPTI_PM_SAMPLING_TRIGGER_MODE_GPU_TIME_INTERVAL;
  config.hwBufferAppendMode = CUPTI_PM_SAMPLING_HARDWARE_BUFFER_APPEND_MODE_KEEP_OLDEST;
  if (auto p = check(api_->pm_set_config(&config), "cuptiPmSamplingSetConfig")) return p;

  std::vector<const char*> names = schedule_.names();
  GVF_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataSize_Params, size);
  size.pPmSamplingObject = object_;
  size.pMetricNames = names.data();
  size.numMetrics = names.size();
  size.maxSamples = options_.samples_at_a_time;
  if (auto p = check(api_->pm_data_size(&size), "cuptiPmSamplingGetCounterDataSize")) return p;
  data_.resize(size.counterDataSize);
  return std::nullopt;
}

std::optional<CuptiProblem> PmSamplingSession::clear_data() {
  GVF_CUPTI_PARAMS(CUpti_PmSampling_CounterDataImage_Initialize_Params, params);
  params.pPmSamplingObject = object_;
  params.counterDataSize = data_.size();
  params.pCounterData = data_.data();
  return check(api_->pm_data_initialize(&params), "cuptiPmSamplingCounterDataImageInitialize");
}

CUptiResult PmSamplingSession::stop() {
  GVF_CUPTI_PARAMS(CUpti_PmSampling_Stop_Params, params);
  params.pPmSamplingObject = object_;
  return api_->pm_stop(&params);
}

Result<std::vector<PmSample>, CuptiProblem> PmSamplingSession::sample(const std::function<void()>& work) {
  GVF_CUPTI_PARAMS(CUpti_PmSampling_Start_Params, params);
  params.pPmSamplingObject = object_;
  if (auto p = check(api_->pm_start(&params), "cuptiPmSamplingStart")) return *p;
  StopOnExit guard([this] { (void)stop(); });
  work();
  guard.dismiss();
  if (auto p = check(stop(), "cuptiPmSamplingStop")) return *p;

  std::vector<PmSample> samples;
  if (auto p = decode_all(samples)) return *p;
  if (samples.size() < 2)
    return CuptiProblem{Degraded::no_iterations, "the work ended before a second sampling interval of " +
                                                     std::to_string(options_.interval_ns) +
                                                     " ns: sample more iterations, or more often"};
  samples.erase(samples.begin());
  return samples;
}

// The counter data image may be smaller than what the hardware buffer holds: it is emptied into `samples`
// until CUPTI says that there is no more.
std::optional<CuptiProblem> PmSamplingSession::decode_all(std::vector<PmSample>& samples) {
  for (;;) {
    if (auto p = clear_data()) return p;
    GVF_CUPTI_PARAMS(CUpti_PmSampling_DecodeData_Params, decode);
    decode.pPmSamplingObject = object_;
    decode.pCounterDataImage = data_.data();
    decode.counterDataImageSize = data_.size();
    const CUptiResult status = api_->pm_decode(&decode);
    // Documented for a full hardware buffer, beside the flag.
    if (status == CUPTI_ERROR_OUT_OF_MEMORY || (status == CUPTI_SUCCESS && decode.overflow))
      return CuptiProblem{Degraded::records_dropped,
                          "the hardware buffer of " + std::to_string(options_.hardware_buffer_bytes >> 20) +
                              " MiB overflowed: sample for a shorter time, or less often"};
    if (auto p = check(status, "cuptiPmSamplingDecodeData")) return p;
    const std::size_t before = samples.size();
    if (auto p = read_data(samples)) return p;
    if (decode.decodeStopReason != CUPTI_PM_SAMPLING_DECODE_STOP_REASON_COUNTER_DATA_FULL)
      return std::nullopt;
    if (samples.size() == before)
      return CuptiProblem{Degraded::records_invalid, "CUPTI's counter data is full, and holds no sample"};
  }
}

std::optional<CuptiProblem> PmSamplingSession::read_data(std::vector<PmSample>& samples) {
  GVF_CUPTI_PARAMS(CUpti_PmSampling_GetCounterDataInfo_Params, info);
  info.pCounterDataImage = data_.data();
  info.counterDataImageSize = data_.size();
  if (auto p = check(api_->pm_data_info(&info), "cuptiPmSamplingGetCounterDataInfo")) return p;
  for (std::size_t i = 0; i < info.numCompletedSamples; ++i) {
    GVF_CUPTI_PARAMS(CUpti_PmSampling_CounterData_GetSampleInfo_Params, times);
    times.pPmSamplingObject = object_;
    times.pCounterDataImage = data_.data();
    times.counterDataImageSize = data_.size();
    times.sampleIndex = i;
    if (auto p = check(api_->pm_sample_info(&times), "cuptiPmSamplingCounterDataGetSampleInfo")) return p;
    if (times.endTimestamp <= times.startTimestamp ||
        (!samples.empty() && times.startTimestamp < samples.back().begin_ns))
      return CuptiProblem{Degraded::records_invalid, "PM sample " + std::to_string(samples.size()) +
                                                         " does not follow the one before it"};
    const auto values = schedule_.evaluate(data_, i);
    if (!values) return values.reason();
    const auto ns = static_cast<double>(times.endTimestamp - times.startTimestamp);
    samples.push_back({times.startTimestamp, times.endTimestamp, rate(*values, quantity::dram_read_bytes, ns),
                       rate(*values, quantity::dram_write_bytes, ns)});
  }
  return std::nullopt;
}

PmSamplingSession::PmSamplingSession(PmSamplingSession&& other) noexcept
    : api_(std::move(other.api_)),
      target_(std::move(other.target_)),
      schedule_(std::move(other.schedule_)),
      options_(other.options_),
      object_(std::exchange(other.object_, nullptr)),
      data_(std::move(other.data_)) {}

PmSamplingSession::~PmSamplingSession() {
  if (!object_) return;
  GVF_CUPTI_PARAMS(CUpti_PmSampling_Disable_Params, params);
  params.pPmSamplingObject = object_;
  (void)api_->pm_disable(&params);  // nothing can be done about a failure here
}

}  // namespace gvf::profiling
