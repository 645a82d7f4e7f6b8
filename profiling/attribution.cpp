// Reconstruction and attribution of untraced wall times: see attribution.hpp.
#include "profiling/attribution.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <functional>

namespace gvf::profiling {

namespace {

constexpr double ns_per_us = 1000.0;

// A pass whose own wall is this far from the untraced one gets a mark; below it, run-to-run noise.
constexpr double disturbance_worth_a_mark = 0.05;

std::string format(const char* pattern, double value) {
  char text[160];
  std::snprintf(text, sizeof text, pattern, value);
  return text;
}

std::optional<Reason> find_fault(const EdgeConstants& k) {
  if (k.gap_ns < 0 || k.launch_to_start_ns < 0 || k.completion_ns < 0 || k.api_trace_cost_ns < 0 ||
      k.span_cost_ns < 0 || k.busy_launch_to_start_ns.value_or(0) < 0)
    return Reason{"a launch constant is negative: calibrate again"};
  return std::nullopt;
}

std::optional<Reason> find_fault(const std::vector<double>& untraced_wall_us) {
  if (untraced_wall_us.empty()) return Reason{"no untraced wall samples: there is nothing to explain"};
  for (double wall : untraced_wall_us)
    if (!std::isfinite(wall) || wall <= 0) return Reason{format("an untraced wall sample is %g us", wall)};
  return std::nullopt;
}

double us(Nanoseconds ns) {
  return static_cast<double>(ns) / ns_per_us;
}

// First start to last end of the works.
Result<double> median_span_us(const std::vector<Timeline>& timelines) {
  std::vector<double> spans;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    if (auto fault = find_fault(timelines[i]))
      return Reason{"iteration " + std::to_string(i) + ": " + fault->text};
    const auto& works = timelines[i].works;
    Interval whole = works.front().at;
    for (const Work& work : works)
      whole = {std::min(whole.begin, work.at.begin), std::max(whole.end, work.at.end)};
    spans.push_back(us(whole.length()));
  }
  return median(std::move(spans));
}

double interquartile_range(std::vector<double> samples) {
  std::sort(samples.begin(), samples.end());
  const auto at = [&](double quantile) {
    return samples[static_cast<std::size_t>(
        std::llround(quantile * static_cast<double>(samples.size() - 1)))];
  };
  return at(0.75) - at(0.25);
}

// A traced call as it would have been: each traced call before it, and it itself, took `cost` longer.
Interval untraced(const Interval& traced, Nanoseconds calls_before, Nanoseconds cost) {
  const Nanoseconds begin = std::max<Nanoseconds>(0, traced.begin - calls_before * cost);
  return {begin, std::max(begin, traced.end - (calls_before + 1) * cost)};
}

double median_wall_us(const std::vector<Timeline>& timelines) {
  std::vector<double> walls;
  for (const Timeline& t : timelines) walls.push_back(static_cast<double>(t.wall()) / ns_per_us);
  return median(std::move(walls));
}

void set_wall(Attribution& row, const std::vector<double>& samples) {
  row.wall_us = median(samples);
  row.wall_iqr_us = interquartile_range(samples);
  row.passes["untraced"] = row.wall_us;
}

void add_pass(Attribution& row, const std::string& mode, const std::vector<Timeline>& timelines) {
  const double wall = median_wall_us(timelines);
  row.passes[mode] = wall;
  const double disturbance = wall / row.wall_us - 1.0;
  if (std::abs(disturbance) >= disturbance_worth_a_mark)
    row.marks.push_back(mode + format(" pass disturbs wall by %+.0f%%", 100.0 * disturbance));
}

// Takes each part's median over the accounts and lets the residual close the sum.
void close_over(Attribution& row, const std::vector<Account>& accounts) {
  const auto part = [&](Nanoseconds Account::*member) {
    std::vector<double> samples;
    for (const Account& a : accounts) samples.push_back(static_cast<double>(a.*member) / ns_per_us);
    return median(std::move(samples));
  };
  row.parts.launch_latency_us = part(&Account::launch_latency);
  row.parts.starved_us = part(&Account::starved);
  row.parts.gap_us = part(&Account::gap);
  row.parts.busy_us = part(&Account::busy);
  row.parts.completion_us = part(&Account::completion);
  row.parts.residual_us = 0;
  row.parts.residual_us = row.wall_us - row.parts.sum();
  row.evidence["residual"] = "untraced wall - sum of the parts' medians";
}

// The device's gap at this row's own edges: what its untraced span leaves beside its kernels' durations. Sets
// the row's span; where there is none, or nothing is left, the calibrated gap or zero.
Result<Nanoseconds> edge_of(Attribution& row, const StreamEvidence& evidence,
                            const EdgeConstants& constants) {
  if (evidence.gated_span_us.empty()) return constants.gap_ns;
  const auto busy_us = median_busy_us(evidence.kernel_pass);
  if (!busy_us) return Reason{"kernel pass: " + busy_us.reason().text};
  row.span_us = median(evidence.gated_span_us) - us(constants.span_cost_ns);
  const double left_us = *row.span_us - *busy_us;
  if (left_us < -disturbance_worth_a_mark * *row.span_us)
    row.marks.push_back(
        format("kernel pass reads more than the untraced span by %.0f%%", -100.0 * left_us / *row.span_us));
  const std::size_t works = evidence.kernel_pass.front().works.size();
  if (works < 2) return constants.gap_ns;  // no edge
  return std::max<Nanoseconds>(0, std::llround(left_us * ns_per_us / static_cast<double>(works - 1)));
}

}  // namespace

