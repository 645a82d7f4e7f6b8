// Implements study/measure/break_even.hpp.
#include "study/measure/break_even.hpp"

#include <cmath>
#include <functional>
#include <stdexcept>

#include "study/measure/samples.hpp"

namespace gvf::study {
namespace {

// A quotient that is whole but for rounding is that whole number, not the next one.
double whole_up(double value) {
  constexpr double rounding = 1e-9;
  return std::ceil(value - rounding * std::fabs(value));
}

std::optional<double> once(double one_off_us, double saving_us) {
  if (!(saving_us > 0)) return std::nullopt;
  return std::fmax(0, whole_up(one_off_us / saving_us));
}

// After c complete periods the graph is c * (period * saving - one_off) ahead, and the next one-off costs are
// due. It stays ahead from the first c on for which that pays them; it drew level in the period before, c
// one-off costs behind it.
std::optional<double> every(double period, double one_off_us, double saving_us) {
  if (!(saving_us > 0)) return std::nullopt;
  const double gained_us = period * saving_us - one_off_us;
  if (one_off_us <= 0) return 0;
  if (!(gained_us > 0)) return std::nullopt;
  const double periods = std::fmax(1, whole_up(one_off_us / gained_us));
  return whole_up(periods * one_off_us / saving_us);
}

using Point = std::function<std::optional<double>(double one_off_us, double saving_us)>;

BreakEven with_interval(const Point& point, const Spread& one_off, const Spread& stream,
                        const Spread& replay) {
  return {point(one_off.p50, stream.p50 - replay.p50), point(one_off.p10, stream.p90 - replay.p10),
          point(one_off.p90, stream.p10 - replay.p90)};
}

}  // namespace

Spread spread_of(const std::vector<double>& samples) {
  return {percentile(samples, 10), percentile(samples, 50), percentile(samples, 90)};
}

std::vector<double> sum_of_samples(const std::vector<const std::vector<double>*>& parts) {
  if (parts.empty()) throw std::invalid_argument("a sum of no samples");
  std::vector<double> sum(parts.front()->size());
  for (const std::vector<double>* part : parts) {
    if (part->size() != sum.size())
      throw std::invalid_argument("samples of different repetitions do not add up");
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += (*part)[i];
  }
  return sum;
}

BreakEven break_even(const Spread& one_off, const Spread& stream, const Spread& replay) {
  return with_interval(once, one_off, stream, replay);
}

BreakEven break_even_every(double period, const Spread& one_off, const Spread& stream, const Spread& replay) {
  if (!(period >= 1)) throw std::invalid_argument("a period of less than one replay");
  const auto point = [period](double one_off_us, double saving_us) {
    return every(period, one_off_us, saving_us);
  };
  return with_interval(point, one_off, stream, replay);
}

}  // namespace gvf::study
