// The orders of a recorded process: see process_index.hpp.
#include "profiling/record/process_index.hpp"

#include <cupti.h>

#include <algorithm>
#include <string>
#include <unordered_set>

namespace gvf::profiling {

namespace {

// The context of a graph that starts on the host (cupti_activity.h, CUpti_ActivityGraphTrace2).
constexpr std::uint32_t on_the_host = std::numeric_limits<std::int32_t>::max();

CallKind kind_of_call(const std::string& name) {
  CallKind kind;
  kind.submits = is_submitting_call(name);
  kind.waits = is_sync_call(name);
  kind.is_blocking_copy = is_blocking_copy(name);
  kind.launches_graph = kind.submits && name.find("GraphLaunch") != std::string::npos;
  kind.launches_kernel = kind.submits && !kind.launches_graph && name.find("Launch") != std::string::npos;
  return kind;
}

}  // namespace

StreamKey stream_of(const RecordedWork& work) {
  return {work.device, work.context, work.stream};
}

ProcessIndex::ProcessIndex(const RecordedProcess& process) : process_(process) {
  for (const std::string& name : process.names) kinds_.push_back(kind_of_call(name));
  index_calls();
  index_works();
  for (std::size_t i = 0; i < process.waits.size(); ++i)
    waits_.emplace(process.waits[i].correlation_id, static_cast<std::uint32_t>(i));
}

std::pair<std::size_t, std::size_t> ProcessIndex::calls_in(std::uint32_t thread, const Interval& at) const {
  const auto before = [&](std::uint32_t c, std::pair<std::uint32_t, Nanoseconds> key) {
    return std::pair(call(c).thread, call(c).at.begin) < key;
  };
  const auto first = std::lower_bound(calls_.begin(), calls_.end(), std::pair(thread, at.begin), before);
  const auto last = std::lower_bound(first, calls_.end(), std::pair(thread, at.end + 1), before);
  return {first - calls_.begin(), last - calls_.begin()};
}

std::optional<Nanoseconds> ProcessIndex::wait_return(std::size_t position, Nanoseconds end,
                                                     const std::set<StreamKey>& streams) const {
  const RecordedCall& last = call(calls_[position]);
  if (kind(calls_[position]).is_blocking_copy && last.at.end >= end) return last.at.end;
  for (std::size_t p = position + 1; p < calls_.size(); ++p) {
    const RecordedCall& next = call(calls_[p]);
    if (next.thread != last.thread || kind(calls_[p]).submits) break;
    if (next.at.end >= end && may_wait_for(next, streams)) return next.at.end;
  }
  return std::nullopt;
}

void ProcessIndex::index_calls() {
  position_.assign(process_.calls.size(), 0);
  outer_of_.resize(process_.calls.size());
  std::vector<std::uint32_t> order(process_.calls.size());
  for (std::uint32_t c = 0; c < order.size(); ++c) order[c] = c;
  std::stable_sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
    // Of two that begin together, the longer is the outer one.
    return std::tuple(call(a).thread, call(a).at.begin, -call(a).at.end) <
           std::tuple(call(b).thread, call(b).at.begin, -call(b).at.end);
  });
  std::uint32_t outer = none;
  for (const std::uint32_t c : order) {
    outer_of_[c] = c;
    threads_.insert(call(c).thread);
    if (!kind(c).submits && !kind(c).waits) continue;
    // A runtime call may show the driver call inside it: one submission.
    if (outer != none && call(outer).thread == call(c).thread && call(c).at.end <= call(outer).at.end) {
      outer_of_[c] = outer;
      continue;
    }
    outer = c;
    position_[c] = calls_.size();
    calls_.push_back(c);
  }
}

void ProcessIndex::index_works() {
  std::unordered_map<std::uint32_t, std::uint32_t> call_of_id;
  for (std::uint32_t c = 0; c < process_.calls.size(); ++c)
    if (kind(c).submits) call_of_id.emplace(call(c).correlation_id, outer_of_[c]);
  // A launch that was recorded as a whole must not count its nodes too.
  std::unordered_set<std::uint32_t> whole_graphs;
  for (const RecordedWork& w : process_.works)
    if (w.kind == WorkKind::graph) whole_graphs.insert(w.correlation_id);

  std::vector<std::uint32_t> kept;
  call_of_work_.assign(process_.works.size(), none);
  first_work_.assign(process_.calls.size() + 1, 0);
  for (std::uint32_t w = 0; w < process_.works.size(); ++w) {
    if (graph_launch_of(work(w)) != 0 && whole_graphs.count(work(w).correlation_id)) continue;
    kept.push_back(w);
    const auto found = call_of_id.find(work(w).correlation_id);
    if (found == call_of_id.end()) {
      ++unmatched_;
    } else {
      call_of_work_[w] = found->second;
      ++first_work_[found->second + 1];
    }
  }
  std::stable_sort(kept.begin(), kept.end(),
                   [&](std::uint32_t a, std::uint32_t b) { return work(a).at.begin < work(b).at.begin; });
  for (std::size_t c = 1; c < first_work_.size(); ++c) first_work_[c] += first_work_[c - 1];
  works_by_call_.resize(first_work_.back());
  std::vector<std::uint32_t> next(first_work_.begin(), first_work_.end() - 1);
  for (const std::uint32_t w : kept) {
    if (call_of_work_[w] != none) works_by_call_[next[call_of_work_[w]]++] = w;
    StreamWorks& stream = streams_[stream_of(work(w))];
    const Nanoseconds latest =
        stream.works.empty() ? work(w).at.end : std::max(stream.latest_end.back(), work(w).at.end);
    stream.works.push_back(w);
    stream.latest_end.push_back(latest);
  }
}

bool ProcessIndex::may_wait_for(const RecordedCall& wait, const std::set<StreamKey>& streams) const {
  const auto found = waits_.find(wait.correlation_id);
  if (found == waits_.end()) return true;
  const RecordedWait& what = process_.waits[found->second];
  return std::any_of(streams.begin(), streams.end(), [&](const StreamKey& key) {
    const auto& [device, context, stream] = key;
    const bool is_in_context = context == what.context || context == on_the_host;
    if (what.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE)
      return is_in_context && stream == what.stream;
    if (what.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE) return is_in_context;
    // An event: of which stream is not recorded. It may be another's, whose wait happened to return later.
    return true;
  });
}

}  // namespace gvf::profiling