double launch_side_us(const Parts& parts) {
  return parts.launch_latency_us + parts.starved_us + parts.completion_us;
}

std::optional<double> launch_side_by_clocks_us(const Attribution& row) {
  if (!row.span_us) return std::nullopt;
  return row.wall_us - *row.span_us;
}

double median(std::vector<double> samples) {
  const std::size_t middle = samples.size() / 2;
  std::nth_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(middle), samples.end());
  const double upper = samples.at(middle);
  if (samples.size() % 2 == 1) return upper;
  return 0.5 *
         (upper + *std::max_element(samples.begin(), samples.begin() + static_cast<std::ptrdiff_t>(middle)));
}

Result<IterationCalls> calls_of(const Timeline& timeline) {
  std::vector<const Call*> submitting;
  for (const Call& call : timeline.calls) {
    if (call.at.end < call.at.begin) return Reason{"call '" + call.name + "' returns before it starts"};
    if (is_submitting_call(call.name)) submitting.push_back(&call);
  }
  std::stable_sort(submitting.begin(), submitting.end(),
                   [](const Call* a, const Call* b) { return a->at.begin < b->at.begin; });
  const auto works_with = [&](std::uint32_t id) {
    return static_cast<int>(std::count_if(timeline.works.begin(), timeline.works.end(),
                                          [&](const Work& w) { return w.correlation_id == id; }));
  };
  IterationCalls kept;
  const Call* outer = nullptr;
  for (const Call* call : submitting) {
    // A driver call inside a runtime call is the same submission; it may carry the same id or its own.
    const bool nested = outer && call->at.end <= outer->at.end;
    if (nested) {
      if (call->correlation_id != outer->correlation_id)
        kept.back().works += works_with(call->correlation_id);
      continue;
    }
    outer = call;
    const Interval at{call->at.begin - timeline.start, call->at.end - timeline.start};
    kept.push_back({at, works_with(call->correlation_id)});
  }
  if (timeline.works.empty())
    for (CallEvidence& call : kept) call.works = 1;
  if (kept.empty()) return Reason{"the iteration has no submitting call"};
  return kept;
}

Result<IterationWorks> works_of(const Timeline& timeline) {
  if (auto fault = find_fault(timeline)) return *fault;
  std::vector<Interval> order;
  for (const Work& work : timeline.works) order.push_back(work.at);
  std::stable_sort(order.begin(), order.end(),
                   [](const Interval& a, const Interval& b) { return a.begin < b.begin; });
  IterationWorks works;
  Nanoseconds latest_end = order.front().begin;
  for (const Interval& at : order) {
    works.push_back({at.length(), std::max<Nanoseconds>(0, latest_end - at.begin)});
    latest_end = std::max(latest_end, at.end);
  }
  return works;
}

