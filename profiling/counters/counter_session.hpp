// Counting what work does to memory: CUPTI's range profiler around any callable (user ranges, user replay).
// Not in a process that traces or that is timed: counters serialise and slow down what they count.
#pragma once

#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/counters/counter_target.hpp"
#include "profiling/counters/metrics.hpp"

namespace gvf::profiling {

/// A range starts with dirty lines of earlier work in L2 and ends with its own: over this many equal
/// iterations the difference between the two is small against what the iterations write.
inline constexpr int least_iterations = 10;
/// Before each range, so that caches hold what an iteration leaves there.
inline constexpr int warm_up_iterations = 2;

/// What is counted: `iteration` submits one iteration, always the same, and `synchronize` returns when all
/// that was submitted has ended.
struct CountedWork {
  std::function<void()> launch;
  std::function<void()> synchronize;
  int iterations_a_launch = 1;
};

struct RangeCounts {
  std::map<std::string, double> totals;  ///< of the range, by quantity
  int iterations = 0;                    ///< of all launches in the range
  std::size_t passes = 0;                ///< how often the range was run to count everything

  /// Absent where the chip does not count this quantity.
  std::optional<double> per_iteration(const std::string& quantity) const;
};

/// One per process at a time, and none while an activity session is open.
class CounterSession {
 public:
  /// For the context that is current in this thread, of the device with this ordinal. Metrics that the chip
  /// lacks are left out and named in unavailable().
  static Result<CounterSession, CuptiProblem> open(
      const CounterApi& api, int device = 0, const std::vector<MetricRequest>& metrics = default_metrics());

  /// Launches `work` warm_up_iterations + `launches` times for each pass, and counts the latter. Fewer than
  /// least_iterations are refused. An exception from `work` ends the range and goes on to the caller.
  Result<RangeCounts, CuptiProblem> count(const std::string& range, int launches, const CountedWork& work);

  const std::string& chip() const { return target_.chip(); }
  std::size_t passes() const { return schedule_.passes(); }
  const std::vector<Reason>& unavailable() const { return schedule_.unavailable(); }

 private:
  CounterSession(std::unique_ptr<const CounterApi> api, CounterTarget target, MetricSchedule schedule)
      : api_(std::move(api)), target_(std::move(target)), schedule_(std::move(schedule)) {}

  std::unique_ptr<const CounterApi> api_;  // at an address that the others can keep
  CounterTarget target_;
  MetricSchedule schedule_;
};

}  // namespace gvf::profiling
