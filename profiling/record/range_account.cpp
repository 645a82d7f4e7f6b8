// Accounts of a recorded process: see range_account.hpp.
#include "profiling/record/range_account.hpp"

#include <cupti.h>
#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <map>
#include <set>
#include <span>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

namespace gvf::profiling {

namespace {

constexpr std::uint32_t none = std::numeric_limits<std::uint32_t>::max();
// The context of a graph that starts on the host (cupti_activity.h, CUpti_ActivityGraphTrace2).
constexpr std::uint32_t on_the_host = std::numeric_limits<std::int32_t>::max();

// What a call does, by its name.
struct CallKind {
  bool submits = false;
  bool waits = false;
  bool launches_kernel = false;
  bool launches_graph = false;
  bool is_blocking_copy = false;
};

CallKind kind_of_call(const std::string& name) {
  CallKind kind;
  kind.submits = is_submitting_call(name);
  kind.waits = is_sync_call(name);
  kind.is_blocking_copy = is_blocking_copy(name);
  kind.launches_graph = kind.submits && name.find("GraphLaunch") != std::string::npos;
  kind.launches_kernel = kind.submits && !kind.launches_graph && name.find("Launch") != std::string::npos;
  return kind;
}

using StreamKey = std::tuple<std::uint32_t, std::uint32_t, std::uint32_t>;  // device, context, stream

StreamKey stream_of(const RecordedWork& work) {
  return {work.device, work.context, work.stream};
}

// The works of one stream in start order.
struct StreamWorks {
  std::vector<std::uint32_t> works;
  std::vector<Nanoseconds> latest_end;  // of works[0..i]
};

// The process in the orders that accounts ask for.
class Index {
 public:
  explicit Index(const RecordedProcess& process) : process_(process) {
    for (const std::string& name : process.names) kinds_.push_back(kind_of_call(name));
    index_calls();
    index_works();
    for (std::size_t i = 0; i < process.waits.size(); ++i)
      waits_.emplace(process.waits[i].correlation_id, static_cast<std::uint32_t>(i));
  }

  const RecordedProcess& process() const { return process_; }
  const RecordedCall& call(std::uint32_t c) const { return process_.calls[c]; }
  const RecordedWork& work(std::uint32_t w) const { return process_.works[w]; }
  const CallKind& kind(std::uint32_t c) const { return kinds_[call(c).name]; }

  /// By thread, then begin: outermost submitting calls and synchronising ones.
  const std::vector<std::uint32_t>& calls() const { return calls_; }
  /// Positions in calls() of this thread's calls that begin in `at`.
  std::pair<std::size_t, std::size_t> calls_in(std::uint32_t thread, const Interval& at) const {
    const auto before = [&](std::uint32_t c, std::pair<std::uint32_t, Nanoseconds> key) {
      return std::pair(call(c).thread, call(c).at.begin) < key;
    };
    const auto first = std::lower_bound(calls_.begin(), calls_.end(), std::pair(thread, at.begin), before);
    const auto last = std::lower_bound(first, calls_.end(), std::pair(thread, at.end + 1), before);
    return {first - calls_.begin(), last - calls_.begin()};
  }
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

