// The range profiler: see counter_session.hpp.
#include "profiling/counters/counter_session.hpp"

#include <utility>

namespace gvf::profiling {

namespace {

// CUPTI's range profiler object: enabled while it lives, and left in order whichever step fails. One object
// counts one range, which keeps its counter data image and configuration apart from any other's.
class RangeProfiler {
 public:
  RangeProfiler(const CounterApi& api, const MetricSchedule& schedule) : api_(api), schedule_(schedule) {}
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  ~RangeProfiler() {
    // Nothing can be done about a failure here; counts are with the caller already, or void.
    if (pushed_) (void)pop();
    if (started_) (void)stop();
    if (object_) {
      GVF_CUPTI_PARAMS(CUpti_RangeProfiler_Disable_Params, params);
      params.pRangeProfilerObject = object_;
      (void)api_.range_disable(&params);
    }
  }

  std::optional<CuptiProblem> configure(CUcontext context) {
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_Enable_Params, enable);
    enable.ctx = context;
    if (auto p = check(api_.range_enable(&enable), "cuptiRangeProfilerEnable")) return p;
    object_ = enable.pRangeProfilerObject;

    std::vector<const char*> names = schedule_.names();
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataSize_Params, size);
    size.pRangeProfilerObject = object_;
    size.pMetricNames = names.data();
    size.numMetrics = names.size();
    size.maxNumOfRanges = 1;
    size.maxNumRangeTreeNodes = 1;
    if (auto p = check(api_.range_data_size(&size), "cuptiRangeProfilerGetCounterDataSize")) return p;
    data_.resize(size.counterDataSize);

    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_CounterDataImage_Initialize_Params, initialize);
    initialize.pRangeProfilerObject = object_;
    initialize.counterDataSize = data_.size();
    initialize.pCounterData = data_.data();
    if (auto p =
            check(api_.range_data_initialize(&initialize), "cuptiRangeProfilerCounterDataImageInitialize"))
      return p;

    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_SetConfig_Params, config);
    config.pRangeProfilerObject = object_;
    config.configSize = schedule_.config_image().size();
    config.pConfig = schedule_.config_image().data();
    config.counterDataImageSize = data_.size();
    config.pCounterDataImage = data_.data();
    config.range = CUPTI_UserRange;
    config.replayMode = CUPTI_UserReplay;
    config.maxRangesPerPass = 1;
    config.numNestingLevels = 1;
    config.minNestingLevel = 1;
    config.targetNestingLevel = 1;
    return check(api_.range_set_config(&config), "cuptiRangeProfilerSetConfig");
  }

  std::optional<CuptiProblem> start() {
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_Start_Params, params);
    params.pRangeProfilerObject = object_;
    if (auto p = check(api_.range_start(&params), "cuptiRangeProfilerStart")) return p;
    started_ = true;
    return std::nullopt;
  }

  std::optional<CuptiProblem> push(const std::string& range) {
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_PushRange_Params, params);
    params.pRangeProfilerObject = object_;
    params.pRangeName = range.c_str();
    if (auto p = check(api_.range_push(&params), "cuptiRangeProfilerPushRange")) return p;
    pushed_ = true;
    return std::nullopt;
  }

  std::optional<CuptiProblem> pop() {
    pushed_ = false;
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_PopRange_Params, params);
    params.pRangeProfilerObject = object_;
    return check(api_.range_pop(&params), "cuptiRangeProfilerPopRange");
  }

  std::optional<CuptiProblem> stop() {
    started_ = false;
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_Stop_Params, params);
    params.pRangeProfilerObject = object_;
    if (auto p = check(api_.range_stop(&params), "cuptiRangeProfilerStop")) return p;
    all_passes_done_ = params.isAllPassSubmitted != 0;
    return std::nullopt;
  }

  bool all_passes_done() const { return all_passes_done_; }

  std::optional<CuptiProblem> decode() {
    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_DecodeData_Params, params);
    params.pRangeProfilerObject = object_;
    if (auto p = check(api_.range_decode(&params), "cuptiRangeProfilerDecodeData")) return p;
    if (params.numOfRangeDropped > 0)
      return CuptiProblem{Degraded::records_dropped,
                          std::to_string(params.numOfRangeDropped) + " counted ranges dropped by CUPTI"};

    GVF_CUPTI_PARAMS(CUpti_RangeProfiler_GetCounterDataInfo_Params, info);
    info.pCounterDataImage = data_.data();
    info.counterDataImageSize = data_.size();
    if (auto p = check(api_.range_data_info(&info), "cuptiRangeProfilerGetCounterDataInfo")) return p;
    if (info.numTotalRanges != 1)
      return CuptiProblem{Degraded::records_invalid, "CUPTI counted " + std::to_string(info.numTotalRanges) +
                                                         " ranges where one was run"};
    return std::nullopt;
  }

  const std::vector<std::uint8_t>& data() const { return data_; }

 private:
  std::optional<CuptiProblem> check(CUptiResult status, const char* call) const {
    if (status == CUPTI_SUCCESS) return std::nullopt;
    return describe_counters(api_, status, call);
  }

  const CounterApi& api_;
  const MetricSchedule& schedule_;
  CUpti_RangeProfiler_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
  bool started_ = false;
  bool pushed_ = false;
  bool all_passes_done_ = false;
};

