// The crossed split of busy time: what a computation needs, what cutting it into kernels costs, and what the
// trips of its intermediates through memory cost. Given only where the arms can be told apart. Pure
// functions.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "profiling/result.hpp"

namespace gvf::profiling {

/// The fused kernel cut into `slices` launches, same submission as the other arms.
struct SlicePoint {
  int slices = 0;
  double busy_us = 0;
  double waves_per_slice = 0;  ///< blocks of one slice / blocks resident at once
};

/// Median busy times at equal submission. An absent arm stays empty, with the reason in `absent`.
struct CrossedBusy {
  std::optional<double> fused_us;
  std::optional<double> separate_us;
  int separate_kernels = 0;       ///< the sliced arm is taken at this slice count: equal launches
  std::vector<SlicePoint> sweep;  ///< must contain slices == separate_kernels
  /// Untraced spans with the host ahead of the same two arms at equal launches: the second route.
  std::optional<double> separate_span_us, sliced_span_us;
  std::optional<double> persistent_us;
  double barriers_us = 0;  ///< cost of persistent's grid barriers, calibrated
  std::optional<double> blocked_us;
  int blocked_kernels = 0;
};

/// Differences of medians, µs; a negative one stays negative.
struct Split {
  double essential_us = 0;                            ///< busy(fused)
  double ramp_us = 0;                                 ///< sliced - fused
  double round_trip_us = 0;                           ///< separate - sliced
  double ramp_per_slice_us = 0;                       ///< b of the sweep's a + b * slices
  double fit_relative_error = 0;                      ///< largest |measured - fitted| / measured of the sweep
  std::optional<double> round_trip_by_clocks_us;      ///< by untraced spans: separate - sliced
  std::optional<double> round_trip_by_persistent_us;  ///< second estimate: persistent - barriers - fused
  std::optional<double> round_trip_l2_us;  ///< blocked - sliced at as many kernels: the trip that stays in L2
  std::optional<double> round_trip_dram_us;  ///< round_trip - round_trip_l2
  bool operator==(const Split&) const = default;
};

struct LineFit {
  double intercept = 0, slope = 0, relative_error = 0;
};
/// Least squares of y = intercept + slope * x, each point as heavy as `weights` says, or all alike where that
/// is empty; needs two distinct x and positive y.
Result<LineFit> fit_line(const std::vector<double>& x, const std::vector<double>& y,
                         const std::vector<double>& weights = {});

/// Below this many waves a slice leaves part of the chip idle and its cost is no longer a ramp
/// (docs/method.md).
inline constexpr double minimum_waves = 4.0;
/// A sweep further than this from a line does not separate a ramp from a per-byte cost.
inline constexpr double maximum_fit_error = 0.05;

/// The split, or "not separable: ..." with the first condition that fails.
Result<Split> crossed_split(const CrossedBusy& arms);

}  // namespace gvf::profiling
