// An account in sentences: every number of the row is there, and a missing one says why.
#include "study/recordings/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using gvf::profiling::AttributionRow;

namespace {

AttributionRow example() {
  AttributionRow row;
  row.name = "sum_abs/separate/stream/n:65536";
  gvf::profiling::Attribution a;
  a.wall_us = 20;
  a.wall_iqr_us = 0.75;
  a.span_us = 9.5;
  a.parts = {7, 2, 1.25, 8, 2.5, -0.75};
  a.passes = {{"untraced", 20}, {"api", 21}, {"kernel", 25}};
  a.evidence = {{"busy", "durations of the kernel pass"}};
  a.marks = {"kernel pass disturbs wall by +25%"};
  row.attribution = a;
  row.not_separable = "not separable: a slice has 0.1 waves";
  return row;
}

std::string text_of(const AttributionRow& row) {
  return fmt::format("{}", fmt::join(explain(row), "\n"));
}

}  // namespace

TEST_CASE("explain: each part with its share, meaning and evidence", "[study][explain]") {
  const std::string text = text_of(example());
  for (const char* said :
       {"one iteration takes 20.00 us", "within 0.75 us", "Launch latency: 7.00 us, 35%",
        "Starved: 2.00 us, 10%", "Gap: 1.25 us, 6%", "Busy: 8.00 us, 40%", "[durations of the kernel pass]",
        "Completion: 2.50 us, 13%", "Residual: -0.75 us, -4%", "add up to 20.00 us",
        "not separable: a slice has 0.1 waves",
        // 7 + 2 + 2.5 = 11.5 against 20 - 9.5 = 10.5.
        "add up to 11.50 us", "say 10.50 us: +10% apart", "api 21.00 us (+5%), kernel 25.00 us (+25%)",
        "Mark: kernel pass disturbs wall by +25%."}) {
    CAPTURE(text);
    CHECK_THAT(text, ContainsSubstring(said));
  }
  CHECK(text.find("counters") == std::string::npos);
}

TEST_CASE("explain: the split, and the counters", "[study][explain]") {
  AttributionRow row = example();
  row.split.emplace();
  row.split->essential_us = 4;
  row.split->ramp_us = 0.5;
  row.split->round_trip_us = 3.5;
  row.split->round_trip_by_clocks_us = 3.25;
  row.counters.dram_read_bytes = 2.5e6;
  row.counters.dram_write_bytes = 0.5e6;
  row.counters.l2_sm_bytes = 8e6;
  row.counters.model_bytes = 4e6;
  row.counters.deviation = -0.25;
  row.counters.residence = "transitional";
  const std::string text = text_of(row);
  CHECK_THAT(text, ContainsSubstring("4.00 us are essential") && ContainsSubstring("0.50 us are ramps") &&
                       ContainsSubstring("3.50 us are round trips") && ContainsSubstring("cost 3.25 us"));
  CHECK_THAT(text, ContainsSubstring(
                       "read 2.50 MB from DRAM and write 0.50 MB to it, and its SMs ask L2 for 8.00 MB"));
  CHECK_THAT(text, ContainsSubstring("expects 4.00 MB of DRAM, -25.0% away: the row is transitional"));
  // A model of two ends.
  row.counters.model_bytes = 1073.74e6;
  row.counters.model_most_bytes = 3221.2e6;
  row.counters.deviation = 0;
  CHECK_THAT(text_of(row), ContainsSubstring("expects 1073.74 to 3221.20 MB of DRAM, and the count is "
                                             "between the two: the row is transitional"));
  row.counters.deviation = 0.05;
  CHECK_THAT(text_of(row), ContainsSubstring("expects 1073.74 to 3221.20 MB of DRAM, +5.0% away from the "
                                             "nearer: the row is transitional"));
  row.counters = {};
  row.counters.missing = "no permission";
  CHECK_THAT(text_of(row), ContainsSubstring("No counters: no permission."));
}

TEST_CASE("explain: a row without an account gives the reason", "[study][explain]") {
  AttributionRow row;
  row.name = "chain/fused/graph/n:1/k:16";
  row.withheld = "no CUPTI";
  CHECK(text_of(row) == "chain/fused/graph/n:1/k:16 has no account: no CUPTI");
}

TEST_CASE("explain: a row that is not there is answered with those that are", "[study][explain]") {
  const std::vector<AttributedRow> rows{{{}, example()}};
  CHECK(&find_row(rows, "sum_abs/separate/stream/n:65536") == &rows.front().row);
  for (const char* name : {"sum_abs/separate/stream/n:3", "nothing"}) {
    CHECK_THAT(
        bad_input([&] { static_cast<void>(find_row(rows, name)); }),
        ContainsSubstring(std::string("no row '") + name + "'; there is: sum_abs/separate/stream/n:65536"));
  }
}
