// Implements pipelines/verdict.hpp.
#include "pipelines/verdict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <bit>
#include <cmath>
#include <limits>
#include <mutex>

#include "pipelines/input.hpp"

namespace gvf {

Verdict judge_sum(float result, double reference, double bound) {
  Verdict verdict;
  verdict.bound = bound;
  verdict.error = std::abs(static_cast<double>(result) - reference);
  verdict.passed = verdict.error <= bound;  // false for NaN
  if (!verdict.passed) verdict.detail = fmt::format("got {:.9g}, expected {:.9g}", result, reference);
  return verdict;
}

Verdict judge_bits(std::span<const float> result, std::span<const float> expected) {
  Verdict verdict;
  if (result.size() != expected.size()) {
    verdict.detail = fmt::format("got {} elements, expected {}", result.size(), expected.size());
    verdict.error = std::numeric_limits<double>::infinity();
    return verdict;
  }
  const auto n = static_cast<std::int64_t>(expected.size());
  std::mutex guard;
  std::int64_t different = 0;
  std::int64_t first = n;
  double worst = 0;
  parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
    std::int64_t mine = 0;
    std::int64_t mine_first = n;
    double mine_worst = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const float got = result[static_cast<std::size_t>(i)];
      const float want = expected[static_cast<std::size_t>(i)];
      if (std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want) && !std::isnan(got))
        continue;
      if (mine++ == 0) mine_first = i;
      const double error = std::abs(static_cast<double>(got) - static_cast<double>(want));
      mine_worst = std::max(mine_worst, std::isnan(error) ? std::numeric_limits<double>::infinity() : error);
    }
    const std::scoped_lock lock(guard);
    different += mine;
    first = std::min(first, mine_first);
    worst = std::max(worst, mine_worst);
  });
  verdict.error = worst;
  verdict.passed = different == 0;
  if (!verdict.passed) {
    verdict.detail = fmt::format("{} of {} elements differ, the first at {}: got {:.9g}, expected {:.9g}",
                                 different, n, first, result[static_cast<std::size_t>(first)],
                                 expected[static_cast<std::size_t>(first)]);
  }
  return verdict;
}

}  // namespace gvf
