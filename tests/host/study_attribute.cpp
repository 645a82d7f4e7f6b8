// Attribution from passes made by hand: a stream row, a graph row with its twin, rows withheld, the split.
#include "study/measure/attribute.hpp"

#include <set>

#include "study/measure/matrix.hpp"
#include "tests/catch.hpp"
#include "tests/host/study_references.hpp"
#include "tests/recording_launcher.hpp"

using namespace gvf;
using namespace gvf::study;
using Catch::Approx;
using gvf::profiling::AttributionRow;
using gvf::profiling::Nanoseconds;
using gvf::profiling::Timeline;
using gvf::profiling::WorkKind;

namespace {

// Large enough that 32 slices of it still fill the described GPU four times.
constexpr Problem problem{std::int64_t{1} << 30, 2, 0};
constexpr Nanoseconds us = 1000;

std::string name_of(Structure structure, const char* submission, int slices = 0) {
  return variant_name(find_pipeline("sum_abs"), structure, submission, {problem.n, problem.k, slices});
}

// Two launches, 3 us each, one after the other.
Timeline two_calls() {
  Timeline timeline{0, 30 * us, {}, {}};
  timeline.calls = {{{0, 3 * us}, 1, "cudaLaunchKernelExC_v11060"},
                    {{3 * us, 6 * us}, 2, "cudaLaunchKernelExC_v11060"}};
  return timeline;
}

// Kernels of these durations, 1 us apart.
Timeline works(const std::vector<Nanoseconds>& durations_us) {
  Timeline timeline;
  Nanoseconds at = 5 * us;
  std::uint32_t id = 0;
  for (const Nanoseconds duration : durations_us) {
    timeline.works.push_back({{at, at + duration * us}, ++id, WorkKind::kernel, "kernel", 7, 0, 0});
    at += (duration + 1) * us;
  }
  timeline.sync_return = at + 2 * us;
  return timeline;
}

Timeline one_graph(Nanoseconds begin_us, Nanoseconds end_us, Nanoseconds wall_us) {
  Timeline timeline{0, wall_us * us, {}, {}};
  timeline.works.push_back({{begin_us * us, end_us * us}, 1, WorkKind::graph, "graph", 7, 1, 0});
  return timeline;
}

Passes passes_of_separate() {
  Passes passes = tests::named_passes();
  tests::add_references(passes, problem_name(find_pipeline("sum_abs"), problem));
  const std::string stream = name_of(Structure::separate, "stream");
  const std::string graph = name_of(Structure::separate, "graph");
  passes.untraced.rows[stream].wall_us = {22, 23, 24};
  passes.api.rows[stream].timelines = {two_calls()};
  passes.api.rows[stream].wall_us = {30};
  passes.kernel.rows[stream].timelines = {works({10, 5})};
  passes.kernel.rows[stream].wall_us = {26};
  passes.untraced.rows[graph].wall_us = {28, 28, 28};
  passes.untraced.rows[graph].span_us = {21, 21};
  passes.graph.rows[graph].timelines = {one_graph(6, 26, 30)};
  passes.graph.rows[graph].wall_us = {30};
  return passes;
}

std::vector<AttributionRow> rows_of(const Passes& passes, const std::vector<Problem>& problems = {problem}) {
  return attribute(find_pipeline("sum_abs"), problems, passes, tests::described_device());
}

const AttributionRow& row_of(const std::vector<AttributionRow>& rows, const std::string& name) {
  for (const AttributionRow& row : rows) {
    if (row.name == name) return row;
  }
  FAIL("no row " << name);
  throw std::logic_error("unreachable");
}

// The arms of the crossed split: fused 100, S slices 100 + 2 S, separate 300, persistent 305 us.
void add_arms(PassFile& kernel) {
  kernel.rows[name_of(Structure::fused, "stream")].timelines = {works({100})};
  kernel.rows[name_of(Structure::separate, "stream")].timelines = {works({150, 150})};
  kernel.rows[name_of(Structure::persistent, "stream")].timelines = {works({305})};
  for (const int slices : {2, 4, 8, 16, 32}) {
    kernel.rows[name_of(Structure::sliced, "stream", slices)].timelines = {works({100 + 2 * slices})};
  }
}

}  // namespace

