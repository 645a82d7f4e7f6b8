// Accounts of a recorded process: see range_account.hpp.
#include "profiling/record/range_account.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <limits>
#include <map>
#include <set>
#include <tuple>
#include <unordered_map>
#include <unordered_set>

#include "profiling/record/process_index.hpp"

namespace gvf::profiling {

namespace {

constexpr std::uint32_t none = ProcessIndex::none;

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
  Tally(const ProcessIndex& index, const AccountOptions& options) : index_(index), options_(options) {}

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
    for (const std::uint32_t w : instance.works) {
      count_work(summary_.counts, index_.work(w).kind);
      add_by_name(index_.work(w));
    }
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
    // A stream may begin with a work whose own call was not recorded.
    if (first != none) start = std::min(start, index_.call(first).at.begin);
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
    for (const auto& [key, sum] : works_) summary.works.push_back(sum);
    std::stable_sort(summary.works.begin(), summary.works.end(),
                     [](const WorkSum& a, const WorkSum& b) { return a.busy > b.busy; });
    const auto& cost = options_.trace_cost;
    if (cost && !index_.process().graph_nodes) {
      const auto times = [](std::size_t count, Nanoseconds ns) {
        return static_cast<Nanoseconds>(count) * ns;
      };
      summary.trace_cost = times(summary.counts.calls, cost->call) +
                           times(summary.counts.kernel_launches, cost->kernel) +
                           times(summary.counts.graphs, cost->graph);
    }
    return summary;
  }

 private:
  void add_by_name(const RecordedWork& work) {
    // Copies and memsets have no name: theirs is an index that means nothing.
    const bool is_kernel = work.kind == WorkKind::kernel;
    WorkSum& sum = works_[{work.kind, work.graph_id, is_kernel ? work.name : 0}];
    if (sum.count == 0) {
      sum.kind = work.kind;
      sum.in_graph = work.graph_id != 0;
      const auto& names = index_.process().names;
      if (work.kind == WorkKind::graph) sum.name = "graph " + std::to_string(work.graph_id);
      if (is_kernel && work.name < names.size()) sum.name = names[work.name];
      if (sum.name.empty()) sum.name = to_string(work.kind);
    }
    ++sum.count;
    sum.busy += work.at.length();
  }

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

  const ProcessIndex& index_;
  const AccountOptions& options_;
  Summary summary_;
  std::array<std::vector<Nanoseconds>, 6> samples_;
  std::map<std::tuple<WorkKind, std::uint32_t, std::uint32_t>, WorkSum> works_;
  std::vector<Nanoseconds> walls_;
};

Instance instance_of(const ProcessIndex& index, const RecordedRange& range) {
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

std::vector<Summary> account_ranges(const ProcessIndex& index, const AccountOptions& options) {
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

std::vector<Summary> account_streams(const ProcessIndex& index, const AccountOptions& options) {
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

std::vector<Summary> account_graphs(const ProcessIndex& index, const AccountOptions& options) {
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
  const ProcessIndex index(process);
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
  std::uint32_t launches = 0;  // of graphs, over all processes
  for (std::size_t p = 0; p < processes.size(); ++p) {
    const RecordedProcess& process = processes[p];
    std::map<std::uint32_t, Use*> use_of;
    std::set<StreamKey> streams;
    std::unordered_map<std::uint32_t, std::uint32_t> launch_of;  // correlation ids are each process's own
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
      std::uint32_t launch = 0;
      if (is_node) {
        const auto [entry, is_new] = launch_of.try_emplace(work.correlation_id, launches + 1);
        if (is_new) ++launches;
        launch = entry->second;
      }
      use->works.push_back({work.at, true, launch});
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
