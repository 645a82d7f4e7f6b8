// The crossed split: see split.hpp.
#include "profiling/split.hpp"

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <set>

namespace gvf::profiling {

namespace {

std::string number(double value) {
  char text[64];
  std::snprintf(text, sizeof text, "%.3g", value);
  return text;
}

Reason not_separable(const std::string& why) {
  return Reason{"not separable: " + why};
}

bool is_time(const std::optional<double>& us) {
  return us && std::isfinite(*us) && *us > 0;
}

}  // namespace

Result<LineFit> fit_line(const std::vector<double>& x, const std::vector<double>& y,
                         const std::vector<double>& weights) {
  if (x.size() != y.size() || std::set<double>(x.begin(), x.end()).size() < 2)
    return Reason{"a line needs at least two distinct abscissae"};
  const auto weight = [&](std::size_t i) { return weights.empty() ? 1.0 : weights[i]; };
  double total = 0, mean_x = 0, mean_y = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    if (!std::isfinite(x[i]) || !std::isfinite(y[i]) || y[i] <= 0)
      return Reason{"a point of the line is not a positive number"};
    total += weight(i);
    mean_x += weight(i) * x[i];
    mean_y += weight(i) * y[i];
  }
  mean_x /= total;
  mean_y /= total;
  double xx = 0, xy = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    xx += weight(i) * (x[i] - mean_x) * (x[i] - mean_x);
    xy += weight(i) * (x[i] - mean_x) * (y[i] - mean_y);
  }
  LineFit fit;
  fit.slope = xy / xx;
  fit.intercept = mean_y - fit.slope * mean_x;
  for (std::size_t i = 0; i < x.size(); ++i)
    fit.relative_error =
        std::max(fit.relative_error, std::abs(fit.intercept + fit.slope * x[i] - y[i]) / y[i]);
  return fit;
}

Result<Split> crossed_split(const CrossedBusy& arms) {
  if (!is_time(arms.fused_us)) return not_separable("no busy time of the fused arm");
  if (!is_time(arms.separate_us)) return not_separable("no busy time of the separate arm");

  std::vector<double> slices, busy;
  const SlicePoint* sliced = nullptr;
  for (const SlicePoint& point : arms.sweep) {
    if (point.slices == arms.separate_kernels) sliced = &point;
    if (point.waves_per_slice < minimum_waves) continue;
    slices.push_back(point.slices);
    busy.push_back(point.busy_us);
  }
  if (!sliced)
    return not_separable("no sliced arm with " + std::to_string(arms.separate_kernels) +
                         " kernels, as many as the separate arm has");
  if (!is_time(sliced->busy_us)) return not_separable("no busy time of the sliced arm");
  if (!(sliced->waves_per_slice >= minimum_waves))
    return not_separable("a slice has " + number(sliced->waves_per_slice) + " waves, fewer than " +
                         number(minimum_waves));
  if (std::set<double>(slices.begin(), slices.end()).size() < 3)
    return not_separable("fewer than 3 slice counts with at least " + number(minimum_waves) +
                         " waves a slice");
  const auto fit = fit_line(slices, busy);
  if (!fit) return not_separable(fit.reason().text);
  if (fit->relative_error > maximum_fit_error)
    return not_separable("the sweep over slice counts is up to " + number(100 * fit->relative_error) +
                         "% off a + b*S, more than " + number(100 * maximum_fit_error) + "%");

  Split split;
  split.essential_us = *arms.fused_us;
  split.ramp_us = sliced->busy_us - *arms.fused_us;
  split.round_trip_us = *arms.separate_us - sliced->busy_us;
  split.ramp_per_slice_us = fit->slope;
  split.fit_relative_error = fit->relative_error;
  if (is_time(arms.separate_span_us) && is_time(arms.sliced_span_us))
    split.round_trip_by_clocks_us = *arms.separate_span_us - *arms.sliced_span_us;
  if (is_time(arms.persistent_us))
    split.round_trip_by_persistent_us = *arms.persistent_us - arms.barriers_us - *arms.fused_us;
  // The fit stands in for a sliced arm with as many kernels as blocked has, inside the sweep's range only.
  const auto range = std::minmax_element(slices.begin(), slices.end());
  if (is_time(arms.blocked_us) && arms.blocked_kernels >= *range.first &&
      arms.blocked_kernels <= *range.second) {
    split.round_trip_l2_us = *arms.blocked_us - (fit->intercept + fit->slope * arms.blocked_kernels);
    split.round_trip_dram_us = split.round_trip_us - *split.round_trip_l2_us;
  }
  return split;
}

}  // namespace gvf::profiling
