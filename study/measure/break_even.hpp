// When a graph has paid for itself: pure functions of samples.
#pragma once

#include <optional>
#include <vector>

namespace gvf::study {

// A cost with the spread of its samples, microseconds: 10th, 50th and 90th percentile.
struct Spread {
  double p10 = 0, p50 = 0, p90 = 0;
};
// Throws std::invalid_argument on no samples.
[[nodiscard]] Spread spread_of(const std::vector<double>& samples);

// Sample by sample; what is paid together is summed before its percentiles are taken. Throws
// std::invalid_argument where lengths differ.
[[nodiscard]] std::vector<double> sum_of_samples(const std::vector<const std::vector<double>*>& parts);

// Replays after which a graph has paid for itself, a whole number; empty: never. `low` and `high` are what
// the noise allows: costs and savings at the ends of their samples' p10 .. p90 that favour the graph most,
// and least.
struct BreakEven {
  std::optional<double> replays, low, high;
  bool operator==(const BreakEven&) const = default;
};

// `one_off` is paid once; each iteration costs `stream` without the graph and `replay` with it.
[[nodiscard]] BreakEven break_even(const Spread& one_off, const Spread& stream, const Spread& replay);

// The same where `one_off` is paid anew every `period` >= 1 replays, before the first of them. Paid means for
// good: the graph does not fall behind again, not even where the next one-off costs are due.
[[nodiscard]] BreakEven break_even_every(double period, const Spread& one_off, const Spread& stream,
                                         const Spread& replay);

}  // namespace gvf::study
