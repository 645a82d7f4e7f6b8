// Implements study/measure/visit.hpp.
#include "study/measure/visit.hpp"

#include <algorithm>
#include <chrono>
#include <utility>

#include "study/measure/measure.hpp"

namespace gvf::study {
namespace {

constexpr int visits = 10;
// All visits to one runnable together: at least one iteration each, at most eight, and about this long.
constexpr double total_us = 20000;
constexpr double most_iterations = 8;

int iterations_per_visit(const std::string& mode, double expected_us) {
  if (mode == "trace") return 1;
  return static_cast<int>(std::clamp(total_us / visits / expected_us, 1.0, most_iterations));
}

}  // namespace

int visits_of(const std::string& mode) {
  return mode == "trace" ? 2 : visits;
}

void Visitor::settle(Runnable& runnable) {
  constexpr std::chrono::milliseconds long_enough(400);
  const auto end = std::chrono::steady_clock::now() + long_enough;
  while (std::chrono::steady_clock::now() < end) measure_latency(runnable);
}

void Visitor::visit(Runnable& runnable, PassRow& row) {
  for (int warm_up = 0; warm_up < 2; ++warm_up) measure_latency(runnable);
  const int iterations = iterations_per_visit(mode_, runnable.expected_us());
  for (int i = 0; i < iterations; ++i) {
    if (session_ != nullptr) session_->begin_iteration();
    const Latency latency = measure_latency(runnable);
    if (session_ != nullptr) session_->end_iteration();
    row.wall_us.push_back(latency.wall_us);
    row.host_us.push_back(latency.host_us);
  }
  if (session_ == nullptr) return take_spans(runnable, (iterations + 1) / 2, row);
  auto collected = session_->collect();
  if (!collected) {
    row.reason = collected.reason().text;
  } else if (keep_ == Keep::all_timelines || mode_ == "trace" || runnable.as_graph() == (mode_ == "graph")) {
    for (auto& timeline : collected.value().iterations) row.timelines.push_back(std::move(timeline));
  }
}

void Visitor::take_spans(Runnable& runnable, int iterations, PassRow& row) {
  for (int i = 0; i < iterations && no_span_.empty(); ++i) {
    const Span span = measure_span(stopwatch_, runnable);
    if (span.reason.empty()) {
      row.span_us.push_back(span.span_us);
    } else {
      row.no_span = span.reason;
      if (stopwatch_.gate.timed_out()) no_span_ = span.reason;
      return;
    }
  }
  if (!no_span_.empty()) row.no_span = no_span_;
}

}  // namespace gvf::study
