// Implements study/measure/cost_fit.hpp.
#include "study/measure/cost_fit.hpp"

namespace gvf::study {

profiling::Result<profiling::LineFit> fit_cost(const std::vector<double>& x, const std::vector<double>& y) {
  std::vector<double> weights;
  for (const double value : y) weights.push_back(1 / (value * value));  // a y of 0 is refused by the fit
  return profiling::fit_line(x, y, weights);
}

}  // namespace gvf::study