Result<Timeline> reconstruct(const IterationCalls& calls, const IterationWorks& works,
                             const EdgeConstants& constants) {
  if (auto fault = find_fault(constants)) return *fault;
  std::size_t submitted = 0;
  for (const CallEvidence& call : calls) submitted += static_cast<std::size_t>(std::max(call.works, 0));
  if (works.empty() || submitted != works.size())
    return Reason{"the passes disagree: the submitting calls account for " + std::to_string(submitted) +
                  " works, the kernel pass recorded " + std::to_string(works.size())};

  Timeline built;
  Nanoseconds latest_end = 0;
  Nanoseconds last_return = 0;
  std::size_t w = 0;
  for (std::size_t c = 0; c < calls.size(); ++c) {
    const auto id = static_cast<std::uint32_t>(c + 1);
    const Interval call = untraced(calls[c].at, static_cast<Nanoseconds>(c), constants.api_trace_cost_ns);
    built.calls.push_back({call, id, "submitting call " + std::to_string(id)});
    last_return = std::max(last_return, call.end);
    for (int k = 0; k < calls[c].works; ++k, ++w) {
      const bool is_first = w == 0;
      const Nanoseconds latency =
          is_first ? constants.launch_to_start_ns
                   : constants.busy_launch_to_start_ns.value_or(constants.launch_to_start_ns);
      Interval at;
      at.begin = call.begin + latency;
      if (!is_first) {
        // An overlap is kept as traced: such a kernel comes up early and waits for its predecessor.
        const Nanoseconds ready =
            works[w].overlap > 0 ? latest_end - works[w].overlap : latest_end + constants.gap_ns;
        at.begin = std::max(at.begin, ready);
      }
      if (works[w].overlap > 0) {
        // Only what the kernel did after its predecessor's end is work of its own; starting late costs no
        // more.
        const Nanoseconds own = std::max<Nanoseconds>(0, works[w].duration - works[w].overlap);
        at.end = std::max(at.begin, latest_end) + own;
      } else {
        at.end = at.begin + works[w].duration;
      }
      latest_end = std::max(latest_end, at.end);
      built.works.push_back({at, id, WorkKind::kernel, "work " + std::to_string(w + 1), 0, 0, 0});
    }
  }
  built.sync_return = std::max(latest_end, last_return) + constants.completion_ns;
  return built;
}

Result<Attribution> attribute_stream(const StreamEvidence& evidence, const EdgeConstants& constants) {
  if (auto fault = find_fault(constants)) return *fault;
  if (auto fault = find_fault(evidence.untraced_wall_us)) return *fault;
  const std::size_t iterations = std::min(evidence.api_pass.size(), evidence.kernel_pass.size());
  if (iterations == 0)
    return Reason{"no iterations in the " + std::string(evidence.api_pass.empty() ? "api" : "kernel") +
                  " pass"};

  Attribution row;
  set_wall(row, evidence.untraced_wall_us);
  add_pass(row, "api", evidence.api_pass);
  add_pass(row, "kernel", evidence.kernel_pass);

  const auto edge = edge_of(row, evidence, constants);
  if (!edge) return edge.reason();
  EdgeConstants of_row = constants;
  of_row.gap_ns = *edge;

  std::vector<Account> accounts;
  bool overlaps = false;
  for (std::size_t i = 0; i < iterations; ++i) {
    const std::string where = "iteration " + std::to_string(i) + ": ";
    const auto calls = calls_of(evidence.api_pass[i]);
    if (!calls) return Reason{where + "api pass: " + calls.reason().text};
    const auto works = works_of(evidence.kernel_pass[i]);
    if (!works) return Reason{where + "kernel pass: " + works.reason().text};
    for (const WorkEvidence& work : *works) overlaps |= work.overlap > 0;
    const auto built = reconstruct(*calls, *works, of_row);
    if (!built) return Reason{where + built.reason().text};
    const auto parts = account(*built, of_row.gap_ns);
    if (!parts) return Reason{where + parts.reason().text};
    accounts.push_back(*parts);
  }
  close_over(row, accounts);
  row.evidence["launch_latency"] =
      "first call from the api pass + untraced launch constant of an empty kernel";
  row.evidence["starved"] =
      "reconstruction: call starts from the api pass less what it adds to a call, durations from the kernel "
      "pass";
  row.evidence["gap"] = row.span_us ? "untraced span between two events behind a gate, less busy, an edge"
                                    : "calibrated, traced gap between kernels behind a gate";
  row.evidence["busy"] = "kernel durations from the kernel pass";
  row.evidence["completion"] =
      "completion constant of an empty kernel, from the later of last end and last return";
  if (overlaps) row.marks.push_back("works overlap in the kernel pass: the overlap is kept as traced");
  return row;
}

