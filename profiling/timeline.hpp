// One iteration as records (host calls, device works) and its account: five parts that add up to its wall
// time exactly, because everything is an integer number of nanoseconds. Pure data, pure functions, no CUDA.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/result.hpp"

namespace gvf::profiling {

using Nanoseconds = std::int64_t;

struct Interval {
  Nanoseconds begin = 0;
  Nanoseconds end = 0;

  Nanoseconds length() const { return end - begin; }
  bool operator==(const Interval&) const = default;
};

/// A runtime or driver API call on the host.
struct Call {
  Interval at;
  std::uint32_t correlation_id = 0;
  std::string name;
  bool operator==(const Call&) const = default;
};

enum class WorkKind { kernel, memcpy, memset, graph };
std::string_view to_string(WorkKind kind);

/// Something that kept the device occupied; `graph` is a whole graph launch traced as one interval.
struct Work {
  Interval at;
  std::uint32_t correlation_id = 0;
  WorkKind kind = WorkKind::kernel;
  std::string name;
  std::uint32_t stream = 0;
  std::uint32_t graph_id = 0;  ///< 0: not part of a graph
  std::uint64_t node_id = 0;   ///< 0: not part of a graph
  bool operator==(const Work&) const = default;
};

/// One isolated iteration: submit, then wait.
struct Timeline {
  Nanoseconds start = 0;        ///< a_1: the first submitting call's start, or the host mark before it
  Nanoseconds sync_return = 0;  ///< z: the synchronisation has returned
  std::vector<Call> calls;
  std::vector<Work> works;

  Nanoseconds wall() const { return sync_return - start; }
  bool operator==(const Timeline&) const = default;
};

/// Where the wall time of one timeline went. `launch_latency` and `completion` are differences between a
/// host and a device clock and stay signed; the other three are never negative.
struct Account {
  Nanoseconds launch_latency = 0;  ///< s_1 - a_1
  Nanoseconds busy = 0;            ///< length of the union of the works
  Nanoseconds gap = 0;             ///< idle that remains however early the host is
  Nanoseconds starved = 0;         ///< idle that an infinitely early host would remove
  Nanoseconds completion = 0;      ///< z - latest end

  Nanoseconds wall() const { return launch_latency + busy + gap + starved + completion; }
  bool operator==(const Account&) const = default;
};

/// What makes a timeline unusable, or nothing. `account` and `join` refuse the same timelines.
std::optional<Reason> find_fault(const Timeline& timeline);

/// Splits the wall time of `timeline`. Idle time before a work, counted from the latest end so far, is `gap`
/// up to `device_gap` (the calibrated gap of this kind of edge with the host ahead) and `starved` beyond.
Result<Account> account(const Timeline& timeline, Nanoseconds device_gap);

/// Total length covered by the intervals, overlaps counted once. Intervals must have end >= begin.
Nanoseconds union_length(std::vector<Interval> intervals);

/// The N:1 join from works to the calls that submitted them, by correlation id. Every kernel of a graph has
/// the correlation id of the graph's launch, so one call may own many works and is still charged once.
struct Join {
  std::vector<std::optional<std::size_t>> call_of_work;  ///< index into timeline.calls, empty: no such call
  std::vector<std::vector<std::size_t>> works_of_call;   ///< indices into timeline.works, in start order
  std::size_t orphans = 0;                               ///< works whose call is not in the timeline
  Nanoseconds host =
      0;  ///< time inside submitting calls; a driver call nested in a runtime call is not added
};
Result<Join> join(const Timeline& timeline);

/// "cudaLaunchKernel_ptsz_v7000" -> "cudaLaunchKernel": version and per-thread-stream suffixes removed.
std::string_view base_name(std::string_view api_call);
/// True for calls, of runtime or driver, that put work on the device: kernel and graph launches, copies,
/// sets.
bool is_submitting_call(std::string_view api_call);
/// True for calls that wait for the device.
bool is_sync_call(std::string_view api_call);
/// True for copies without Async in their name: most of them return after the copy has ended.
bool is_blocking_copy(std::string_view api_call);

/// Cuts a long record stream into iterations. A call belongs to the mark that contains its begin; a work to
/// its call's iteration where that call was recorded, else to the mark that contains the work's begin.
struct Cut {
  std::vector<Timeline> iterations;  ///< one per mark, in the order of the marks
  std::size_t outside = 0;           ///< records that lie in no mark (warm-up, teardown)
};
Cut cut_into_iterations(const std::vector<Interval>& marks, std::vector<Call> calls, std::vector<Work> works);

}  // namespace gvf::profiling
