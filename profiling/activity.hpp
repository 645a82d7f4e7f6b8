// A CUPTI activity session: records what the host calls and what the device runs, cut into iterations. All
// times are CUPTI's, in ns: host marks come from the same clock as the records.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiling/cupti_api.hpp"
#include "profiling/timeline.hpp"

namespace gvf::profiling {

/// What is recorded. Each mode disturbs what it measures in its own way: give each a process of its own.
enum class ActivityMode {
  api,         ///< calls only
  kernel,      ///< kernels, copies and memsets only; every node of a graph on its own
  kernel_api,  ///< both; the dearest: the host pays for every node of a graph
  graph,  ///< one record per graph launch: the cheapest; what is launched outside a graph is not recorded
};
const char* to_string(ActivityMode mode);

/// Which calls the modes with calls record. Fewer records disturb the host less.
enum class ApiScope {
  runtime,             ///< every runtime call
  submitting,          ///< runtime launches, copies, memsets and synchronisations only
  runtime_and_driver,  ///< for programs that launch through the driver API
};

struct ActivityOptions {
  ActivityMode mode = ActivityMode::kernel;
  ApiScope api_scope = ApiScope::runtime;
  /// Also takes when each kernel was queued and submitted: only to learn what that costs.
  bool latency_timestamps = false;
  std::size_t buffer_bytes = std::size_t{2} << 20;
  std::size_t ready_buffers = 4;  ///< touched beforehand, so that no page fault falls into an iteration
  std::size_t expected_iterations = 4096;
  /// Registers as CUPTI's one subscriber, which fails under Nsight tools and debuggers. No callback is
  /// enabled.
  bool detect_other_tools = true;
};

struct Activity {
  std::vector<Timeline> iterations;  ///< one per begin_iteration/end_iteration pair
  std::size_t records = 0;           ///< calls and works seen, outside ones included
  std::size_t outside = 0;           ///< of those, in no iteration
};

/// One per process at a time. Create it before CUDA starts, so that no context escapes CUPTI.
class ActivitySession {
 public:
  static Result<ActivitySession, CuptiProblem> start(const CuptiApi& api, const ActivityOptions& options);

  ActivitySession(ActivitySession&& other) noexcept;
  ActivitySession& operator=(ActivitySession&&) = delete;
  ~ActivitySession();

  /// CUPTI's clock. On Linux it is CLOCK_REALTIME; device times are interpolated onto it.
  Nanoseconds now();
  /// The caller synchronises before end_iteration, so that every record of the iteration is complete.
  void begin_iteration() { marks_.push_back({now(), -1}); }
  void end_iteration() { marks_.at(marks_.size() - 1).end = now(); }

  /// Flushes and returns the iterations since the last collect, or why they cannot be trusted: a dropped or
  /// an invalid record withholds them all.
  Result<Activity, CuptiProblem> collect();

 private:
  ActivitySession(const CuptiApi& api, const ActivityOptions& options);
  std::optional<CuptiProblem> enable_all();
  void stop() noexcept;

  CuptiApi api_;
  ActivityOptions options_;
  bool active_ = false;
  CUpti_SubscriberHandle subscriber_ = nullptr;
  std::vector<CUpti_ActivityKind> enabled_kinds_;
  std::vector<CUpti_CallbackId> enabled_calls_;
  std::vector<Interval> marks_;
  CUptiResult clock_status_ = CUPTI_SUCCESS;
};

}  // namespace gvf::profiling