Result<Attribution> attribute_graph(const GraphEvidence& evidence, const EdgeConstants& constants) {
  if (auto fault = find_fault(constants)) return *fault;
  if (auto fault = find_fault(evidence.untraced_wall_us)) return *fault;
  if (evidence.gated_span_us.empty()) return Reason{"no untraced span samples of the graph"};
  if (evidence.twin_busy_us && !(std::isfinite(*evidence.twin_busy_us) && *evidence.twin_busy_us >= 0))
    return Reason{format("the stream twin's busy time is %g us", *evidence.twin_busy_us)};
  const double span_us = median(evidence.gated_span_us) - us(constants.span_cost_ns);
  if (!(std::isfinite(span_us) && span_us > 0))
    return Reason{format("the graph's span less what an empty graph's events read is %g us", span_us)};

  Attribution row;
  set_wall(row, evidence.untraced_wall_us);
  row.span_us = span_us;
  if (!evidence.graph_pass.empty()) {
    add_pass(row, "graph", evidence.graph_pass);
    const auto traced_span_us = median_span_us(evidence.graph_pass);
    if (!traced_span_us) return Reason{"graph pass: " + traced_span_us.reason().text};
    const double difference = *traced_span_us / span_us - 1.0;
    if (std::abs(difference) >= disturbance_worth_a_mark)
      row.marks.push_back(format("graph pass reads another span: %+.0f%%", 100.0 * difference));
  }

  row.parts.launch_latency_us = us(constants.launch_to_start_ns);
  row.parts.busy_us = std::min(evidence.twin_busy_us.value_or(span_us), span_us);
  row.parts.gap_us = span_us - row.parts.busy_us;
  row.parts.starved_us = std::max(0.0, evidence.longer_call_us - span_us);
  row.parts.completion_us = us(constants.completion_ns);
  row.parts.residual_us = row.wall_us - row.parts.sum();
  row.evidence["launch_latency"] =
      "graph-level record of an empty graph, less what the pass adds to its untraced wall";
  row.evidence["starved"] =
      row.parts.starved_us > 0
          ? "modelled: the launch call's untraced time, less an empty graph's and less the span"
          : "none inside a graph: the device launches its nodes";
  row.evidence["completion"] = "graph-level record of an empty graph";
  row.evidence["residual"] = "untraced wall - sum of the parts";
  if (evidence.twin_busy_us) {
    row.modelled = true;
    row.evidence["busy"] = "modelled: kernel durations of the stream twin, at most the graph's span";
    row.evidence["gap"] = "modelled: the rest of the untraced span between two events behind a gate";
  } else {
    row.evidence["busy"] = "the graph's whole untraced span between two events behind a gate";
    row.evidence["gap"] = "not split from busy: no stream twin";
    row.marks.push_back("the span is not split: no kernel durations of a stream twin");
  }
  return row;
}

Result<double> median_busy_us(const std::vector<Timeline>& timelines) {
  if (timelines.empty()) return Reason{"no iterations to take busy time from"};
  std::vector<double> busy;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const auto parts = account(timelines[i], 0);
    if (!parts) return Reason{"iteration " + std::to_string(i) + ": " + parts.reason().text};
    busy.push_back(static_cast<double>(parts->busy) / ns_per_us);
  }
  return median(std::move(busy));
}

}  // namespace gvf::profiling