std::optional<CuptiProblem> run_pass(RangeProfiler& profiler, const std::string& range, int launches,
                                     const CountedWork& work) {
  for (int i = 0; i < warm_up_iterations; ++i) work.launch();
  work.synchronize();
  if (auto p = profiler.start()) return p;
  if (auto p = profiler.push(range)) return p;
  for (int i = 0; i < launches; ++i) work.launch();
  work.synchronize();  // a range holds what ran in it, not what was submitted in it
  if (auto p = profiler.pop()) return p;
  return profiler.stop();
}

}  // namespace

std::optional<double> RangeCounts::per_iteration(const std::string& quantity) const {
  const auto found = totals.find(quantity);
  if (found == totals.end()) return std::nullopt;
  return found->second / iterations;
}

Result<CounterSession, CuptiProblem> CounterSession::open(const CounterApi& api, int device,
                                                          const std::vector<MetricRequest>& metrics) {
  auto table = std::make_unique<const CounterApi>(api);
  auto target = CounterTarget::open(*table, device, CUPTI_PROFILER_RANGE_PROFILING);
  if (!target) return target.reason();
  auto schedule = MetricSchedule::make(*table, CUPTI_PROFILER_TYPE_RANGE_PROFILER, target->chip(),
                                       target->availability(), metrics);
  if (!schedule) return schedule.reason();
  return CounterSession(std::move(table), std::move(target).value(), std::move(schedule).value());
}

Result<RangeCounts, CuptiProblem> CounterSession::count(const std::string& range, int launches,
                                                        const CountedWork& work) {
  if (launches < least_iterations)
    return CuptiProblem{Degraded::no_iterations, range + ": " + std::to_string(launches) +
                                                     " iterations in a range are too few, at least " +
                                                     std::to_string(least_iterations) +
                                                     " pay for the dirty lines that they leave behind"};
  RangeProfiler profiler(*api_, schedule_);
  if (auto problem = profiler.configure(target_.context())) return *problem;
  std::size_t passes = 0;
  while (!profiler.all_passes_done()) {
    if (passes == schedule_.passes())
      return CuptiProblem{Degraded::cupti_error, range + ": CUPTI asks for more than the " +
                                                     std::to_string(passes) + " passes that it announced"};
    if (auto problem = run_pass(profiler, range, launches, work)) return *problem;
    ++passes;
  }
  if (auto problem = profiler.decode()) return *problem;
  auto totals = schedule_.evaluate(profiler.data(), 0);
  if (!totals) return totals.reason();
  return RangeCounts{std::move(totals).value(), launches * work.iterations_a_launch, passes};
}

}  // namespace gvf::profiling