 private:
  void index_calls() {
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

  void index_works() {
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

  // Without a record of what it waited for, a synchronising call may wait for anything.
  bool may_wait_for(const RecordedCall& wait, const std::set<StreamKey>& streams) const {
    const auto found = waits_.find(wait.correlation_id);
    if (found == waits_.end()) return true;
    const RecordedWait& what = process_.waits[found->second];
    return std::any_of(streams.begin(), streams.end(), [&](const StreamKey& key) {
      const auto& [device, context, stream] = key;
      const bool is_in_context = context == what.context || context == on_the_host;
      if (what.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_STREAM_SYNCHRONIZE)
        return is_in_context && stream == what.stream;
      if (what.type == CUPTI_ACTIVITY_SYNCHRONIZATION_TYPE_CONTEXT_SYNCHRONIZE) return is_in_context;
      return true;  // an event: recorded after the work, or the wait would have returned before its end
    });
  }

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

void count_work(Counts& counts, WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      ++counts.kernels;
      break;
    case WorkKind::memcpy:
      ++counts.copies;
      break;
    case WorkKind::memset:
      ++counts.memsets;
      break;
    case WorkKind::graph:
      ++counts.graphs;
      break;
  }
}

Nanoseconds median_ns(std::vector<Nanoseconds> samples) {
  if (samples.empty()) return 0;
  const auto middle = samples.begin() + static_cast<std::ptrdiff_t>(samples.size() / 2);
  std::nth_element(samples.begin(), middle, samples.end());
  if (samples.size() % 2 == 1) return *middle;
  return (*middle + *std::max_element(samples.begin(), middle)) / 2;
}

// One instance: what was called, what ran for it.
struct Instance {
  std::vector<std::uint32_t> calls;
  std::vector<std::uint32_t> works;
};

// Collects instances of one name.
class Tally {
 public:
  Tally(const Index& index, const AccountOptions& options) : index_(index), options_(options) {}

  void add(const Instance& instance) {
    ++summary_.instances;
    std::uint32_t first = none, last = none;
    for (const std::uint32_t c : instance.calls) {
      const CallKind& kind = index_.kind(c);
      if (kind.waits) ++summary_.counts.waits;
      if (!kind.submits) continue;
      ++summary_.counts.calls;
      if (kind.launches_kernel) ++summary_.counts.kernel_launches;
      if (kind.launches_graph) ++summary_.counts.graph_launches;
      if (first == none || index_.call(c).at.begin < index_.call(first).at.begin) first = c;
      if (last == none || index_.call(c).at.begin > index_.call(last).at.begin) last = c;
    }
    for (const std::uint32_t w : instance.works) count_work(summary_.counts, index_.work(w).kind);
    if (instance.works.empty()) {
      ++summary_.without_work;
      return;
    }

    std::set<StreamKey> streams;
    std::vector<Occupation> occupations;
    Nanoseconds start = std::numeric_limits<Nanoseconds>::max();
    Nanoseconds end = std::numeric_limits<Nanoseconds>::min();
    for (const std::uint32_t w : instance.works) {
      const RecordedWork& work = index_.work(w);
      streams.insert(stream_of(work));
      occupations.push_back({work.at, true, index_.graph_launch_of(work)});
      start = std::min(start, work.at.begin);
      end = std::max(end, work.at.end);
    }
    if (first != none) start = index_.call(first).at.begin;
    add_others(instance, streams, {start, end}, occupations);
    const auto wait =
        last == none ? std::nullopt : index_.wait_return(index_.position_of_call(last), end, streams);
    if (!wait) ++summary_.not_waited;
    const RangeParts parts = split_wall(start, wait, std::move(occupations), options_.stream_gap);
    std::size_t p = 0;
    RangeParts::each(parts, [&](const char*, Nanoseconds ns) { samples_[p++].push_back(ns); });
    walls_.push_back(parts.wall());
  }

  Summary summary(std::string name) const {
    Summary summary = summary_;
    summary.name = std::move(name);
    std::size_t p = 0;
    RangeParts::each(summary.total, [&](const char*, Nanoseconds& total) {
      for (const Nanoseconds ns : samples_[p]) total += ns;
      ++p;
    });
    p = 0;
    RangeParts::each(summary.median, [&](const char*, Nanoseconds& ns) { ns = median_ns(samples_[p++]); });
    summary.median_wall = median_ns(walls_);
    if (const auto& cost = options_.calibration) {
      const auto times = [](std::size_t count, Nanoseconds ns) {
        return static_cast<Nanoseconds>(count) * ns;
      };
      summary.trace_cost = times(summary.counts.calls, cost->api_trace_cost_ns) +
                           times(summary.counts.kernel_launches, cost->kernel_trace_cost_ns) +
                           times(summary.counts.graphs, cost->graph_trace_cost_ns);
    }
    return summary;
  }

 private:
  // What other works had the instance's streams between its start and its last end.
  void add_others(const Instance& instance, const std::set<StreamKey>& streams, const Interval& window,
                  std::vector<Occupation>& occupations) const {
    const std::unordered_set<std::uint32_t> own(instance.works.begin(), instance.works.end());
    for (const StreamKey& key : streams) {
      const StreamWorks& stream = index_.streams().at(key);
      const auto reaching =
          std::upper_bound(stream.latest_end.begin(), stream.latest_end.end(), window.begin);
      for (auto i = static_cast<std::size_t>(reaching - stream.latest_end.begin()); i < stream.works.size();
           ++i) {
        const RecordedWork& work = index_.work(stream.works[i]);
        if (work.at.begin >= window.end) break;
        if (work.at.end > window.begin && !own.count(stream.works[i]))
          occupations.push_back({work.at, false, index_.graph_launch_of(work)});
      }
    }
  }

  const Index& index_;
  const AccountOptions& options_;
  Summary summary_;
  std::array<std::vector<Nanoseconds>, 6> samples_;
  std::vector<Nanoseconds> walls_;
};

Instance instance_of(const Index& index, const RecordedRange& range) {
  Instance instance;
  const auto add = [&](std::uint32_t thread) {
    const auto [first, last] = index.calls_in(thread, range.at);
    for (std::size_t p = first; p < last; ++p) {
      const std::uint32_t c = index.calls()[p];
      instance.calls.push_back(c);
      const auto works = index.works_of_call(c);
      instance.works.insert(instance.works.end(), works.begin(), works.end());
    }
  };
  if (range.thread == range.end_thread) {
    add(range.thread);
  } else {
    for (const std::uint32_t thread : index.threads()) add(thread);  // a range of the process
  }
  return instance;
}

std::vector<Summary> account_ranges(const Index& index, const AccountOptions& options) {
  const RecordedProcess& process = index.process();
  std::map<std::pair<std::uint32_t, std::uint32_t>, Tally> tallies;
  for (const RecordedRange& range : process.ranges)
    tallies.try_emplace({range.domain, range.name}, index, options)
        .first->second.add(instance_of(index, range));
  std::vector<Summary> summaries;
  for (const auto& [key, tally] : tallies) {
    const std::string& domain = process.names[key.first];
    const std::string& name = process.names[key.second];
    summaries.push_back(tally.summary(domain.empty() ? name : domain + "@" + name));
  }
  std::stable_sort(summaries.begin(), summaries.end(), [](const Summary& a, const Summary& b) {
    return a.total.launch_bound() > b.total.launch_bound();
  });
  return summaries;
}

std::vector<Summary> account_streams(const Index& index, const AccountOptions& options) {
  std::vector<Summary> summaries;
  for (const auto& [key, stream] : index.streams()) {
    Instance instance;
    std::set<std::uint32_t> calls;
    for (const std::uint32_t w : stream.works) {
      instance.works.push_back(w);
      if (index.call_of_work(w) != none) calls.insert(index.call_of_work(w));
    }
    instance.calls.assign(calls.begin(), calls.end());
    Tally tally(index, options);
    tally.add(instance);
    const auto& [device, context, number] = key;
    summaries.push_back(
        tally.summary(fmt::format("device {}, context {}, stream {}", device, context, number)));
  }
  return summaries;
}

std::vector<Summary> account_graphs(const Index& index, const AccountOptions& options) {
  std::map<std::uint32_t, Tally> tallies;
  for (const std::uint32_t c : index.calls()) {
    if (!index.kind(c).launches_graph) continue;
    const auto works = index.works_of_call(c);
    if (works.empty()) continue;
    tallies.try_emplace(index.work(works.front()).graph_id, index, options)
        .first->second.add({{c}, {works.begin(), works.end()}});
  }
  std::vector<Summary> summaries;
  for (const auto& [graph, tally] : tallies)
    summaries.push_back(tally.summary(fmt::format("graph {}", graph)));
  return summaries;
}

}  // namespace

RangeParts split_wall(Nanoseconds start, std::optional<Nanoseconds> wait_return,
                      std::vector<Occupation> works, Nanoseconds stream_gap) {
  std::vector<Interval> own;
  Nanoseconds end = std::numeric_limits<Nanoseconds>::min();
  for (const Occupation& work : works) {
    if (!work.is_own) continue;
    own.push_back(work.at);
    end = std::max(end, work.at.end);
  }
  for (Occupation& work : works)
    if (!work.is_own) work.at = {std::max(work.at.begin, start), std::min(work.at.end, end)};
  std::erase_if(works, [](const Occupation& work) { return work.at.end < work.at.begin; });
  std::stable_sort(works.begin(), works.end(),
                   [](const Occupation& a, const Occupation& b) { return a.at.begin < b.at.begin; });

  RangeParts parts;
  parts.launch_latency = works.front().at.begin - start;
  Nanoseconds occupied = 0;
  Nanoseconds latest_end = works.front().at.begin;
  std::uint32_t graph_launch = 0;  // of the work that ended latest
  for (const Occupation& work : works) {
    const Nanoseconds idle = std::max<Nanoseconds>(0, work.at.begin - latest_end);
    const bool is_inside_graph = graph_launch != 0 && graph_launch == work.graph_launch;
    const Nanoseconds gap = is_inside_graph ? idle : std::min(idle, stream_gap);
    parts.gap += gap;
    parts.starved += idle - gap;
    if (work.at.end >= latest_end) {
      occupied += work.at.end - std::max(work.at.begin, latest_end);
      latest_end = work.at.end;
      graph_launch = work.graph_launch;
    }
  }
  parts.busy = union_length(std::move(own));
  parts.queued = occupied - parts.busy;
  if (wait_return) parts.completion = *wait_return - end;
  return parts;
}

ProcessAccount account_process(const RecordedProcess& process, const AccountOptions& options) {
  const Index index(process);
  ProcessAccount account;
  account.unmatched_works = index.unmatched();
  for (const RecordedCall& call : process.calls) account.failed_calls += call.result != 0;
  Tally all(index, options);
  RecordedRange whole;
  whole.at = {std::numeric_limits<Nanoseconds>::min(), std::numeric_limits<Nanoseconds>::max() - 1};
  whole.end_thread = 1;  // another than its thread: all threads
  all.add(instance_of(index, whole));
  account.all = all.summary("the whole process");
  account.ranges = account_ranges(index, options);
  account.streams = account_streams(index, options);
  account.graphs = account_graphs(index, options);
  return account;
}

std::vector<DeviceAccount> account_devices(const std::vector<RecordedProcess>& processes,
                                           Nanoseconds stream_gap) {
  struct Use {
    DeviceAccount account;
    std::vector<Occupation> works;
  };
  std::map<std::string, Use> uses;
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const RecordedProcess& process = processes[p];
    std::map<std::uint32_t, Use*> use_of;
    std::set<StreamKey> streams;
    for (const RecordedWork& work : process.works) {
      Use*& use = use_of[work.device];
      if (!use) {
        // Numbers are each process's own (CUDA_VISIBLE_DEVICES); the uuid is the GPU's.
        const auto device = std::find_if(process.devices.begin(), process.devices.end(),
                                         [&](const RecordedDevice& d) { return d.id == work.device; });
        const bool is_named = device != process.devices.end();
        const std::string number = fmt::format("device {}", work.device);
        use = &uses[is_named ? device->uuid : fmt::format("process {} {}", p, number)];
        use->account.name = is_named ? fmt::format("{} ({})", device->name, number) : number;
        ++use->account.processes;
      }
      if (streams.insert(stream_of(work)).second) ++use->account.streams;
      ++use->account.works;
      const bool is_node = work.graph_id != 0 && work.kind != WorkKind::graph;
      use->works.push_back({work.at, true, is_node ? work.correlation_id : 0});
    }
  }
  std::vector<DeviceAccount> accounts;
  for (auto& [uuid, use] : uses) {
    const auto first = std::min_element(use.works.begin(), use.works.end(),
                                        [](const auto& a, const auto& b) { return a.at.begin < b.at.begin; });
    const Nanoseconds start = first->at.begin;
    use.account.parts = split_wall(start, std::nullopt, std::move(use.works), stream_gap);
    accounts.push_back(use.account);
  }
  return accounts;
}

}  // namespace gvf::profiling
