// Implements study/measure/cost_fit.hpp.
#include "study/measure/cost_fit.hpp"

#include <algorithm>
#include <cmath>
#include <set>

namespace gvf::study {

profiling::Result<profiling::LineFit> fit_cost(const std::vector<double>& x, const std::vector<double>& y) {
  if (x.size() != y.size() || std::set<double>(x.begin(), x.end()).size() < 2)
    return profiling::Reason{"a line needs at least two distinct abscissae"};
  double weights = 0, mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || y[i] <= 0)
      return profiling::Reason{"a point of the line is not a positive number"};
    const double weight = 1 / (y[i] * y[i]);
    weights += weight;
    mean_x += weight * x[i];
    mean_y += weight * y[i];
  }
  mean_x /= weights;
  mean_y /= weights;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double weight = 1 / (y[i] * y[i]);
    xx += weight * (x[i] - mean_x) * (x[i] - mean_x);
    xy += weight * (x[i] - mean_x) * (y[i] - mean_y);
  }
  profiling::LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double fitted = fit.intercept + fit.slope * x[i];
    fit.relative_error = std::max(fit.relative_error, std::abs(fitted - y[i]) / y[i]);
  }
  return fit;
}

}  // namespace gvf::study
