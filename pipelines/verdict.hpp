// The comparisons of the equivalence gate: pure functions of what came back and what should have.
#pragma once

#include <cstdint>
#include <span>

#include "pipelines/pipeline.hpp"

namespace gvf {

// One number against its double reference. Passes when |result - reference| <= bound; NaN never passes. A
// bound of 0 asks for the very float that the reference is.
[[nodiscard]] Verdict judge_sum(float result, double reference, double bound);

// Arrays that must agree bit for bit; NaN never passes. `detail` names the first difference and counts them.
[[nodiscard]] Verdict judge_bits(std::span<const float> result, std::span<const float> expected);

}  // namespace gvf
