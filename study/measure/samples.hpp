// Percentiles of samples. Pure functions.
#pragma once

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <stdexcept>
#include <vector>

#include "profiling/attribution.hpp"

namespace gvf::study {

// The p-th percentile, 0 <= p <= 100, interpolated linearly between order statistics. Throws on no samples.
[[nodiscard]] inline double percentile(std::vector<double> samples, double p) {
  if (samples.empty()) throw std::invalid_argument("percentile of no samples");
  std::sort(samples.begin(), samples.end());
  const double rank = p / 100 * static_cast<double>(samples.size() - 1);
  const auto below = static_cast<std::size_t>(std::floor(rank));
  const std::size_t above = std::min(below + 1, samples.size() - 1);
  const double weight = rank - std::floor(rank);
  return samples[below] + weight * (samples[above] - samples[below]);
}

using profiling::median;

}  // namespace gvf::study