TEST_CASE("attribute: a row for every structure under the basic submissions, measured or not",
          "[study][attribute]") {
  const auto rows = rows_of({}, {problem, {1024, 2, 0}});
  CHECK(rows.size() == 2 * all_structures.size() * 2);
  for (const AttributionRow& row : rows) {
    CAPTURE(row.name);
    CHECK_FALSE(row.attribution);
    CHECK_FALSE(row.withheld.empty());
  }
}

TEST_CASE("attribute: a row that was measured is there, whatever its size", "[study][attribute]") {
  const std::string name = name_of(Structure::separate, "graph_pdl");
  REQUIRE_FALSE(is_basic(find_submission("graph_pdl")));
  Passes passes = passes_of_separate();
  passes.untraced.rows[name].reason = "why not";
  CHECK(row_of(rows_of(passes), name).withheld == "why not");
}

TEST_CASE("attribute: a launch of several iterations is explained, then divided", "[study][attribute]") {
  // One launch of 16 iterations: latency 5, completion 2, span 321 less 1 of its events = 16 x (15 of the
  // twin
  // + 5), wall 328.
  const std::string name = name_of(Structure::separate, "graph_while");
  Passes passes = passes_of_separate();
  for (PassFile* pass : {&passes.untraced, &passes.graph}) {
    auto& references = pass->references.begin()->second;
    references[reference_name("graph_while", 1)] = references.at(reference_name("graph", 1));
  }
  REQUIRE(find_submission("graph_while").default_repeats == 16);
  passes.untraced.rows[name].wall_us = {328, 328, 328};
  passes.untraced.rows[name].span_us = {321};
  passes.graph.rows[name].timelines = {one_graph(6, 326, 330)};
  passes.graph.rows[name].wall_us = {332};
  const auto rows = rows_of(passes);
  const AttributionRow& row = row_of(rows, name);
  CAPTURE(row.withheld);
  REQUIRE(row.attribution);
  const auto& parts = row.attribution->parts;
  CHECK(parts.launch_latency_us == Approx(5.0 / 16));
  CHECK(parts.busy_us == Approx(15));
  CHECK(parts.gap_us == Approx(5));
  CHECK(parts.completion_us == Approx(2.0 / 16));
  CHECK(parts.residual_us == Approx(1.0 / 16));
  CHECK(row.attribution->wall_us == Approx(328.0 / 16));
  CHECK(parts.sum() == Approx(328.0 / 16));
  CHECK(row.attribution->span_us.value() == Approx(20));
  CHECK(row.attribution->passes.at("graph") == Approx(332.0 / 16));
}

TEST_CASE("attribute: a stream row, worked by hand", "[study][attribute]") {
  // Kernel 1 starts at call 0 + 4, ends at 14; kernel 2 at the later of 2.8 + 3.5 and 14 + 0.9 = 14.9, ends
  // at 19.9; the synchronisation returns at 21.9. 4 + 15 + 0.9 + 2 = 21.9 of the wall's 23.
  const auto rows = rows_of(passes_of_separate());
  const AttributionRow& row = row_of(rows, name_of(Structure::separate, "stream"));
  REQUIRE(row.attribution);
  const auto& parts = row.attribution->parts;
  CHECK(parts.launch_latency_us == Approx(4));
  CHECK(parts.busy_us == Approx(15));
  CHECK(parts.gap_us == Approx(0.9));
  CHECK(parts.starved_us == Approx(0).margin(1e-9));
  CHECK(parts.completion_us == Approx(2));
  CHECK(parts.residual_us == Approx(1.1));
  CHECK(row.attribution->wall_us == Approx(23));
  CHECK(parts.sum() == Approx(23));
  CHECK_FALSE(row.attribution->modelled);
  CHECK(row.attribution->passes ==
        std::map<std::string, double>{{"untraced", 23}, {"api", 30}, {"kernel", 26}});
}

