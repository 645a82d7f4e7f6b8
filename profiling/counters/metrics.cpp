// Scheduling and evaluating metrics: see metrics.hpp.
#include "profiling/counters/metrics.hpp"

#include <cmath>
#include <optional>

namespace gvf::profiling {

namespace {

// A host object, or the result that CUPTI gave instead.
struct HostObject {
  CUptiResult status = CUPTI_SUCCESS;
  CUpti_Profiler_Host_Object* object = nullptr;
};

HostObject make_host(const CounterApi& api, CUpti_ProfilerType profiler, const std::string& chip,
                     const std::vector<std::uint8_t>& availability) {
  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_Initialize_Params, params);
  params.profilerType = profiler;
  params.pChipName = chip.c_str();
  params.pCounterAvailabilityImage = availability.empty() ? nullptr : availability.data();
  const CUptiResult status = api.host_initialize(&params);
  return {status, status == CUPTI_SUCCESS ? params.pHostObject : nullptr};
}

void destroy_host(const CounterApi& api, CUpti_Profiler_Host_Object* object) noexcept {
  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_Deinitialize_Params, params);
  params.pHostObject = object;
  (void)api.host_deinitialize(&params);  // only memory is at stake
}

CUptiResult add_metrics(const CounterApi& api, CUpti_Profiler_Host_Object* host,
                        std::vector<const char*> names) {
  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_ConfigAddMetrics_Params, params);
  params.pHostObject = host;
  params.ppMetricNames = names.data();
  params.numMetrics = names.size();
  return api.host_add_metrics(&params);
}

std::string joined(const std::vector<std::string>& names) {
  std::string all;
  for (const std::string& name : names) all += (all.empty() ? "" : " or ") + name;
  return all;
}

}  // namespace

const std::vector<MetricRequest>& default_metrics() {
  static const std::vector<MetricRequest> metrics{
      {quantity::dram_read_bytes, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
      {quantity::dram_write_bytes, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
      {quantity::l2_bytes, {"lts__t_bytes.sum"}},
      {quantity::l2_sm_sectors, {"lts__t_sectors_srcunit_tex.sum"}},
      {quantity::l2_read_sectors, {"lts__t_sectors_op_read.sum"}},
      {quantity::l2_write_sectors, {"lts__t_sectors_op_write.sum"}},
      {quantity::gpu_time_ns, {"gpu__time_duration.sum"}},
  };
  return metrics;
}

const std::vector<MetricRequest>& bandwidth_metrics() {
  static const std::vector<MetricRequest> metrics{
      {quantity::dram_read_bytes, {"dram__bytes_read.sum", "dram__bytes_op_read.sum"}},
      {quantity::dram_write_bytes, {"dram__bytes_write.sum", "dram__bytes_op_write.sum"}},
  };
  return metrics;
}

Result<MetricSchedule, CuptiProblem> MetricSchedule::make(const CounterApi& api, CUpti_ProfilerType profiler,
                                                          const std::string& chip,
                                                          const std::vector<std::uint8_t>& availability,
                                                          const std::vector<MetricRequest>& requests) {
  MetricSchedule schedule(api);
  // A refused metric spoils its host object for all that follow, and each call of add_metrics opens a pass of
  // its own (both seen with 13.0): so each metric is tried on an object that is thrown away, and the good
  // ones are added in one call.
  for (const MetricRequest& request : requests) {
    bool found = false;
    for (const std::string& name : request.spellings) {
      const HostObject trial = make_host(api, profiler, chip, availability);
      if (!trial.object)
        return describe_counters(api, trial.status, "cuptiProfilerHostInitialize(" + chip + ")");
      found = add_metrics(api, trial.object, {name.c_str()}) == CUPTI_SUCCESS;
      destroy_host(api, trial.object);
      if (found) {
        schedule.metrics_.emplace_back(request.quantity, name);
        break;
      }
    }
    if (!found)
      schedule.unavailable_.push_back(
          {request.quantity + ": " + chip + " offers no " + joined(request.spellings)});
  }
  if (schedule.metrics_.empty()) {
    std::string text = "no metric to count";
    for (const Reason& reason : schedule.unavailable_) text += "; " + reason.text;
    return CuptiProblem{Degraded::metric_unavailable, text};
  }
  const HostObject host = make_host(api, profiler, chip, availability);
  if (!host.object) return describe_counters(api, host.status, "cuptiProfilerHostInitialize(" + chip + ")");
  schedule.host_ = host.object;
  if (auto problem = schedule.program()) return *problem;
  return schedule;
}

// Fills in the config image and the number of passes.
std::optional<CuptiProblem> MetricSchedule::program() {
  if (const CUptiResult status = add_metrics(*api_, host_, names()); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerHostConfigAddMetrics");

  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImageSize_Params, size);
  size.pHostObject = host_;
  if (const CUptiResult status = api_->host_config_image_size(&size); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerHostGetConfigImageSize");
  config_image_.resize(size.configImageSize);

  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_GetConfigImage_Params, image);
  image.pHostObject = host_;
  image.configImageSize = config_image_.size();
  image.pConfigImage = config_image_.data();
  if (const CUptiResult status = api_->host_config_image(&image); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerHostGetConfigImage");

  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_GetNumOfPasses_Params, passes);
  passes.configImageSize = config_image_.size();
  passes.pConfigImage = config_image_.data();
  if (const CUptiResult status = api_->host_passes(&passes); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerHostGetNumOfPasses");
  passes_ = passes.numOfPasses;
  return std::nullopt;
}

MetricSchedule::MetricSchedule(MetricSchedule&& other) noexcept
    : api_(other.api_),
      host_(std::exchange(other.host_, nullptr)),
      metrics_(std::move(other.metrics_)),
      unavailable_(std::move(other.unavailable_)),
      config_image_(std::move(other.config_image_)),
      passes_(other.passes_) {}

MetricSchedule::~MetricSchedule() {
  if (host_) destroy_host(*api_, host_);
}

std::vector<const char*> MetricSchedule::names() const {
  std::vector<const char*> names;
  for (const auto& [quantity, name] : metrics_) names.push_back(name.c_str());
  return names;
}

Result<std::map<std::string, double>, CuptiProblem> MetricSchedule::evaluate(
    const std::vector<std::uint8_t>& counter_data, std::size_t index) const {
  std::vector<const char*> metric_names = names();
  std::vector<double> values(metric_names.size(), 0);
  GVF_CUPTI_PARAMS(CUpti_Profiler_Host_EvaluateToGpuValues_Params, params);
  params.pHostObject = host_;
  params.pCounterDataImage = counter_data.data();
  params.counterDataImageSize = counter_data.size();
  params.rangeIndex = index;
  params.ppMetricNames = metric_names.data();
  params.numMetrics = metric_names.size();
  params.pMetricValues = values.data();
  if (const CUptiResult status = api_->host_evaluate(&params); status != CUPTI_SUCCESS)
    return describe_counters(*api_, status, "cuptiProfilerHostEvaluateToGpuValues");

  std::map<std::string, double> by_quantity;
  for (std::size_t i = 0; i < values.size(); ++i) {
    if (!std::isfinite(values[i]) || values[i] < 0)
      return CuptiProblem{Degraded::records_invalid,
                          metrics_[i].second + " read " + std::to_string(values[i]) + ", which is no count"};
    by_quantity[metrics_[i].first] = values[i];
  }
  return by_quantity;
}

}  // namespace gvf::profiling
