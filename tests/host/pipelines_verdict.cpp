// The gate's comparisons must fail on what goes wrong in kernels, and pass on what is right in any order.
#include "pipelines/verdict.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>
#include <numeric>
#include <random>
#include <vector>

#include "pipelines/chain.hpp"
#include "pipelines/sum_abs.hpp"
#include "tests/catch.hpp"

using namespace gvf;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr std::uint64_t seed = 20240229;
constexpr float nan_value = std::numeric_limits<float>::quiet_NaN();

std::vector<float> made(std::int64_t n, InputKind kind) {
  std::vector<float> values(static_cast<std::size_t>(n));
  generate_input(values, kind, seed);
  return values;
}

// One after the other, in float.
float serial_sum(const std::vector<float>& values) {
  float sum = 0;
  for (const float value : values) sum += std::abs(value);
  return sum;
}

float pairwise_sum(const float* values, std::size_t n) {
  if (n <= 8) {
    float sum = 0;
    for (std::size_t i = 0; i < n; ++i) sum += std::abs(values[i]);
    return sum;
  }
  return pairwise_sum(values, n / 2) + pairwise_sum(values + n / 2, n - n / 2);
}

// The bound that the gate uses on a GPU of 132 SMs.
double bound_for(std::int64_t n, double reference) {
  return gamma_bound(SumAbs::summation_depth({n, 2, 0}, 132, 1)) * reference;
}

std::vector<float> chain_of(std::vector<float> values, int k) {
  for (float& value : values) value = Chain::reference(value, k).exact;
  return values;
}

}  // namespace

TEST_CASE("verdict: integers sum exactly in any order", "[pipelines][verdict]") {
  std::vector<float> values = made((1 << 22) + 7, InputKind::integers);
  const double reference = SumAbs::reference(values);
  CHECK(judge_sum(serial_sum(values), reference, 0).passed);
  CHECK(judge_sum(pairwise_sum(values.data(), values.size()), reference, 0).passed);
  std::reverse(values.begin(), values.end());
  CHECK(judge_sum(serial_sum(values), reference, 0).passed);
  std::mt19937 random(3);
  std::shuffle(values.begin(), values.end(), random);
  const Verdict verdict = judge_sum(serial_sum(values), reference, 0);
  CHECK(verdict.passed);
  CHECK(verdict.error == 0);
  CHECK(verdict.detail.empty());
}

TEST_CASE("verdict: a sum that misses or repeats an element fails", "[pipelines][verdict]") {
  for (const std::int64_t n :
       {std::int64_t{1}, std::int64_t{31}, std::int64_t{1023}, std::int64_t{1 << 20} + 7}) {
    CAPTURE(n);
    const std::vector<float> values = made(n, InputKind::integers);
    const double reference = SumAbs::reference(values);
    std::vector<float> without_last(values.begin(), values.end() - 1);
    std::vector<float> without_first(values.begin() + 1, values.end());
    std::vector<float> last_twice = values;
    last_twice.push_back(values.back());
    for (const auto& wrong : {without_last, without_first, last_twice}) {
      const Verdict verdict = judge_sum(serial_sum(wrong), reference, 0);
      CHECK_FALSE(verdict.passed);
      CHECK(verdict.error >= 1);
      CHECK_THAT(verdict.detail, ContainsSubstring("got ") && ContainsSubstring("expected "));
    }
    const float right = serial_sum(values);
    CHECK_FALSE(judge_sum(-right, reference, 0).passed);
    CHECK_FALSE(judge_sum(std::nextafter(right, 0.0f), reference, 0).passed);
  }
}

TEST_CASE("verdict: NaN and infinity never pass a sum, whatever the bound", "[pipelines][verdict]") {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  for (const double bound : {0.0, 1e30, infinity}) {
    CHECK_FALSE(judge_sum(nan_value, 10, bound).passed);
    CHECK_FALSE(judge_sum(nan_value, std::nan(""), bound).passed);
  }
  CHECK_FALSE(judge_sum(std::numeric_limits<float>::infinity(), 10, 1e30).passed);
  CHECK_FALSE(judge_sum(10, std::nan(""), 1).passed);
  CHECK(judge_sum(10.5f, 10, 0.5).passed);
  CHECK_FALSE(judge_sum(10.5f, 10, 0.49).passed);
}