TEST_CASE("attribute: a graph row is split by its stream twin", "[study][attribute]") {
  // Latency 5 and completion 2 of an empty graph; span 21, of which its events are 1: 20 = 15 of the twin
  // + 5. The wall of 28 leaves 1.
  const auto rows = rows_of(passes_of_separate());
  const AttributionRow& row = row_of(rows, name_of(Structure::separate, "graph"));
  REQUIRE(row.attribution);
  const auto& parts = row.attribution->parts;
  CHECK(parts.launch_latency_us == Approx(5));
  CHECK(parts.busy_us == Approx(15));
  CHECK(parts.gap_us == Approx(5));
  CHECK(parts.completion_us == Approx(2));
  CHECK(parts.residual_us == Approx(1));
  CHECK(row.attribution->modelled);

  Passes without_twin = passes_of_separate();
  without_twin.kernel.rows.clear();
  const auto others = rows_of(without_twin);
  const AttributionRow& whole = row_of(others, name_of(Structure::separate, "graph"));
  REQUIRE(whole.attribution);
  CHECK(whole.attribution->parts.busy_us == Approx(20));
  CHECK_FALSE(whole.attribution->modelled);
}

TEST_CASE(
    "attribute: a graph that another process launched from the device has its twin here, and its row once",
    "[study][attribute]") {
  const std::string name = name_of(Structure::separate, "graph_device");
  const std::string beside = problem_name(find_pipeline("sum_abs"), problem);
  const int iterations = find_submission("graph_device").repeats(problem);
  const auto from_device = [&](bool with_rows) {
    Passes passes = tests::named_passes();
    tests::add_references(passes, beside);
    for (PassFile* pass : {&passes.untraced, &passes.graph}) {
      auto& references = pass->references[beside];
      references[reference_name("graph_device", 1)] = references.at(reference_name("graph", 1));
    }
    if (!with_rows) return passes;
    passes.untraced.rows[name].wall_us = {28.0 * iterations};
    passes.untraced.rows[name].span_us = {21.0 * iterations};
    passes.graph.rows[name].timelines = {one_graph(6, 26, 30)};
    return passes;
  };
  Passes whole = passes_of_separate();
  Passes references = from_device(false);
  Passes part = from_device(true);
  for (PassFile Passes::*pass : {&Passes::untraced, &Passes::api, &Passes::kernel, &Passes::graph}) {
    (whole.*pass).references = (references.*pass).references;
    add(whole.*pass, part.*pass);
  }
  const auto rows = rows_of(whole);
  std::set<std::string> names;
  for (const AttributionRow& row : rows) names.insert(row.name);
  CHECK(names.size() == rows.size());
  const AttributionRow& row = row_of(rows, name);
  REQUIRE(row.attribution);
  CHECK(row.attribution->modelled);
  CHECK(row.attribution->parts.busy_us == Approx(15));  // the twin's, an iteration

  // Alone, without the other process, the same row cannot be split.
  const auto alone = rows_of(part);
  CHECK_FALSE(row_of(alone, name).attribution->modelled);
}

TEST_CASE("attribute: calls that the api pass lengthens are marked where they are evidence",
          "[study][attribute]") {
  Passes passes = passes_of_separate();
  const auto marks_of = [&passes](const char* submission) {
    const auto rows = rows_of(passes);
    return row_of(rows, name_of(Structure::separate, submission)).attribution->marks;
  };
  const std::size_t before = marks_of("stream").size();
  for (const char* submission : {"stream", "graph"}) {
    const std::string name = name_of(Structure::separate, submission);
    passes.untraced.rows[name].host_us = {6, 6, 7};
    passes.api.rows[name].host_us = {7.5};
  }
  const auto marks = marks_of("stream");
  REQUIRE(marks.size() == before + 1);
  CHECK(marks.back() == "api pass disturbs calls by +25%");
  for (const std::string& mark : marks_of("graph")) CHECK(mark.find("calls") == std::string::npos);

  passes.api.rows[name_of(Structure::separate, "stream")].host_us = {6.5};  // +8 %: not worth a mark
  CHECK(marks_of("stream").size() == before);
}

