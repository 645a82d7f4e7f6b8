// Accounts of timelines: see timeline.hpp for the definitions.
#include "profiling/timeline.hpp"

#include <algorithm>
#include <initializer_list>
#include <iterator>
#include <limits>
#include <map>
#include <unordered_map>

namespace gvf::profiling {

std::string_view to_string(WorkKind kind) {
  switch (kind) {
    case WorkKind::kernel:
      return "kernel";
    case WorkKind::memcpy:
      return "memcpy";
    case WorkKind::memset:
      return "memset";
    case WorkKind::graph:
      return "graph";
  }
  return "unknown";
}

namespace {

std::string describe(const Interval& at) {
  return "[" + std::to_string(at.begin) + ", " + std::to_string(at.end) + "] ns";
}

std::vector<std::size_t> start_order(const std::vector<Work>& works) {
  std::vector<std::size_t> order(works.size());
  for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
  std::stable_sort(order.begin(), order.end(),
                   [&](std::size_t a, std::size_t b) { return works[a].at.begin < works[b].at.begin; });
  return order;
}

}  // namespace

std::optional<Reason> find_fault(const Timeline& timeline) {
  if (timeline.works.empty())
    return Reason{"the timeline has no device work: nothing was recorded between start and synchronisation"};
  if (timeline.sync_return < timeline.start)
    return Reason{"the synchronisation returned before the iteration started: " +
                  describe({timeline.start, timeline.sync_return})};
  for (const Work& work : timeline.works) {
    if (work.at.end < work.at.begin)
      return Reason{std::string(to_string(work.kind)) + " '" + work.name +
                    "' ends before it begins: " + describe(work.at)};
  }
  for (const Call& call : timeline.calls) {
    if (call.at.end < call.at.begin)
      return Reason{"call '" + call.name + "' returns before it starts: " + describe(call.at)};
  }
  return std::nullopt;
}

Result<Account> account(const Timeline& timeline, Nanoseconds device_gap) {
  if (auto fault = find_fault(timeline)) return *fault;
  if (device_gap < 0)
    return Reason{"the calibrated device gap is negative: " + std::to_string(device_gap) + " ns"};

  const std::vector<std::size_t> order = start_order(timeline.works);
  Account parts;
  const Nanoseconds first_start = timeline.works[order.front()].at.begin;
  parts.launch_latency = first_start - timeline.start;
  Nanoseconds latest_end = first_start;
  for (std::size_t i : order) {
    const Interval& at = timeline.works[i].at;
    const Nanoseconds idle = std::max<Nanoseconds>(0, at.begin - latest_end);
    const Nanoseconds gap = std::min(idle, device_gap);
    parts.gap += gap;
    parts.starved += idle - gap;
    parts.busy += std::max<Nanoseconds>(0, at.end - std::max(at.begin, latest_end));
    latest_end = std::max(latest_end, at.end);
  }
  parts.completion = timeline.sync_return - latest_end;
  return parts;
}

Nanoseconds union_length(std::vector<Interval> intervals) {
  std::sort(intervals.begin(), intervals.end(),
            [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  Nanoseconds covered = 0;
  Nanoseconds latest_end = std::numeric_limits<Nanoseconds>::min();
  for (const Interval& at : intervals) {
    if (at.end > latest_end) {
      covered += at.end - std::max(at.begin, latest_end);
      latest_end = at.end;
    }
  }
  return covered;
}

Result<Join> join(const Timeline& timeline) {
  if (auto fault = find_fault(timeline)) return *fault;
  Join joined;
  joined.works_of_call.resize(timeline.calls.size());

  // A runtime call and the driver call inside it may carry one id: the outer one is the submission.
  std::unordered_map<std::uint32_t, std::size_t> call_by_id;
  std::vector<Interval> submitting;
  for (std::size_t c = 0; c < timeline.calls.size(); ++c) {
    const Call& call = timeline.calls[c];
    if (is_submitting_call(call.name)) submitting.push_back(call.at);
    auto [entry, is_new] = call_by_id.emplace(call.correlation_id, c);
    if (!is_new && call.at.length() > timeline.calls[entry->second].at.length()) entry->second = c;
  }
  joined.host = union_length(std::move(submitting));

  joined.call_of_work.resize(timeline.works.size());
  for (std::size_t w : start_order(timeline.works)) {
    const auto entry = call_by_id.find(timeline.works[w].correlation_id);
    if (entry == call_by_id.end()) {
      ++joined.orphans;
      continue;
    }
    joined.call_of_work[w] = entry->second;
    joined.works_of_call[entry->second].push_back(w);
  }
  return joined;
}

namespace {

bool ends_with_version(std::string_view name, std::size_t& stem) {
  // "_v" followed by digits only, e.g. _v7000 (runtime) or _v2 (driver).
  std::size_t digits = name.size();
  while (digits > 0 && name[digits - 1] >= '0' && name[digits - 1] <= '9') --digits;
  if (digits == name.size() || digits < 2 || name.substr(digits - 2, 2) != "_v") return false;
  stem = digits - 2;
  return true;
}

bool starts_with_any(std::string_view name, std::initializer_list<std::string_view> prefixes) {
  return std::any_of(prefixes.begin(), prefixes.end(), [&](auto p) { return name.starts_with(p); });
}

bool is_any(std::string_view name, std::initializer_list<std::string_view> names) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

}  // namespace

std::string_view base_name(std::string_view api_call) {
  for (;;) {
    std::size_t stem = 0;
    if (ends_with_version(api_call, stem)) {
      api_call = api_call.substr(0, stem);
    } else if (api_call.ends_with("_ptsz") || api_call.ends_with("_ptds")) {
      api_call.remove_suffix(5);
    } else {
      return api_call;
    }
  }
}

bool is_submitting_call(std::string_view api_call) {
  // From cupti_runtime_cbid.h and cupti_driver_cbid.h of 13.0. __cudaLaunchKernel is what a <<<>>> launch
  // becomes there. Host functions are left out: they put nothing on the device.
  const std::string_view name = base_name(api_call);
  return is_any(name,
                {"cudaLaunch", "cudaLaunchKernel", "__cudaLaunchKernel", "cudaLaunchKernelEx",
                 "cudaLaunchKernelExC", "cudaLaunchCooperativeKernel",
                 "cudaLaunchCooperativeKernelMultiDevice", "cudaGraphLaunch", "cuLaunch", "cuLaunchGrid",
                 "cuLaunchGridAsync", "cuLaunchKernel", "cuLaunchKernelEx", "cuLaunchCooperativeKernel",
                 "cuLaunchCooperativeKernelMultiDevice", "cuGraphLaunch"}) ||
         starts_with_any(name, {"cudaMemcpy", "cudaMemset", "cuMemcpy", "cuMemset"});
}

bool is_sync_call(std::string_view api_call) {
  return is_any(base_name(api_call),
                {"cudaDeviceSynchronize", "cudaStreamSynchronize", "cudaEventSynchronize",
                 "cudaThreadSynchronize", "cuCtxSynchronize", "cuStreamSynchronize", "cuEventSynchronize"});
}

bool is_blocking_copy(std::string_view api_call) {
  const std::string_view name = base_name(api_call);
  return starts_with_any(name, {"cudaMemcpy", "cuMemcpy"}) && name.find("Async") == std::string_view::npos &&
         name.find("Batch") == std::string_view::npos;
}

Cut cut_into_iterations(const std::vector<Interval>& marks, std::vector<Call> calls,
                        std::vector<Work> works) {
  Cut cut;
  cut.iterations.resize(marks.size());
  std::multimap<Nanoseconds, std::size_t> by_begin;
  for (std::size_t m = 0; m < marks.size(); ++m) {
    cut.iterations[m].start = marks[m].begin;
    cut.iterations[m].sync_return = marks[m].end;
    by_begin.emplace(marks[m].begin, m);
  }
  const auto mark_of = [&](Nanoseconds when) -> std::optional<std::size_t> {
    auto after = by_begin.upper_bound(when);
    if (after == by_begin.begin()) return std::nullopt;
    const std::size_t m = std::prev(after)->second;
    if (when > marks[m].end) return std::nullopt;
    return m;
  };

  std::unordered_map<std::uint32_t, std::optional<std::size_t>> mark_by_id;
  for (Call& call : calls) {
    const auto mark = mark_of(call.at.begin);
    mark_by_id[call.correlation_id] = mark;
    if (mark)
      cut.iterations[*mark].calls.push_back(std::move(call));
    else
      ++cut.outside;
  }
  for (Work& work : works) {
    const auto submitted = mark_by_id.find(work.correlation_id);
    const auto mark = submitted != mark_by_id.end() ? submitted->second : mark_of(work.at.begin);
    if (mark)
      cut.iterations[*mark].works.push_back(std::move(work));
    else
      ++cut.outside;
  }
  for (Timeline& iteration : cut.iterations) {
    const auto earlier = [](const auto& a, const auto& b) { return a.at.begin < b.at.begin; };
    std::stable_sort(iteration.calls.begin(), iteration.calls.end(), earlier);
    std::stable_sort(iteration.works.begin(), iteration.works.end(), earlier);
  }
  return cut;
}

}  // namespace gvf::profiling
