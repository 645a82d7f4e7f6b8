// When a graph has paid for itself, and the line through its costs, on numbers by hand.
#include "study/measure/break_even.hpp"

#include <algorithm>
#include <cmath>
#include <stdexcept>

#include "study/measure/cost_fit.hpp"
#include "tests/catch.hpp"

using namespace gvf::study;
using Catch::Approx;

namespace {

Spread exactly(double us) {
  return {us, us, us};
}

// All three of it are the same number.
BreakEven after(double replays) {
  return {replays, replays, replays};
}
const BreakEven never{};

// The same by trying: the first count of replays from which on the graph is never behind, over 10000 of them.
std::optional<double> by_trying(int period, double one_off, double saving) {
  constexpr int replays = 10000;
  int first = 0;
  double balance = 0;
  for (int replay = 0; replay < replays; ++replay) {
    // Due before this replay: with one replay less done, the graph is behind.
    if (replay % period == 0) {
      balance -= one_off;
      if (balance < -1e-6) first = replay + 1;
    }
    balance += saving;
    if (balance < -1e-6) first = replay + 2;
  }
  if (first >= replays) return std::nullopt;
  return first;
}

}  // namespace

TEST_CASE("break-even: one-off costs over the saving, whole replays", "[study][break_even]") {
  CHECK(break_even(exactly(100), exactly(30), exactly(20)) == after(10));  // 100 / 10
  CHECK(break_even(exactly(101), exactly(30), exactly(20)) == after(11));  // 10.1 replays are 11
  CHECK(break_even(exactly(5), exactly(30), exactly(20)) == after(1));
  CHECK(break_even(exactly(0), exactly(30), exactly(20)) == after(0));
  // 0.3 / (0.4 - 0.3) is 3 but for rounding.
  CHECK(break_even(exactly(0.3), exactly(0.4), exactly(0.3)) == after(3));
}

TEST_CASE("break-even: no saving is never, however small the costs", "[study][break_even]") {
  CHECK(break_even(exactly(100), exactly(20), exactly(20)) == never);
  CHECK(break_even(exactly(100), exactly(20), exactly(30)) == never);
  CHECK(break_even(exactly(0), exactly(20), exactly(20)) == never);
}

TEST_CASE("break-even: the interval takes each cost at its favourable and at its other end",
          "[study][break_even]") {
  const BreakEven found = break_even({90, 100, 120}, {28, 30, 32}, {19, 20, 24});
  CHECK(found.replays == 10);  // 100 / (30 - 20)
  CHECK(found.low == 7);       // 90 / (32 - 19) = 6.9
  CHECK(found.high == 30);     // 120 / (28 - 24)
}

TEST_CASE("break-even: noise that reaches no saving reaches never", "[study][break_even]") {
  const BreakEven perhaps = break_even({90, 100, 120}, {24, 30, 32}, {19, 20, 24});
  CHECK(perhaps.replays == 10);
  CHECK(perhaps.low == 7);
  CHECK_FALSE(perhaps.high.has_value());
  // A median without saving, whose noise allows one.
  const BreakEven hardly = break_even(exactly(100), {18, 20, 25}, {20, 21, 22});
  CHECK_FALSE(hardly.replays.has_value());
  CHECK(hardly.low == 20);  // 100 / (25 - 20)
  CHECK_FALSE(hardly.high.has_value());
}

TEST_CASE("break-even: a shape that changes every m replays", "[study][break_even]") {
  const auto changing = [](double period, double one_off, double saving) {
    return break_even_every(period, exactly(one_off), exactly(20 + saving), exactly(20));
  };
  CHECK(changing(1000, 100, 10) == after(10));  // long before the first change
  CHECK(changing(20, 100, 10) == after(10));    // the first period earns both one-off costs, exactly
  // 150 a period: after the first 50 ahead with 100 due; the second ends 100 ahead, which pays the third.
  // Level in the second period, when 2 x 100 are earned.
  CHECK(changing(15, 100, 10) == after(20));
  // 110 a period: 10 left over each; ten of them pay the next.
  CHECK(changing(11, 100, 10) == after(100));
  CHECK(changing(10, 100, 10) == never);  // earns its costs and no more: behind at each change
  CHECK(changing(1, 100, 10) == never);
  CHECK(changing(1, 4, 10) == after(1));  // each single replay pays for its own graph
  CHECK(changing(1000, 100, 0) == never);
  CHECK(changing(1000, 100, -5) == never);
  CHECK(changing(3, 0, 10) == after(0));
  CHECK_THROWS_AS(changing(0.5, 100, 10), std::invalid_argument);
}

