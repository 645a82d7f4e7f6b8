// The measuring passes under CUPTI, each in a child process as in a study: one session a process.
#include <algorithm>
#include <set>

#include "profiling/attribution.hpp"
#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/measure/pass_file.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"
#include "tests/program.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using profiling::Timeline;
using profiling::WorkKind;

namespace {

constexpr profiling::Nanoseconds any_gap_ns = 1700;  // the sum does not depend on it

struct Pass {
  std::string missing;  // why there is none
  PassFile file;
};

Pass run_pass(const std::string& mode) {
  const ScratchFolder folder;
  const std::string file = folder.path() / "pass.json";
  const ProgramEnd end =
      run_built("gvf", {"attribute", "--pass", mode, "-p", "sum_abs", "-n", "2^16", "--output", file});
  if (end.exit_code == exit_machine_lacks) return {end.err, {}};
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  return {"", pass_from_json(read_json(file, "run it again"), file)};
}

std::string name_of(Structure structure, const SubmissionKind& kind) {
  return variant_name(find_pipeline("sum_abs"), structure, kind.name, {1 << 16, 2, 0});
}

int launches_of(Structure structure) {
  const Pipeline& pipeline = find_pipeline("sum_abs");
  const Problem problem = resolve(pipeline, structure, {1 << 16, 2, 0}, this_device());
  return pipeline.byte_model(structure, problem).launches();
}

bool exists(Structure structure) {
  return structure != Structure::persistent || this_device().cooperative_launch;
}

// The parts of every iteration add up to its wall, to the nanosecond.
void check_accounts(const PassRow& row) {
  for (const Timeline& timeline : row.timelines) {
    const auto parts = profiling::account(timeline, any_gap_ns);
    REQUIRE(parts.ok());
    CHECK(parts->wall() == timeline.wall());
    CHECK(parts->busy > 0);
  }
}

// Whether this submission says that it cannot carry the structure.
bool cannot_carry(Structure structure, const SubmissionKind& kind) {
  if (!kind.not_applicable(this_device(), cuda_versions().driver).empty()) return true;
  try {
    Rig rig(find_pipeline("sum_abs"), {1 << 16, 2});
    static_cast<void>(rig.variant(structure, std::string(kind.name).c_str()));
    return false;
  } catch (const NotApplicable&) {
    return true;
  }
}

// Calls body(structure, kind, row) on the rows that exist, all of which have a wall for every iteration.
template <class Body>
void for_rows(const PassFile& pass, Body&& body) {
  for (const Structure structure : all_structures) {
    if (!exists(structure)) continue;
    for (const SubmissionKind& kind : submissions()) {
      const PassRow row = pass.row(name_of(structure, kind));
      CAPTURE(pass.mode, to_string(structure), kind.name, row.reason);
      if (cannot_carry(structure, kind)) {
        CHECK_FALSE(row.reason.empty());
        continue;
      }
      CHECK(row.reason.empty());
      CHECK(row.wall_us.size() >= 5);
      for (const double wall_us : row.wall_us) CHECK(wall_us > 0);
      body(structure, kind, row);
    }
  }
}

}  // namespace

TEST_CASE("kernel pass: the same kernels each iteration, accounts that close", "[device][cupti]") {
  const Pass pass = run_pass("kernel");
  if (!pass.missing.empty()) GVF_SKIP(pass.missing);
  for_rows(pass.file, [](Structure structure, const SubmissionKind& kind, const PassRow& row) {
    if (kind.as_graph) {
      CHECK(row.timelines.empty());
      return;
    }
    REQUIRE(row.timelines.size() == row.wall_us.size());
    check_accounts(row);
    std::set<std::size_t> counts;
    for (const Timeline& timeline : row.timelines) {
      counts.insert(timeline.works.size());
      for (const auto& work : timeline.works) CHECK(work.kind == WorkKind::kernel);
    }
    CHECK(counts.size() == 1);
    if (structure != Structure::library) {
      CHECK(counts == std::set<std::size_t>{static_cast<std::size_t>(launches_of(structure))});
    }
  });
}

