// Reduction of calibration records: see calibration.hpp.
#include "profiling/calibration.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "profiling/split.hpp"

namespace gvf::profiling {

namespace {

Nanoseconds median_ns(const std::vector<double>& samples) {
  return static_cast<Nanoseconds>(std::llround(median(samples)));
}

std::vector<Interval> in_start_order(const Timeline& timeline) {
  std::vector<Interval> works;
  for (const Work& work : timeline.works) works.push_back(work.at);
  std::stable_sort(works.begin(), works.end(),
                   [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  return works;
}

}  // namespace

Result<EmptyKernel> reduce_empty_kernel(const std::vector<Timeline>& iterations) {
  std::vector<double> latency, duration, completion;
  for (const Timeline& single : iterations) {
    if (single.works.size() != 1)
      return Reason{"calibration: " + std::to_string(single.works.size()) +
                    " works recorded where one kernel was launched"};
    const Interval& at = single.works.front().at;
    latency.push_back(static_cast<double>(at.begin - single.start));
    duration.push_back(static_cast<double>(at.length()));
    completion.push_back(static_cast<double>(single.sync_return - at.end));
  }
  if (latency.empty()) return Reason{"calibration: no empty kernel was recorded"};
  const EmptyKernel out{median_ns(latency), median_ns(duration), median_ns(completion)};
  if (out.launch_to_start_ns < 0 || out.completion_ns < 0)
    return Reason{"calibration: a constant came out negative (latency " +
                  std::to_string(out.launch_to_start_ns) + ", completion " +
                  std::to_string(out.completion_ns) + " ns): host and device clocks disagree"};
  return out;
}

Result<StreamEdges> reduce_stream_edges(const std::vector<Timeline>& trains,
                                        const std::vector<Timeline>& host_bound) {
  std::vector<double> gaps, busy_latency;
  for (const Timeline& train : trains) {
    const auto works = in_start_order(train);
    for (std::size_t i = 2; i < works.size(); ++i)  // 0 is the gate
      gaps.push_back(static_cast<double>(works[i].begin - works[i - 1].end));
  }
  if (gaps.empty()) return Reason{"calibration: no train of kernels was recorded"};
  StreamEdges out;
  out.gap_ns = median_ns(gaps);
  if (out.gap_ns < 0)
    return Reason{"calibration: the gap between dependent kernels came out negative (" +
                  std::to_string(out.gap_ns) + " ns): did they overlap?"};
  for (const Timeline& timeline : host_bound) {
    const auto works = in_start_order(timeline);
    if (works.size() != timeline.calls.size())
      return Reason{"calibration: " + std::to_string(timeline.calls.size()) + " launches marked, " +
                    std::to_string(works.size()) + " works recorded"};
    for (std::size_t i = 1; i < works.size(); ++i)
      if (works[i].begin - works[i - 1].end > out.gap_ns)
        busy_latency.push_back(static_cast<double>(works[i].begin - timeline.calls[i].at.begin));
  }
  if (busy_latency.empty()) return out;
  const Nanoseconds busy = median_ns(busy_latency);
  if (busy >= 0) out.busy_launch_to_start_ns = busy;
  return out;
}

Result<GraphNodes> reduce_graph_nodes(const std::map<int, std::vector<Timeline>>& chains) {
  std::vector<double> nodes, spans;
  for (const auto& [count, iterations] : chains) {
    std::vector<double> samples;
    for (const Timeline& iteration : iterations) {
      if (iteration.works.size() != 1)
        return Reason{"calibration: " + std::to_string(iteration.works.size()) +
                      " records where one graph was launched"};
      samples.push_back(static_cast<double>(iteration.works.front().at.length()));
    }
    if (samples.empty())
      return Reason{"calibration: no launch of the graph of " + std::to_string(count) + " nodes recorded"};
    nodes.push_back(count);
    spans.push_back(median(std::move(samples)));
  }
  const auto fit = fit_line(nodes, spans);
  if (!fit) return Reason{"calibration: " + fit.reason().text};
  return GraphNodes{fit->slope, fit->intercept + fit->slope, fit->relative_error};
}

Result<double> reduce_calls(const std::vector<Timeline>& trains) {
  std::vector<double> per_call;
  for (const Timeline& train : trains) {
    const auto calls = calls_of(train);
    if (!calls) return Reason{"calibration: " + calls.reason().text};
    const auto length = static_cast<double>(calls->back().at.end - calls->front().at.begin);
    per_call.push_back(length / 1000.0 / static_cast<double>(calls->size()));
  }
  if (per_call.empty()) return Reason{"calibration: no train of launches was recorded"};
  return median(std::move(per_call));
}

EdgeConstants calibrate(const EmptyKernelFigures& figures) {
  const EmptyKernel& traced = figures.traced;
  const auto added_ns = [](double traced_us, double untraced_us) {
    return std::max<Nanoseconds>(0, std::llround(1000 * (traced_us - untraced_us)));
  };
  const auto us = [](Nanoseconds ns) { return static_cast<double>(ns) / 1000; };
  EdgeConstants k;
  k.completion_ns = traced.completion_ns;
  k.empty_kernel_ns = traced.duration_ns;
  k.trace_cost_ns =
      added_ns(us(traced.launch_to_start_ns + traced.duration_ns + traced.completion_ns), figures.wall_us);
  k.launch_to_start_ns = std::max<Nanoseconds>(0, traced.launch_to_start_ns - k.trace_cost_ns);
  k.span_cost_ns = added_ns(figures.span_us, us(traced.duration_ns));
  if (figures.call_us && figures.traced_call_us)
    k.api_trace_cost_ns = added_ns(*figures.traced_call_us, *figures.call_us);
  if (!figures.edges) return k;
  k.gap_ns = figures.edges->gap_ns;
  if (figures.edges->busy_launch_to_start_ns)
    k.busy_launch_to_start_ns =
        std::max<Nanoseconds>(0, *figures.edges->busy_launch_to_start_ns - k.trace_cost_ns);
  return k;
}

}  // namespace gvf::profiling
