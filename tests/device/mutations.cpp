// The gate on implementations that are wrong: each must fail, and its right counterpart must pass, by the
// very same call.
#include <algorithm>
#include <map>

#include "tests/catch.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;

namespace {

struct Mutation {
  const char* what;
  const char* pipeline;
  Implementation (*mutant)();
  std::vector<Problem> problems;
};

std::string shown(const std::vector<GateRow>& rows) {
  std::string text;
  for (const GateRow& row : rows) {
    text += row.name + " " + row.input + " " + std::string(to_string(row.status)) + " " + row.detail + "\n";
  }
  return text;
}

bool failed(const GateRow& row) {
  return row.status == GateStatus::failed;
}

// An integer input is exact: nothing but the mutation can fail there.
bool failed_on_integers(const std::vector<GateRow>& rows) {
  return std::any_of(rows.begin(), rows.end(),
                     [](const GateRow& row) { return row.input == "integers" && failed(row); });
}

}  // namespace

TEST_CASE("the gate catches wrong kernels, and passes the right ones", "[device][mutation]") {
  const std::vector<Problem> sums{{1, 2, 0}, {31, 2, 0}, {1023, 2, 0}, {many_blocks, 2, 0}};
  const std::vector<Problem> chains{{1, 1, 0}, {31, 3, 0}, {1023, 16, 0}, {many_blocks, 16, 0}};
  const std::vector<Mutation> mutations{
      {"drops the last element", "sum_abs", drops_last_element, sums},
      {"reads a tile twice", "sum_abs", reads_a_tile_twice, sums},
      {"slices overwrite each other", "sum_abs", overwrites_partials, {{many_blocks, 2, 0}}},
      {"skips a step", "chain", skips_a_step, chains},
      {"leaves the last element", "chain", leaves_last_element, chains},
  };
  for (const Mutation& mutation : mutations) {
    const Pipeline& right = find_pipeline(mutation.pipeline);
    const Implementation mutant = mutation.mutant();
    for (const Problem& problem : mutation.problems) {
      Rig wrong(with_mutant(right, mutant), problem);
      const auto rows = wrong.gate(mutant.structure);
      CAPTURE(mutation.what, problem.n, problem.k, shown(rows));
      CHECK(rows.size() == 2);
      CHECK(failed_on_integers(rows));
      const auto control = Rig(right, problem).gate(mutant.structure);
      CAPTURE(shown(control));
      CHECK(std::none_of(control.begin(), control.end(), failed));
    }
  }
}

TEST_CASE("the gate catches a mutant in a graph as well", "[device][mutation]") {
  Rig wrong(with_mutant(find_pipeline("chain"), skips_a_step()), {1023, 3, 0});
  const auto rows = wrong.gate(Structure::fused, "graph");
  CAPTURE(shown(rows));
  CHECK(std::all_of(rows.begin(), rows.end(), failed));
}

TEST_CASE("the gate catches a grid barrier that is missing", "[device][mutation][barrier]") {
  if (!this_device().cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  const Pipeline& right = find_pipeline("sum_abs");
  // Blocks that are late have not written what the others sum: the poison's NaN gets into the result.
  Rig wrong(with_mutant(right, forgets_the_barrier()), {many_blocks, 2, 0});
  const auto rows = wrong.gate(Structure::persistent);
  CAPTURE(shown(rows));
  CHECK(std::all_of(rows.begin(), rows.end(), failed));
  // The same delays with the barrier are harmless: it was the barrier.
  Rig control(with_mutant(right, keeps_the_barrier()), {many_blocks, 2, 0});
  const auto kept = control.gate(Structure::persistent);
  CAPTURE(shown(kept));
  CHECK(std::none_of(kept.begin(), kept.end(), failed));
}

TEST_CASE("a grid barrier holds in 200 runs with delayed producers", "[device][barrier]") {
  if (!this_device().cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  Rig rig(with_mutant(find_pipeline("sum_abs"), keeps_the_barrier()), {many_blocks, 2, 0});
  for (const char* submission : {"stream", "graph"}) {
    CAPTURE(submission);
    CHECK(rig.wrong_runs(Structure::persistent, submission, 200) == 0);
  }
}

TEST_CASE("the gate catches an order of summation that changes from run to run", "[device][mutation]") {
  // Two runs may agree by chance, so one gate may pass; 20 that all pass would mean that it cannot see it.
  Rig wrong(with_mutant(find_pipeline("sum_abs"), adds_atomically()), {many_blocks, 2, 0});
  int caught = 0;
  for (int run = 0; run < 20; ++run) {
    for (const GateRow& row : wrong.gate(Structure::fused)) {
      CAPTURE(row.input, row.detail);
      if (row.input == "integers") {
        CHECK_FALSE(failed(row));  // exact in any order: the kernel itself adds up everything
      } else {
        caught += failed(row) ? 1 : 0;
      }
    }
  }
  CHECK(caught > 0);
}