TEST_CASE("verdict: reals pass in a tree's order and fail beyond the tree's bound", "[pipelines][verdict]") {
  const std::int64_t n = 1 << 24;
  const std::vector<float> values = made(n, InputKind::reals);
  const double reference = SumAbs::reference(values);
  const double bound = bound_for(n, reference);
  CHECK(judge_sum(pairwise_sum(values.data(), values.size()), reference, bound).passed);
  // 2^24 additions in a row round far more than a GPU's tree may.
  const Verdict serial = judge_sum(serial_sum(values), reference, bound);
  CAPTURE(serial.error, serial.bound);
  CHECK_FALSE(serial.passed);
}

TEST_CASE("verdict: a lost tile is seen in reals, too", "[pipelines][verdict]") {
  const std::int64_t n = (1 << 20) + 7;
  const std::vector<float> values = made(n, InputKind::reals);
  const double reference = SumAbs::reference(values);
  const double tile = SumAbs::reference({values.data(), static_cast<std::size_t>(reduce_tile(4))});
  const double bound = bound_for(n, reference);
  CHECK_FALSE(judge_sum(static_cast<float>(reference - tile), reference, bound).passed);
  CHECK_FALSE(judge_sum(static_cast<float>(reference + tile), reference, bound).passed);
}

TEST_CASE("verdict: equal arrays pass, one flipped bit anywhere fails", "[pipelines][verdict]") {
  const auto n = std::int64_t{200003};  // several threads
  const std::vector<float> expected = chain_of(made(n, InputKind::reals), 3);
  CHECK(judge_bits(expected, expected).passed);
  CHECK(judge_bits(expected, expected).error == 0);
  for (const std::size_t at : {std::size_t{0}, std::size_t{100000}, expected.size() - 1}) {
    for (const unsigned bit : {0U, 12U, 31U}) {
      std::vector<float> wrong = expected;
      wrong[at] = std::bit_cast<float>(std::bit_cast<std::uint32_t>(wrong[at]) ^ (1U << bit));
      const Verdict verdict = judge_bits(wrong, expected);
      CAPTURE(at, bit, verdict.detail);
      CHECK_FALSE(verdict.passed);
      CHECK(verdict.error > 0);
      CHECK_THAT(verdict.detail,
                 ContainsSubstring("1 of 200003 elements differ, the first at " + std::to_string(at) + ":"));
    }
  }
}

TEST_CASE("verdict: NaN fails even where NaN was expected", "[pipelines][verdict]") {
  std::vector<float> expected{1, 2, 3};
  std::vector<float> result = expected;
  result[1] = nan_value;
  CHECK_FALSE(judge_bits(result, expected).passed);
  CHECK(std::isinf(judge_bits(result, expected).error));
  expected[1] = nan_value;  // the same bits
  CHECK_FALSE(judge_bits(result, expected).passed);
  CHECK_FALSE(judge_bits(std::vector<float>{-0.0f}, std::vector<float>{0.0f}).passed);
}

TEST_CASE("verdict: lengths must agree, and nothing equals nothing", "[pipelines][verdict]") {
  const std::vector<float> three{1, 2, 3};
  const Verdict verdict = judge_bits(std::vector<float>{1, 2}, three);
  CHECK_FALSE(verdict.passed);
  CHECK(verdict.detail == "got 2 elements, expected 3");
  CHECK(judge_bits(std::vector<float>{}, std::vector<float>{}).passed);
}

TEST_CASE("verdict: a chain that skips a step, or leaves its tail, fails", "[pipelines][verdict]") {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{31}, std::int64_t{1023}}) {
    for (const InputKind kind : {InputKind::integers, InputKind::reals}) {
      for (const int k : {1, 3, 16, 64}) {
        CAPTURE(n, to_string(kind), k);
        const std::vector<float> input = made(n, kind);
        const std::vector<float> expected = chain_of(input, k);
        CHECK(judge_bits(expected, expected).passed);
        CHECK_FALSE(judge_bits(chain_of(input, k - 1), expected).passed);
        CHECK_FALSE(judge_bits(chain_of(input, k + 1), expected).passed);
        std::vector<float> unwritten_tail = expected;
        unwritten_tail.back() = nan_value;
        CHECK_FALSE(judge_bits(unwritten_tail, expected).passed);
        unwritten_tail.back() = input.back();
        CHECK_FALSE(judge_bits(unwritten_tail, expected).passed);
      }
    }
  }
}