TEST_CASE("attribute: a row without one of its passes is withheld, and says which", "[study][attribute]") {
  const std::string stream = name_of(Structure::separate, "stream");
  const std::string graph = name_of(Structure::separate, "graph");
  struct Case {
    PassFile Passes::*pass;
    std::string row;
  };
  for (const Case& missing : {Case{&Passes::untraced, stream}, Case{&Passes::api, stream},
                              Case{&Passes::kernel, stream}, Case{&Passes::untraced, graph}}) {
    Passes passes = passes_of_separate();
    PassFile& pass = passes.*missing.pass;
    pass.rows.erase(missing.row);
    const auto rows = rows_of(passes);
    const AttributionRow& row = row_of(rows, missing.row);
    CAPTURE(pass.mode, missing.row);
    CHECK_FALSE(row.attribution);
    CHECK(row.withheld == "the " + pass.mode + " pass has no row " + missing.row);
  }
  // A reason that the pass gave itself is handed on.
  Passes passes = passes_of_separate();
  passes.kernel.rows[stream].timelines.clear();
  passes.kernel.rows[stream].reason = "3 records were dropped";
  const auto rows = rows_of(passes);
  CHECK(row_of(rows, stream).withheld == "3 records were dropped");
}

TEST_CASE("attribute: passes that disagree about the kernels withhold the row", "[study][attribute]") {
  Passes passes = passes_of_separate();
  const std::string stream = name_of(Structure::separate, "stream");
  passes.kernel.rows[stream].timelines = {works({10, 5, 5})};
  const auto rows = rows_of(passes);
  CHECK_FALSE(row_of(rows, stream).attribution);
  CHECK_THAT(row_of(rows, stream).withheld, Catch::Matchers::ContainsSubstring("the passes disagree"));
}

TEST_CASE("attribute: the split of the separate arm, worked by hand", "[study][attribute]") {
  Passes passes = passes_of_separate();
  add_arms(passes.kernel);
  const auto rows = rows_of(passes);
  const AttributionRow& row = row_of(rows, name_of(Structure::separate, "stream"));
  CAPTURE(row.not_separable);
  REQUIRE(row.split);
  // The sliced arm at separate's 2 launches is 104.
  CHECK(row.split->essential_us == Approx(100));
  CHECK(row.split->ramp_us == Approx(4));
  CHECK(row.split->round_trip_us == Approx(196));
  CHECK(row.split->ramp_per_slice_us == Approx(2));
  REQUIRE(row.split->round_trip_by_persistent_us);
  CHECK(*row.split->round_trip_by_persistent_us == Approx(205));
  CHECK_FALSE(row_of(rows, name_of(Structure::fused, "stream")).split);
}

TEST_CASE("attribute: no split where an arm is missing or a slice is too small", "[study][attribute]") {
  Passes passes = passes_of_separate();
  add_arms(passes.kernel);
  passes.kernel.rows.erase(name_of(Structure::fused, "stream"));
  const auto rows = rows_of(passes);
  const AttributionRow& row = row_of(rows, name_of(Structure::separate, "stream"));
  CHECK_FALSE(row.split);
  CHECK_THAT(row.not_separable, Catch::Matchers::ContainsSubstring("no busy time of the fused arm"));
  const auto small = rows_of({}, {{1024, 2, 0}});
  CHECK_FALSE(small.front().split);
  CHECK_THAT(small.front().not_separable, Catch::Matchers::ContainsSubstring("not separable"));
}
