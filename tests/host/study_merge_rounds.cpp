// Rounds of an attribution as one: medians row by row, a residual that closes the sum, marks by majority.
#include <array>

#include "study/measure/attribute.hpp"
#include "tests/catch.hpp"

using namespace gvf::study;
using Catch::Approx;
using gvf::profiling::Attribution;
using gvf::profiling::AttributionRow;
using gvf::profiling::Parts;
using gvf::profiling::Split;

namespace {

using Rows = std::vector<AttributionRow>;

AttributionRow row_with(double latency_us, double busy_us, double wall_us,
                        std::vector<std::string> marks = {}) {
  Attribution attribution;
  attribution.parts.launch_latency_us = latency_us;
  attribution.parts.busy_us = busy_us;
  attribution.parts.residual_us = wall_us - latency_us - busy_us;
  attribution.wall_us = wall_us;
  attribution.passes = {{"untraced", wall_us}, {"kernel", wall_us + 10}};
  attribution.marks = std::move(marks);
  AttributionRow row;
  row.name = "sum_abs/separate/stream/n:1024";
  row.attribution = attribution;
  return row;
}

AttributionRow withheld(const std::string& reason) {
  AttributionRow row;
  row.name = "sum_abs/separate/stream/n:1024";
  row.withheld = reason;
  return row;
}

}  // namespace

TEST_CASE("rounds: each part's median, and the residual closes the sum", "[study][rounds]") {
  // Medians: latency 4, busy 11, wall 20. The residual is 20 - 15 = 5, not the median 7 of the rounds' own.
  const auto merged =
      merge_rounds({Rows{row_with(5, 11, 23)}, Rows{row_with(3, 10, 20)}, Rows{row_with(4, 12, 19)}});
  REQUIRE(merged.size() == 1);
  REQUIRE(merged[0].attribution);
  const Attribution& row = *merged[0].attribution;
  CHECK(row.parts.launch_latency_us == 4);
  CHECK(row.parts.busy_us == 11);
  CHECK(row.wall_us == 20);
  CHECK(row.parts.residual_us == Approx(5));
  CHECK(row.parts.sum() == Approx(row.wall_us));
  CHECK(row.passes == std::map<std::string, double>{{"untraced", 20}, {"kernel", 30}});
}

TEST_CASE("rounds: a row stands when most rounds have it, one that none has keeps its reason",
          "[study][rounds]") {
  const auto most =
      merge_rounds({Rows{withheld("dropped")}, Rows{row_with(1, 2, 4)}, Rows{row_with(1, 2, 4)}});
  REQUIRE(most.at(0).attribution);
  CHECK(most.at(0).withheld.empty());
  CHECK(most.at(0).attribution->wall_us == 4);
  const auto few =
      merge_rounds({Rows{row_with(1, 2, 4)}, Rows{withheld("dropped")}, Rows{withheld("dropped")}});
  CHECK_FALSE(few.at(0).attribution);
  CHECK(few.at(0).withheld == "only 1 of 3 rounds could be explained");
  const auto none = merge_rounds({Rows{withheld("first")}, Rows{withheld("second")}});
  CHECK_FALSE(none.at(0).attribution);
  CHECK(none.at(0).withheld == "first");
  CHECK(merge_rounds({}).empty());
}

TEST_CASE("rounds: a mark stays when most rounds have it, once", "[study][rounds]") {
  // The figure is that of the medians: 12 traced, 2 untraced.
  const std::string often = "kernel pass disturbs wall by +9%";
  const std::string once = "works overlap";
  const auto merged = merge_rounds({Rows{row_with(1, 1, 2, {"kernel pass disturbs wall by +8%", once})},
                                    Rows{row_with(1, 1, 2, {often})}, Rows{row_with(1, 1, 2)}});
  CHECK(merged.at(0).attribution->marks == std::vector<std::string>{"kernel pass disturbs wall by +500%"});
}

TEST_CASE("rounds: a mark's figure differs from round to round, the median of those is shown",
          "[study][rounds]") {
  const auto merged_of = [](const std::array<std::string, 3>& marks) {
    std::vector<Rows> rounds;
    for (const std::string& mark : marks) rounds.push_back({row_with(1, 1, 2, {mark})});
    return merge_rounds(rounds).at(0).attribution->marks;
  };
  using Marks = std::vector<std::string>;
  CHECK(merged_of({"graph pass reads another span: -16%", "graph pass reads another span: -7%",
                   "graph pass reads another span: -9%"}) == Marks{"graph pass reads another span: -9%"});
  CHECK(merged_of({"api pass disturbs calls by +40%", "api pass disturbs calls by +12%",
                   "api pass disturbs calls by +21%"}) == Marks{"api pass disturbs calls by +21%"});
  CHECK(merged_of({"kernel pass reads more than the untraced span by 31%",
                   "kernel pass reads more than the untraced span by 6%",
                   "kernel pass reads more than the untraced span by 8%"}) ==
        Marks{"kernel pass reads more than the untraced span by 8%"});
  // The medians' own, 12 of 2, which stands beside it.
  CHECK(merged_of({"kernel pass disturbs wall by +7%", "kernel pass disturbs wall by +8%",
                   "kernel pass disturbs wall by +9%"}) == Marks{"kernel pass disturbs wall by +500%"});
  CHECK(merged_of({"works overlap: kept", "works overlap: kept", "the span: not split"}) ==
        Marks{"works overlap: kept"});
}

TEST_CASE("rounds: the split's medians, over the rounds that have one", "[study][rounds]") {
  Rows first{row_with(1, 1, 2)};
  Rows second = first;
  Rows third = first;
  Split split;
  split.essential_us = 100;
  split.round_trip_us = -3;
  first[0].split = split;
  split.essential_us = 110;
  split.round_trip_us = 5;
  split.round_trip_by_persistent_us = 7;
  second[0].split = split;
  third[0].not_separable = "not separable: noise";
  const auto merged = merge_rounds({third, first, second});
  REQUIRE(merged.at(0).split);
  CHECK(merged.at(0).not_separable.empty());
  CHECK(merged.at(0).split->essential_us == Approx(105));
  CHECK(merged.at(0).split->round_trip_us == Approx(1));
  CHECK(merged.at(0).split->round_trip_by_persistent_us == 7);
}
