// Seeded inputs and the bound of floating-point error, both on the host.
#pragma once

#include <cmath>
#include <cstdint>
#include <functional>
#include <span>

#include "pipelines/pipeline.hpp"

namespace gvf {

// Calls body(begin, end) on disjoint ranges that cover [0, n), from as many threads as the machine has cores.
void parallel_ranges(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& body);

// integers: whole numbers whose magnitudes sum to less than 2^24, so that float sums are exact in any order;
// the first and last 64 elements are never zero. reals: +-[1/8, 1), never zero. Element i depends on nothing
// but seed, i and n.
void generate_input(std::span<float> values, InputKind kind, std::uint64_t seed);

// A hash of the bits of `values`; equal arrays hash equal on every machine.
[[nodiscard]] std::uint64_t fingerprint(std::span<const float> values);

// The unit roundoff of binary32, round to nearest.
inline constexpr double float_unit_roundoff = 0x1p-24;

// gamma(m) = m u / (1 - m u): the relative error bound of m rounded operations in a row (N. J. Higham,
// Accuracy and Stability of Numerical Algorithms, 2nd ed., section 3.1).
[[nodiscard]] constexpr double gamma_bound(double operations) noexcept {
  return operations * float_unit_roundoff / (1.0 - operations * float_unit_roundoff);
}

}  // namespace gvf
