// The activity session: see activity.hpp.
#include "profiling/activity.hpp"

#include <utility>

#include "profiling/activity_records.hpp"
#include "profiling/cupti_lock.hpp"

namespace gvf::profiling {

namespace {

// Runtime calls that submit work or wait for it, as ids of cupti_runtime_cbid.h of 13.0, both stream
// flavours.
constexpr CUpti_CallbackId submitting_and_waiting[] = {
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
    CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_ptsz_v13000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_ptsz_v11060,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaLaunchCooperativeKernel_ptsz_v9000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_ptsz_v10000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemcpyAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaMemsetAsync_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_ptsz_v7000,
    CUPTI_RUNTIME_TRACE_CBID_cudaEventSynchronize_v3020,
    CUPTI_RUNTIME_TRACE_CBID_cudaDeviceSynchronize_v3020,
};

// CUPTI wants a callback to subscribe; none is ever enabled.
void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

}  // namespace

const char* to_string(ActivityMode mode) {
  switch (mode) {
    case ActivityMode::api:
      return "api";
    case ActivityMode::kernel:
      return "kernel";
    case ActivityMode::kernel_api:
      return "kernel_api";
    case ActivityMode::graph:
      return "graph";
  }
  return "unknown";
}

ActivitySession::ActivitySession(const CuptiApi& api, const ActivityOptions& options)
    : api_(api), options_(options), active_(true) {
  marks_.reserve(options.expected_iterations);
}

ActivitySession::ActivitySession(ActivitySession&& other) noexcept
    : api_(std::move(other.api_)),
      options_(other.options_),
      active_(std::exchange(other.active_, false)),
      subscriber_(std::exchange(other.subscriber_, nullptr)),
      enabled_kinds_(std::move(other.enabled_kinds_)),
      enabled_calls_(std::move(other.enabled_calls_)),
      marks_(std::move(other.marks_)),
      clock_status_(other.clock_status_) {}

ActivitySession::~ActivitySession() {
  stop();
}

Result<ActivitySession, CuptiProblem> ActivitySession::start(const CuptiApi& api,
                                                             const ActivityOptions& options) {
  if (cupti_session_open().exchange(true)) return cupti_session_is_open();
  ActivitySession session(api, options);  // from here on, its destructor clears up
  if (auto problem = session.enable_all()) return *problem;
  return session;
}

std::optional<CuptiProblem> ActivitySession::enable_all() {
  if (options_.detect_other_tools) {
    const CUptiResult status = api_.subscribe(&subscriber_, ignore_callback, nullptr);
    if (status != CUPTI_SUCCESS) {
      subscriber_ = nullptr;
      return describe(api_, status, "cuptiSubscribe");
    }
  }
  reset_buffers(api_, options_.buffer_bytes, options_.ready_buffers);
  if (const CUptiResult status = api_.activity_register_callbacks(buffer_requested, buffer_completed);
      status != CUPTI_SUCCESS)
    return describe(api_, status, "cuptiActivityRegisterCallbacks");

  if (options_.latency_timestamps) {  // before any kind
    const CUptiResult status = api_.activity_enable_latency_timestamps(1);
    if (status != CUPTI_SUCCESS) return describe(api_, status, "cuptiActivityEnableLatencyTimestamps");
  }

  const auto enable = [&](CUpti_ActivityKind kind, const char* name) -> std::optional<CuptiProblem> {
    const CUptiResult status = api_.activity_enable(kind);
    if (status != CUPTI_SUCCESS)
      return describe(api_, status, std::string("cuptiActivityEnable(") + name + ")");
    enabled_kinds_.push_back(kind);
    return std::nullopt;
  };
  const ActivityMode mode = options_.mode;
  if (mode == ActivityMode::kernel || mode == ActivityMode::kernel_api) {
    if (auto p = enable(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, "CONCURRENT_KERNEL")) return p;
    if (auto p = enable(CUPTI_ACTIVITY_KIND_MEMCPY, "MEMCPY")) return p;
    if (auto p = enable(CUPTI_ACTIVITY_KIND_MEMSET, "MEMSET")) return p;
  }
  if (mode == ActivityMode::graph)
    if (auto p = enable(CUPTI_ACTIVITY_KIND_GRAPH_TRACE, "GRAPH_TRACE")) return p;
  if (mode != ActivityMode::api && mode != ActivityMode::kernel_api) return std::nullopt;

  if (options_.api_scope == ApiScope::submitting) {
    for (CUpti_CallbackId call : submitting_and_waiting) {
      const CUptiResult status = api_.activity_enable_runtime_api(call, 1);
      if (status != CUPTI_SUCCESS)
        return describe(api_, status, "cuptiActivityEnableRuntimeApi(" + std::to_string(call) + ")");
      enabled_calls_.push_back(call);
    }
    return std::nullopt;
  }
  if (auto p = enable(CUPTI_ACTIVITY_KIND_RUNTIME, "RUNTIME")) return p;
  if (options_.api_scope == ApiScope::runtime_and_driver) return enable(CUPTI_ACTIVITY_KIND_DRIVER, "DRIVER");
  return std::nullopt;
}

void ActivitySession::stop() noexcept {
  if (!std::exchange(active_, false)) return;
  // Nothing can be done about a failure here; what was collected is with the caller already.
  for (CUpti_ActivityKind kind : enabled_kinds_) (void)api_.activity_disable(kind);
  for (CUpti_CallbackId call : enabled_calls_) (void)api_.activity_enable_runtime_api(call, 0);
  if (!enabled_kinds_.empty() || !enabled_calls_.empty())
    (void)api_.activity_flush_all(CUPTI_ACTIVITY_FLAG_FLUSH_FORCED);
  if (subscriber_) (void)api_.unsubscribe(subscriber_);
  cupti_session_open() = false;
}

Nanoseconds ActivitySession::now() {
  std::uint64_t ns = 0;
  const CUptiResult status = api_.get_timestamp(&ns);
  if (status != CUPTI_SUCCESS) clock_status_ = status;
  return static_cast<Nanoseconds>(ns);
}

Result<Activity, CuptiProblem> ActivitySession::collect() {
  // Complete buffers first; then the rest, which has no incomplete record once the caller has synchronised.
  for (std::uint32_t flag : {std::uint32_t{0}, std::uint32_t{CUPTI_ACTIVITY_FLAG_FLUSH_FORCED}}) {
    const CUptiResult status = api_.activity_flush_all(flag);
    if (status != CUPTI_SUCCESS) return describe(api_, status, "cuptiActivityFlushAll");
  }
  Records records = take_records(api_);
  std::size_t dropped = take_dropped();
  std::size_t more = 0;
  if (api_.activity_get_num_dropped_records(nullptr, 0, &more) == CUPTI_SUCCESS) dropped += more;
  const std::vector<Interval> marks = std::exchange(marks_, {});
  marks_.reserve(options_.expected_iterations);

  const CUptiResult clock = std::exchange(clock_status_, CUPTI_SUCCESS);
  if (clock != CUPTI_SUCCESS) return describe(api_, clock, "cuptiGetTimestamp");
  if (dropped > 0)
    return CuptiProblem{
        Degraded::records_dropped,
        std::to_string(dropped) + " activity records dropped: run fewer iterations per session"};
  if (records.invalid > 0)
    return CuptiProblem{Degraded::records_invalid,
                        std::to_string(records.invalid) + " activity records invalid or without times"};
  if (marks.empty()) return CuptiProblem{Degraded::no_iterations, "no iteration was marked in this session"};
  for (const Interval& mark : marks)
    if (mark.end < mark.begin)
      return CuptiProblem{Degraded::records_invalid,
                          "an iteration was not ended, or CUPTI's clock stepped back"};

  Activity activity;
  activity.records = records.calls.size() + records.works.size();
  Cut cut = cut_into_iterations(marks, std::move(records.calls), std::move(records.works));
  activity.iterations = std::move(cut.iterations);
  activity.outside = cut.outside;
  return activity;
}

}  // namespace gvf::profiling
