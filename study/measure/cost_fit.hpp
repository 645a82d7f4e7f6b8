// A cost that grows with the size of a graph, as a line. A pure function.
#pragma once

#include <vector>

#include "profiling/split.hpp"

namespace gvf::study {

// y = intercept + slope * x with the least squares of relative deviations: x runs over powers of 4, and plain
// least squares would give the small graphs no say. `relative_error` is the largest |fitted - measured| /
// measured. Needs two distinct x and positive y.
[[nodiscard]] profiling::Result<profiling::LineFit> fit_cost(const std::vector<double>& x,
                                                             const std::vector<double>& y);

}  // namespace gvf::study
