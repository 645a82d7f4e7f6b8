// A recorded process in the orders that its accounts ask for: calls by thread, works by call and by stream,
// and which wait was for which work. Calls and works are named by their indices in the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <limits>
#include <map>
#include <optional>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <utility>
#include <vector>

#include "profiling/record/timeline_file.hpp"

namespace gvf::profiling {

/// What a call does, by its name.
struct CallKind {
  bool submits = false;
  bool waits = false;
  bool launches_kernel = false;
  bool launches_graph = false;
  bool is_blocking_copy = false;
};

using StreamKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  ///< device, context, stream
StreamKey stream_of(const RecordedWork& work);

/// The works of one stream in start order.
struct StreamWorks {
  std::vector<std::uint32_t> works;
  std::vector<Nanoseconds> latest_end;  ///< of works[0..i]
};

class ProcessIndex {
 public:
  /// No such call.
  static constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();

  /// Refers to `process`, which must outlive it.
  explicit ProcessIndex(const RecordedProcess& process);

  const RecordedProcess& process() const { return process_; }
  const RecordedCall& call(std::uint32_t c) const { return process_.calls[c]; }
  const RecordedWork& work(std::uint32_t w) const { return process_.works[w]; }
  const CallKind& kind(std::uint32_t c) const { return kinds_[call(c).name]; }

  /// By thread, then begin: outermost submitting calls and synchronising ones.
  const std::vector<std::uint32_t>& calls() const { return calls_; }
  /// Positions in calls() of this thread's calls that begin in `at`.
  std::pair<std::size_t, std::size_t> calls_in(std::uint32_t thread, const Interval& at) const;
  const std::set<std::uint32_t>& threads() const { return threads_; }

  std::span<const std::uint32_t> works_of_call(std::uint32_t c) const {
    return std::span(works_by_call_).subspan(first_work_[c], first_work_[c + 1] - first_work_[c]);
  }
  std::uint32_t call_of_work(std::uint32_t w) const { return call_of_work_[w]; }
  std::size_t position_of_call(std::uint32_t c) const { return position_[c]; }
  std::size_t unmatched() const { return unmatched_; }
  const std::map<StreamKey, StreamWorks>& streams() const { return streams_; }

  std::uint32_t graph_launch_of(const RecordedWork& work) const {
    return work.graph_id != 0 && work.kind != WorkKind::graph ? work.correlation_id : 0;
  }

  /// When the wait for works that end at `end` on `streams`, last submitted by the call at `position`,
  /// returned: the first fitting one of that thread, before it submits anything else.
  std::optional<Nanoseconds> wait_return(std::size_t position, Nanoseconds end,
                                         const std::set<StreamKey>& streams) const;

 private:
  void index_calls();
  void index_works();

  // Without a record of what it waited for, a synchronising call may wait for anything.
  bool may_wait_for(const RecordedCall& wait, const std::set<StreamKey>& streams) const;

  const RecordedProcess& process_;
  std::vector<CallKind> kinds_;  // by name
  std::vector<std::uint32_t> calls_;
  std::vector<std::size_t> position_;
  std::vector<std::uint32_t> outer_of_;
  std::set<std::uint32_t> threads_;
  std::vector<std::uint32_t> call_of_work_;
  std::vector<std::uint32_t> works_by_call_;
  std::vector<std::uint32_t> first_work_;
  std::size_t unmatched_ = 0;
  std::map<StreamKey, StreamWorks> streams_;
  std::unordered_multimap<std::uint32_t, std::uint32_t> waits_;
};

}  // namespace gvf::profiling
