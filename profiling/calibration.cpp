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

Result<StreamConstants> reduce_stream(const EmptyKernelPass& pass) {
  StreamConstants out;
  std::vector<double> latency, completion, duration, gaps, busy_latency;
  for (const Timeline& single : pass.singles) {
    if (single.works.size() != 1)
      return Reason{"calibration: " + std::to_string(single.works.size()) +
                    " works recorded where one kernel was launched"};
    const Interval& at = single.works.front().at;
    latency.push_back(static_cast<double>(at.begin - single.start));
    completion.push_back(static_cast<double>(single.sync_return - at.end));
    duration.push_back(static_cast<double>(at.length()));
  }
  for (const Timeline& train : pass.trains) {
    const auto works = in_start_order(train);
    for (std::size_t i = 2; i < works.size(); ++i)  // 0 is the gate
      gaps.push_back(static_cast<double>(works[i].begin - works[i - 1].end));
  }
  if (latency.empty() || gaps.empty())
    return Reason{"calibration: no single kernels or no trains of kernels recorded"};
  out.launch_to_start_ns = median_ns(latency);
  out.completion_ns = median_ns(completion);
  out.empty_kernel_ns = median_ns(duration);
  out.stream_gap_ns = median_ns(gaps);
  if (out.launch_to_start_ns < 0 || out.completion_ns < 0 || out.stream_gap_ns < 0)
    return Reason{"calibration: a constant came out negative (latency " +
                  std::to_string(out.launch_to_start_ns) + ", completion " +
                  std::to_string(out.completion_ns) + ", gap " + std::to_string(out.stream_gap_ns) +
                  " ns): host and device clocks disagree"};

  for (const Timeline& timeline : pass.host_bound) {
    const auto works = in_start_order(timeline);
    if (works.size() != timeline.calls.size())
      return Reason{"calibration: " + std::to_string(timeline.calls.size()) + " launches marked, " +
                    std::to_string(works.size()) + " works recorded"};
    for (std::size_t i = 1; i < works.size(); ++i)
      if (works[i].begin - works[i - 1].end > out.stream_gap_ns)
        busy_latency.push_back(static_cast<double>(works[i].begin - timeline.calls[i].at.begin));
  }
  constexpr double distinguishable = 0.05;
  if (!busy_latency.empty()) {
    const Nanoseconds busy = median_ns(busy_latency);
    const auto idle = static_cast<double>(out.launch_to_start_ns);
    if (busy >= 0 && std::abs(static_cast<double>(busy) - idle) >= distinguishable * idle)
      out.busy_launch_to_start_ns = busy;
  }
  return out;
}

Result<GraphConstants> reduce_graph(const std::map<int, std::vector<Timeline>>& passes) {
  std::vector<double> nodes, spans;
  double first_node_wall_ns = 0;
  for (const auto& [count, iterations] : passes) {
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
    if (count != 1) continue;
    std::vector<double> walls;
    for (const Timeline& iteration : iterations) walls.push_back(static_cast<double>(iteration.wall()));
    first_node_wall_ns = median(std::move(walls));
  }
  const auto fit = fit_line(nodes, spans);
  if (!fit) return Reason{"calibration: " + fit.reason().text};
  return GraphConstants{fit->slope, fit->intercept + fit->slope, fit->relative_error, first_node_wall_ns};
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

Calibration combine(const StreamConstants& stream, const GraphConstants& graph, double traced_call_us,
                    const UntracedWalls& untraced) {
  Calibration out;
  EdgeConstants& k = out.constants;
  k.stream_gap_ns = stream.stream_gap_ns;
  k.completion_ns = stream.completion_ns;
  k.empty_kernel_ns = stream.empty_kernel_ns;

  const Nanoseconds traced_wall = stream.launch_to_start_ns + stream.empty_kernel_ns + stream.completion_ns;
  k.kernel_trace_cost_ns = std::max<Nanoseconds>(0, traced_wall - std::llround(1000 * untraced.stream_us));
  k.graph_trace_cost_ns =
      std::max<Nanoseconds>(0, std::llround(graph.first_node_wall_ns - 1000 * untraced.graph_us));
  k.api_trace_cost_ns = std::max<Nanoseconds>(0, std::llround(1000 * (traced_call_us - untraced.call_us)));
  const auto without_tracing = [&k](Nanoseconds latency) {
    return std::max<Nanoseconds>(0, latency - k.kernel_trace_cost_ns);
  };
  k.launch_to_start_ns = without_tracing(stream.launch_to_start_ns);
  if (stream.busy_launch_to_start_ns)
    k.busy_launch_to_start_ns = without_tracing(*stream.busy_launch_to_start_ns);

  const double gap = graph.node_period_ns - static_cast<double>(stream.empty_kernel_ns);
  k.graph_gap_ns = std::max<Nanoseconds>(0, std::llround(gap));
  if (gap < 0) {
    char text[200];
    std::snprintf(
        text, sizeof text,
        "graph gap not separable: a graph issues empty nodes every %.0f ns, an empty kernel reads %lld ns",
        graph.node_period_ns, static_cast<long long>(stream.empty_kernel_ns));
    out.marks.emplace_back(text);
  }
  return out;
}

}  // namespace gvf::profiling
