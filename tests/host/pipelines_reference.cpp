// CPU references against numbers worked by hand, against each other, and on inputs chosen to hurt.
#include <bit>
#include <cfloat>
#include <cmath>
#include <random>
#include <vector>

#include "pipelines/chain.hpp"
#include "pipelines/sum_abs.hpp"
#include "tests/catch.hpp"

using namespace gvf;
using Catch::Approx;

namespace {

std::uint32_t bits(float value) {
  return std::bit_cast<std::uint32_t>(value);
}

// What the chain's kernels run, on the host.
float by_steps(float x, int k) {
  const ChainStep step;
  for (int i = 0; i < k; ++i) x = step(x);
  return x;
}

// Zeros, denormals, the largest that does not overflow, the root of the first stage (where the sum cancels),
// its neighbours, and the point that a step leaves where it is.
std::vector<float> adversarial() {
  const float root = -0.0078125f / 1.0078125f;
  const float fixed_point = 127.0f;
  std::vector<float> values{
      0.0f,    -0.0f,    FLT_TRUE_MIN,    -FLT_TRUE_MIN,    FLT_MIN,     1.0f,        -1.0f,
      0x1p23f, -0x1p24f, FLT_MAX / 1.01f, -FLT_MAX / 1.01f, fixed_point, -fixed_point};
  float below = root;
  float above = root;
  for (int i = 0; i < 100; ++i) {
    values.push_back(below);
    values.push_back(above);
    below = std::nextafter(below, -1.0f);
    above = std::nextafter(above, 1.0f);
  }
  std::mt19937_64 random(7);
  for (int exponent = -40; exponent <= 40; ++exponent) {
    for (int i = 0; i < 50; ++i) {
      const float mantissa = std::uniform_real_distribution<float>(-2, 2)(random);
      values.push_back(std::ldexp(mantissa, exponent));
    }
  }
  return values;
}

}  // namespace

TEST_CASE("sum_abs reference by hand", "[pipelines][reference]") {
  CHECK(SumAbs::reference(std::vector<float>{}) == 0);
  CHECK(SumAbs::reference(std::vector<float>{-1.5f, 2.0f, -0.0f, 0.25f}) == 3.75);
  CHECK(SumAbs::reference(std::vector<float>{-3.0f}) == 3);
  // 2^24 + 1 is no float, but the reference is a double: 2^24 and one more.
  CHECK(SumAbs::reference(std::vector<float>{-0x1p24f, 1.0f}) == 16777217);
  // Several threads: 1 + 2 + ... + 300000.
  std::vector<float> numbers(300000);
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto value = static_cast<float>(i + 1);
    numbers[i] = i % 2 == 0 ? value : -value;
  }
  CHECK(SumAbs::reference(numbers) == 150000.0 * 300001.0);
  numbers[123456] = std::nanf("");
  CHECK(std::isnan(SumAbs::reference(numbers)));
}

TEST_CASE("sum_abs depth: what a thread adds up, and the trees above", "[pipelines][reference]") {
  // One GPU of 132 SMs has 67584 threads at 512 an SM. 2^28 floats: 3971.9 each, rounded up; 64; one slice.
  CHECK(SumAbs::summation_depth({std::int64_t{1} << 28, 2, 0}, 132, 1) == 3972 + 64 + 1);
  CHECK(SumAbs::summation_depth({1, 2, 0}, 132, 1) == 1 + 64 + 1);
  CHECK(SumAbs::summation_depth({1, 2, 0}, 132, 8) == 1 + 64 + 8);
}

TEST_CASE("chain reference by hand", "[pipelines][reference]") {
  // 1 * 1.0078125 + 0.0078125 = 1.015625; * 0.9921875 = 1.0076904296875, both exact in binary32.
  const Chain::Reference one = Chain::reference(1.0f, 1);
  CHECK(one.exact == 1.0076904296875f);
  CHECK(one.real == 1.0076904296875);
  // 0 -> 0.0078125 * 0.9921875 = 0.00775146484375.
  CHECK(Chain::reference(0.0f, 1).exact == 0.00775146484375f);
  const Chain::Reference none = Chain::reference(0.5f, 0);
  CHECK(none.exact == 0.5f);
  CHECK(none.bound == 0);
  CHECK(std::isnan(Chain::reference(std::nanf(""), 3).exact));
}

TEST_CASE("chain reference: each step counts", "[pipelines][reference]") {
  for (const float x : {0.125f, -0.75f, 0.999f}) {
    for (int k = 1; k < 64; ++k) {
      CAPTURE(x, k);
      const Chain::Reference now = Chain::reference(x, k);
      const Chain::Reference next = Chain::reference(x, k + 1);
      // A skipped step is far outside what rounding explains.
      CHECK(std::abs(now.real - next.real) > 100 * next.bound);
      CHECK(bits(now.exact) != bits(next.exact));
    }
  }
}

TEST_CASE("chain reference: the stage functor gives the same bits", "[pipelines][reference]") {
  for (const float x : adversarial()) {
    for (const int k : {1, 2, 3, 16, 64}) {
      CAPTURE(x, k);
      REQUIRE(bits(by_steps(x, k)) == bits(Chain::reference(x, k).exact));
    }
  }
}

TEST_CASE("chain reference: binary32 stays within the derived bound of double", "[pipelines][reference]") {
  double tightest = 0;  // error / bound: the bound is no lazy one
  for (const float x : adversarial()) {
    for (const int k : {1, 2, 3, 16, 64}) {
      const Chain::Reference reference = Chain::reference(x, k);
      const double error = std::abs(static_cast<double>(reference.exact) - reference.real);
      CAPTURE(x, k, error, reference.bound);
      REQUIRE(error <= reference.bound);
      if (reference.bound > 0) tightest = std::max(tightest, error / reference.bound);
    }
  }
  CHECK(tightest > 0.02);
}

TEST_CASE("sum_abs map clears the sign and nothing else", "[pipelines][reference]") {
  const AbsoluteValue map;
  for (const float x : adversarial()) REQUIRE(bits(map(x)) == (bits(x) & 0x7fffffffU));
}
