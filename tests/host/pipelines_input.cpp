// The two inputs of the gate: what they promise, on sizes from one element to more than fit a float's
// integers.
#include "pipelines/input.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <vector>

#include "tests/catch.hpp"

using namespace gvf;
using Catch::Approx;

namespace {

constexpr std::uint64_t seed = 20240229;

std::vector<float> made(std::int64_t n, InputKind kind, std::uint64_t with = seed) {
  std::vector<float> values(static_cast<std::size_t>(n), std::nanf(""));
  generate_input(values, kind, with);
  return values;
}

// Everything that the integers promise.
void check_integers(std::int64_t n, std::uint64_t with) {
  CAPTURE(n, with);
  const std::vector<float> values = made(n, InputKind::integers, with);
  double sum = 0;
  bool all_whole = true;
  for (const float value : values) {
    all_whole &= value == std::trunc(value) && std::abs(value) <= 7;
    sum += std::abs(value);
  }
  CHECK(all_whole);  // false for NaN, too
  CHECK(sum < 0x1p24);
  const auto zero = [](float value) { return value == 0; };
  const auto edge = static_cast<std::ptrdiff_t>(std::min<std::int64_t>(n, 64));
  CHECK(std::none_of(values.begin(), values.begin() + edge, zero));
  CHECK(std::none_of(values.end() - edge, values.end(), zero));
}

}  // namespace

TEST_CASE("integers: magnitudes sum below 2^24 and the ends are never zero", "[pipelines][input]") {
  for (std::int64_t n = 1; n <= 200; ++n) check_integers(n, seed);
  for (int exponent = 8; exponent <= 22; ++exponent) {
    for (const std::int64_t off : {-1, 0, 7}) check_integers((std::int64_t{1} << exponent) + off, seed);
  }
  for (const std::uint64_t with : {0ULL, 1ULL, ~0ULL}) check_integers(1 << 22, with);
}

TEST_CASE("integers: still exact at 2^26, where most elements must be zero", "[pipelines][input]") {
  check_integers(std::int64_t{1} << 26, seed);
}

TEST_CASE("integers: the middle is not empty, so that a lost tile is seen", "[pipelines][input]") {
  const std::int64_t n = 1 << 24;
  const std::vector<float> values = made(n, InputKind::integers);
  constexpr std::int64_t tile = 8192;
  for (std::int64_t begin = 0; begin < n; begin += tile) {
    const bool any = std::any_of(values.begin() + begin, values.begin() + begin + tile,
                                 [](float value) { return value != 0; });
    REQUIRE(any);
  }
  CHECK(std::any_of(values.begin(), values.end(), [](float value) { return value < 0; }));
  CHECK(std::any_of(values.begin(), values.end(), [](float value) { return value > 0; }));
}

TEST_CASE("reals: never zero, of magnitudes from 1/8 to below 1, of both signs", "[pipelines][input]") {
  const std::vector<float> values = made(1 << 20, InputKind::reals);
  std::size_t negative = 0;
  double sum = 0;
  bool in_range = true;
  for (const float value : values) {
    in_range &= std::abs(value) >= 0.125f && std::abs(value) < 1.0f;
    negative += value < 0 ? 1 : 0;
    sum += std::abs(value);
  }
  CHECK(in_range);
  CHECK(static_cast<double>(negative) / static_cast<double>(values.size()) == Approx(0.5).margin(0.01));
  CHECK(sum / static_cast<double>(values.size()) == Approx(0.5625).margin(0.01));
}

TEST_CASE("inputs are made by their seed alone", "[pipelines][input]") {
  for (const InputKind kind : {InputKind::integers, InputKind::reals}) {
    const std::vector<float> first = made(100003, kind);
    CHECK(first == made(100003, kind));
    CHECK(fingerprint(first) == fingerprint(made(100003, kind)));
    CHECK(first != made(100003, kind, seed + 1));
    CHECK(made(1, kind, 3) == made(1, kind, 3));
  }
  // Element i of the reals does not depend on n.
  const std::vector<float> longer = made(200000, InputKind::reals);
  const std::vector<float> shorter = made(1000, InputKind::reals);
  CHECK(std::equal(shorter.begin(), shorter.end(), longer.begin()));
}

TEST_CASE("fingerprint: equal bits and nothing else", "[pipelines][input]") {
  std::vector<float> values = made(300001, InputKind::reals);  // several threads
  const std::uint64_t whole = fingerprint(values);
  std::vector<float> other = values;
  CHECK(fingerprint(other) == whole);
  other[299999] = std::nextafter(other[299999], 2.0f);
  CHECK(fingerprint(other) != whole);
  other = values;
  std::swap(other[0], other[1]);
  CHECK(fingerprint(other) != whole);
  other = values;
  other.pop_back();
  CHECK(fingerprint(other) != whole);
  const std::vector<float> zeros{0.0f, -0.0f};
  CHECK(fingerprint({zeros.data(), 1}) != fingerprint({zeros.data() + 1, 1}));  // bits, not values
}

TEST_CASE("parallel ranges cover everything once", "[pipelines][input]") {
  for (const std::int64_t n : {0LL, 1LL, 65535LL, 65536LL, 1000003LL}) {
    std::vector<std::atomic<int>> visits(static_cast<std::size_t>(n));
    parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
      for (std::int64_t i = begin; i < end; ++i) ++visits[static_cast<std::size_t>(i)];
    });
    CAPTURE(n);
    CHECK(std::all_of(visits.begin(), visits.end(), [](const auto& count) { return count == 1; }));
  }
}

TEST_CASE("gamma: the bound of m roundings in a row", "[pipelines][input]") {
  static_assert(gamma_bound(0) == 0);
  static_assert(float_unit_roundoff == 1.0 / 16777216);
  CHECK(gamma_bound(1) == Approx(1.0 / 16777215).epsilon(1e-12));  // u / (1 - u)
  CHECK(gamma_bound(8388608) == Approx(1.0).epsilon(1e-12));       // m u = 1/2: 0.5 / 0.5
  CHECK(gamma_bound(100) > 100 * float_unit_roundoff);
  CHECK(gamma_bound(100) < 100.001 * float_unit_roundoff);
}