TEST_CASE("api pass: a submitting call for every kernel, none for the rest", "[device][cupti]") {
  const Pass pass = run_pass("api");
  if (!pass.missing.empty()) GVF_SKIP(pass.missing);
  for_rows(pass.file, [](Structure structure, const SubmissionKind& kind, const PassRow& row) {
    if (kind.as_graph) return;
    REQUIRE(row.timelines.size() == row.wall_us.size());
    for (const Timeline& timeline : row.timelines) {
      CHECK(timeline.works.empty());
      const auto calls = profiling::calls_of(timeline);
      REQUIRE(calls.ok());
      if (structure != Structure::library) {
        CHECK(static_cast<int>(calls->size()) == launches_of(structure));
      }
      for (const auto& call : *calls) CHECK(call.at.begin >= 0);
      CHECK(calls->back().at.end <= timeline.wall());
    }
  });
}

TEST_CASE("graph pass: one record for each graph launch, accounts that close", "[device][cupti]") {
  const Pass pass = run_pass("graph");
  if (!pass.missing.empty()) GVF_SKIP(pass.missing);
  for_rows(pass.file, [](Structure, const SubmissionKind& kind, const PassRow& row) {
    if (!kind.as_graph) return;
    REQUIRE(row.timelines.size() == row.wall_us.size());
    check_accounts(row);
    for (const Timeline& timeline : row.timelines) {
      REQUIRE(timeline.works.size() == 1);
      CHECK(timeline.works.front().kind == WorkKind::graph);
    }
  });
}

TEST_CASE("trace pass: every work has its call", "[device][cupti]") {
  const Pass pass = run_pass("trace");
  if (!pass.missing.empty()) GVF_SKIP(pass.missing);
  for (const Structure structure : {Structure::separate, Structure::fused}) {
    for (const char* submission : {"stream", "graph"}) {
      const PassRow row = pass.file.row(name_of(structure, find_submission(submission)));
      CAPTURE(to_string(structure), submission, row.reason);
      REQUIRE_FALSE(row.timelines.empty());
      for (const Timeline& timeline : row.timelines) {
        const auto joined = profiling::join(timeline);
        REQUIRE(joined.ok());
        CHECK(joined->orphans == 0);
        CHECK(static_cast<int>(timeline.works.size()) == launches_of(structure));
      }
    }
  }
}

TEST_CASE("untraced pass: walls and no timelines", "[device]") {
  const Pass pass = run_pass("untraced");
  REQUIRE(pass.missing.empty());
  for_rows(pass.file,
           [](Structure, const SubmissionKind&, const PassRow& row) { CHECK(row.timelines.empty()); });
}

TEST_CASE("gvf check and gvf trace run to the end on this GPU", "[device][program]") {
  const ProgramEnd check = run_built("gvf", {"check", "-n", "1023", "-k", "3", "--json"});
  CAPTURE(check.err);
  CHECK(check.exit_code == 0);
  const auto rows = nlohmann::json::parse(check.out).at("rows");
  for (const auto& row : rows) CHECK(row.at("verdict") != "FAIL");
  const ProgramEnd trace =
      run_built("gvf", {"trace", "-p", "sum_abs", "-n", "2^16", "--iterations", "2", "--json"});
  CHECK(trace.exit_code == 0);
  CHECK_FALSE(nlohmann::json::parse(trace.out).at("ranges").empty());
}

TEST_CASE("kernel pass: under PDL kernels overlap on the timeline, else they do not",
          "[device][cupti][pdl]") {
  if (this_device().compute_major < 9) GVF_SKIP("this GPU has no programmatic dependent launch");
  // Kernels that take longer than their launch calls: the host is ahead.
  const ScratchFolder folder;
  const std::string file = folder.path() / "pass.json";
  const ProgramEnd end = run_built(
      "gvf", {"attribute", "--pass", "kernel", "-p", "chain", "-n", "2^24", "--structure", "separate",
              "--submission", "stream", "--submission", "stream_pdl", "--output", file});
  if (end.exit_code == exit_machine_lacks) GVF_SKIP(end.err);
  INFO(end.err);
  REQUIRE(end.exit_code == 0);
  const PassFile pass = pass_from_json(read_json(file, "run it again"), file);
  const auto overlapping = [&](const char* submission) {
    const PassRow row =
        pass.row(variant_name(find_pipeline("chain"), Structure::separate, submission, {1 << 24, 16}));
    REQUIRE_FALSE(row.timelines.empty());
    const auto works = profiling::works_of(row.timelines.back());
    REQUIRE(works.ok());
    REQUIRE(works->size() == 16);
    return std::count_if(works->begin(), works->end(), [](const auto& work) { return work.overlap > 0; });
  };
  CHECK(overlapping("stream") == 0);
  CHECK(overlapping("stream_pdl") >= 12);
}
