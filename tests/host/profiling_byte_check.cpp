// Counted bytes against the model, on hand-worked figures.
#include "profiling/counters/byte_check.hpp"

#include <limits>

#include "tests/catch.hpp"

using namespace gvf::profiling;
using Catch::Approx;

namespace {

constexpr std::int64_t l2 = 60'000'000;  // H200

ByteCheck check(double counted, std::int64_t model, std::int64_t working_set) {
  const auto result = check_bytes(counted, {model, model}, working_set, l2);
  REQUIRE(result.ok());
  return *result;
}

}  // namespace

TEST_CASE("bytes: from 16 times L2 on only the base is allowed", "[profiling][counters]") {
  const std::int64_t large = 16 * l2;
  CHECK(check(1.03e9 - 1, 1'000'000'000, large).within);
  CHECK(check(0.97e9 + 1, 1'000'000'000, large).within);
  CHECK_FALSE(check(1.031e9, 1'000'000'000, large).within);
  CHECK_FALSE(check(0.969e9, 1'000'000'000, large).within);
  CHECK(check(0.9e9, 1'000'000'000, large).deviation == Approx(-0.1));
  CHECK(check(0.9e9, 1'000'000'000, large).allowed == Approx(0.03));
}

TEST_CASE("bytes: below, what L2 can hold of the working set is allowed too", "[profiling][counters]") {
  CHECK(check(1e9, 1'000'000'000, 4 * l2).allowed == Approx(0.28));
  CHECK(check(0.73e9, 1'000'000'000, 4 * l2).within);
  CHECK_FALSE(check(0.71e9, 1'000'000'000, 4 * l2).within);
  // In L2 altogether: no DRAM byte is the model kept, not broken.
  CHECK(check(0, 8'000'000, 4'000'000).within);
}

TEST_CASE("bytes: resident, transitional, streaming", "[profiling][counters]") {
  CHECK(check(100'000, 8'000'000, 4'000'000).residence == Residence::resident);
  CHECK(check(4'000'000, 8'000'000, 4'000'000).residence == Residence::transitional);
  CHECK(check(7'900'000, 8'000'000, 4'000'000).residence == Residence::streaming);  // by what DRAM did
  CHECK(check(0.95e9, 1'000'000'000, 16 * l2).residence == Residence::streaming);
  CHECK(check(0.33e9, 1'000'000'000, 16 * l2).residence == Residence::transitional);
  // Few DRAM bytes of a working set that L2 cannot hold: not resident, whatever was counted.
  CHECK(check(1000, 1'000'000'000, 16 * l2).residence == Residence::transitional);
  CHECK(std::string(to_string(Residence::resident)) == "resident");
}

TEST_CASE("bytes: nothing to compare with is a reason", "[profiling][counters][degraded]") {
  CHECK_FALSE(check_bytes(1, {0, 0}, 1, l2).ok());
  CHECK_FALSE(check_bytes(1, {1, 1}, 0, l2).ok());
  CHECK(check_bytes(1, {1, 1}, 1, 0).reason().text.find("L2 size") != std::string::npos);
  CHECK_FALSE(check_bytes(std::numeric_limits<double>::quiet_NaN(), {1, 1}, 1, l2).ok());
  CHECK_FALSE(check_bytes(-1, {1, 1}, 1, l2).ok());
}

TEST_CASE("a model with two ends is met anywhere between them", "[profiling][counters]") {
  const std::int64_t large = 100 * l2;
  const auto deviation = [&](double counted) {
    const auto check = check_bytes(counted, {large, 3 * large}, large, l2);
    REQUIRE(check.ok());
    return check->deviation;
  };
  const auto whole = static_cast<double>(large);
  CHECK(deviation(whole) == 0);
  CHECK(deviation(2 * whole) == 0);
  CHECK(deviation(3 * whole) == 0);
  CHECK(deviation(0.9 * whole) == Catch::Approx(-0.1));
  CHECK(deviation(3.3 * whole) == Catch::Approx(0.1));
}