TEST_CASE("break-even: changing shapes, against trying every replay", "[study][break_even]") {
  for (const int period : {1, 2, 7, 11, 15, 20, 100}) {
    for (const double one_off : {3.0, 55.0, 100.0, 140.0}) {
      for (const double saving : {1.0, 7.0, 10.0, 64.0}) {
        CAPTURE(period, one_off, saving);
        const auto found = break_even_every(period, exactly(one_off), exactly(saving), exactly(0)).replays;
        CHECK(found == by_trying(period, one_off, saving));
      }
    }
  }
}

TEST_CASE("break-even: the interval of a changing shape reaches never before the median does",
          "[study][break_even]") {
  const BreakEven found = break_even_every(15, {90, 100, 160}, exactly(30), exactly(20));
  CHECK(found.replays == 20);
  CHECK(found.low == 18);  // 150 - 90 = 60 a period; two of them pay 90; 2 x 90 / 10
  CHECK_FALSE(found.high.has_value());
}

TEST_CASE("spread and sums of samples", "[study][break_even]") {
  const Spread spread = spread_of({11, 1, 6, 2, 7, 3, 8, 4, 9, 5, 10});
  CHECK(spread.p10 == 2);
  CHECK(spread.p50 == 6);
  CHECK(spread.p90 == 10);
  CHECK_THROWS_AS(spread_of({}), std::invalid_argument);
  const std::vector<double> a{1, 2, 3}, b{30, 20, 10}, shorter{1};
  // Sums belong to a repetition: here it is 13 to 31, while the ends alone would allow 11 to 33.
  CHECK(sum_of_samples({&a, &b}) == std::vector<double>{31, 22, 13});
  CHECK(sum_of_samples({&a}) == a);
  CHECK_THROWS_AS(sum_of_samples({&a, &shorter}), std::invalid_argument);
  CHECK_THROWS_AS(sum_of_samples({}), std::invalid_argument);
}

TEST_CASE("cost fit: a line is found, at both ends of its range", "[study][cost_fit]") {
  std::vector<double> nodes, us;
  for (double n = 1; n <= 4096; n *= 4) {
    nodes.push_back(n);
    us.push_back(5 + 0.5 * n);
  }
  const auto fit = fit_cost(nodes, us);
  REQUIRE(fit.ok());
  CHECK(fit->intercept == Approx(5));
  CHECK(fit->slope == Approx(0.5));
  CHECK(fit->relative_error == Approx(0).margin(1e-9));
}

TEST_CASE("cost fit: the small end has its say, and the error is the worst point's", "[study][cost_fit]") {
  // Two points at one abscissa, 1 and 3: weights 1 and 1/9, so their mean is (1 + 3/9) / (1 + 1/9) = 1.2.
  const auto two = fit_cost({1, 1, 2}, {1, 3, 1.2});
  REQUIRE(two.ok());
  CHECK(two->slope == Approx(0).margin(1e-12));
  CHECK(two->intercept == Approx(1.2));
  CHECK(two->relative_error == Approx(0.6));  // |1.2 - 3| / 3
  // A bend in the large end must not spoil the small one: plain least squares reads -20 at one node.
  const auto bent = fit_cost({1, 4, 16, 64, 256, 1024}, {2, 3.5, 9.5, 33.5, 130, 900});
  REQUIRE(bent.ok());
  CHECK(std::abs(bent->intercept + bent->slope - 2) < 0.5);
  CHECK(bent->relative_error > 0.1);
}

TEST_CASE("cost fit: no line through one abscissa or through what is no time", "[study][cost_fit]") {
  CHECK_FALSE(fit_cost({1}, {1}).ok());
  CHECK_FALSE(fit_cost({2, 2}, {1, 2}).ok());
  CHECK_FALSE(fit_cost({1, 2}, {1}).ok());
  CHECK_FALSE(fit_cost({1, 2}, {1, 0}).ok());
  CHECK_FALSE(fit_cost({1, 2}, {1, std::nan("")}).ok());
}
