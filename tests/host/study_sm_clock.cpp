// The clock remark: hand-worked, and silent where nothing is known.
#include "study/measure/sm_clock.hpp"

#include "tests/catch.hpp"

using gvf::study::clock_remark;

TEST_CASE("a clock that moved by more than 2 % is remarked, with its reason", "[study][clock]") {
  CHECK(clock_remark(1980, 1980, "").empty());
  CHECK(clock_remark(1980, 1945, "").empty());
  CHECK(clock_remark(1980, 1900, "") == "SM clock moved from 1980 to 1900 MHz");
  CHECK(clock_remark(1500, 1980, "power cap") == "SM clock moved from 1500 to 1980 MHz: power cap");
  CHECK(clock_remark(0, 1980, "power cap").empty());
  CHECK(clock_remark(1980, 0, "").empty());
}
