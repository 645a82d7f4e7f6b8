// The crossed split of busy time: hand-worked arms, and every way to be not separable.
#include "profiling/split.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace gvf::profiling;
using Catch::Approx;

namespace {

// Sliced = 238 + 2 * S exactly; separate has 3 kernels.
CrossedBusy arms() {
  CrossedBusy a;
  a.fused_us = 238;
  a.separate_us = 774;
  a.separate_kernels = 3;
  a.sweep = {{1, 240, 400}, {3, 244, 130}, {8, 254, 50}, {32, 302, 12}, {128, 900, 3}};
  return a;
}

std::string why_not(const CrossedBusy& a) {
  const auto split = crossed_split(a);
  REQUIRE_FALSE(split.ok());
  CHECK(split.reason().text.rfind("not separable: ", 0) == 0);
  return split.reason().text;
}

}  // namespace

TEST_CASE("crossed split: differences of the arms", "[profiling][split]") {
  const auto split = crossed_split(arms());
  REQUIRE(split.ok());
  CHECK(split->essential_us == 238);
  CHECK(split->ramp_us == Approx(6));          // 244 - 238
  CHECK(split->round_trip_us == Approx(530));  // 774 - 244
  // The point at 128 slices has 3 waves and stays out of the fit.
  CHECK(split->ramp_per_slice_us == Approx(2));
  CHECK(split->fit_relative_error == Approx(0).margin(1e-12));
  CHECK_FALSE(split->round_trip_by_persistent_us.has_value());
  CHECK_FALSE(split->round_trip_l2_us.has_value());
}

TEST_CASE("crossed split: second estimate and the trip through L2", "[profiling][split]") {
  CrossedBusy a = arms();
  a.persistent_us = 770;
  a.barriers_us = 2;
  a.blocked_us = 700;
  a.blocked_kernels = 16;  // sliced at 16 by the fit: 270
  auto split = crossed_split(a);
  REQUIRE(split.ok());
  CHECK(*split->round_trip_by_persistent_us == Approx(530));
  CHECK(*split->round_trip_l2_us == Approx(430));
  CHECK(*split->round_trip_dram_us == Approx(100));
  a.blocked_kernels = 64;  // beyond the sweep: no extrapolation
  CHECK_FALSE(crossed_split(a)->round_trip_l2_us.has_value());
}

TEST_CASE("crossed split: the round trip by untraced spans, where both arms have one", "[profiling][split]") {
  CrossedBusy a = arms();
  a.separate_span_us = 790;
  CHECK_FALSE(crossed_split(a)->round_trip_by_clocks_us.has_value());
  a.sliced_span_us = 250;
  CHECK(crossed_split(a)->round_trip_by_clocks_us == Approx(540));
}

TEST_CASE("crossed split: a negative difference stays negative", "[profiling][split]") {
  CrossedBusy a = arms();
  a.separate_us = 200;
  CHECK(crossed_split(a)->round_trip_us == Approx(-44));
  a = arms();
  a.fused_us = 250;
  CHECK(crossed_split(a)->ramp_us == Approx(-6));
}

TEST_CASE("crossed split: not separable, with the reason", "[profiling][split]") {
  CrossedBusy a = arms();
  a.fused_us.reset();
  CHECK(why_not(a).find("fused") != std::string::npos);
  a = arms();
  a.separate_us = std::numeric_limits<double>::infinity();
  CHECK(why_not(a).find("separate") != std::string::npos);
  a = arms();
  a.separate_kernels = 5;
  CHECK(why_not(a).find("no sliced arm with 5 kernels") != std::string::npos);
  a = arms();
  a.sweep[1].waves_per_slice = 3.9;
  CHECK(why_not(a).find("3.9 waves") != std::string::npos);
  a = arms();
  a.sweep.resize(2);
  CHECK(why_not(a).find("fewer than 3 slice counts") != std::string::npos);
  a = arms();
  a.sweep[3].busy_us = 500;  // far off the line
  CHECK(why_not(a).find("off a + b*S") != std::string::npos);
}

TEST_CASE("least squares line", "[profiling][split]") {
  // y = 1, 2, 4 at x = 0, 1, 2: slope 3/2, intercept 7/3 - 3/2 = 5/6; errors 1/6 of 1, 1/3 of 2, 1/6 of 4.
  const auto fit = fit_line({0, 1, 2}, {1, 2, 4});
  REQUIRE(fit.ok());
  CHECK(fit->slope == Approx(1.5));
  CHECK(fit->intercept == Approx(5.0 / 6));
  CHECK(fit->relative_error == Approx(1.0 / 6));
  CHECK_FALSE(fit_line({1, 1}, {1, 2}).ok());
  CHECK_FALSE(fit_line({1, 2}, {1, 0}).ok());
  CHECK_FALSE(fit_line({1, 2}, {1}).ok());
}
