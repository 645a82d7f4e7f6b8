// Every variant of the catalog computes the same, at sizes that divide by nothing, run after run.
#include <set>

#include "study/measure/workbench.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;

TEST_CASE("every variant passes the gate at every awkward size", "[device][gate]") {
  Workbench bench(this_device());
  for (const Pipeline& pipeline : catalog()) {
    for (const Problem& problem : awkward_problems(pipeline)) {
      Station& station = bench.station(pipeline, problem);
      std::vector<Variant*> variants;
      for (const auto& [key, variant] : station.variants) variants.push_back(variant.get());
      const auto rows = run_gate(*station.workload, variants);
      CHECK(rows.size() == 2 * variants.size());
      for (const GateRow& row : rows) {
        CAPTURE(row.name, row.input, row.error, row.bound, row.detail);
        CHECK(row.status == GateStatus::passed);
        CHECK(row.error <= row.bound);
      }
      // What is not there says why; nothing is silently absent.
      for (const GateRow& row : station.unavailable) {
        CAPTURE(row.name, row.detail);
        CHECK(row.status == GateStatus::not_applicable);
        CHECK_FALSE(row.detail.empty());
      }
      CHECK(variants.size() + station.unavailable.size() == all_structures.size() * submissions().size());
      // These two submissions carry every structure that this GPU can run.
      for (const Structure structure : all_structures) {
        if (!pipeline.find(structure)->not_applicable(problem, bench.device()).empty()) continue;
        for (const std::string submission : {"/stream", "/graph"}) {
          CHECK(station.variants.count(std::string(to_string(structure)) + submission) == 1);
        }
      }
      bench.release(pipeline, problem);
    }
  }
}

TEST_CASE("slices that were asked for give the same result", "[device][gate]") {
  for (const Pipeline& pipeline : catalog()) {
    for (const int slices : {1, 7, 64}) {
      Rig rig(pipeline, {many_blocks, pipeline.default_k, slices});
      for (const Structure structure : {Structure::sliced, Structure::blocked}) {
        for (const GateRow& row : rig.gate(structure, "graph")) {
          CAPTURE(row.name, row.input, row.detail);
          CHECK(row.status == GateStatus::passed);
        }
      }
    }
  }
}

TEST_CASE("sum_abs gives one bit pattern in 50 runs of each variant", "[device][determinism]") {
  const Pipeline& pipeline = find_pipeline("sum_abs");
  Workbench bench(this_device());
  Station& station = bench.station(pipeline, {many_blocks, pipeline.default_k, 0});
  station.workload->fill(InputKind::reals, some_seed);
  for (const auto& [key, variant] : station.variants) {
    std::set<std::uint64_t> patterns;
    for (int run = 0; run < 50; ++run) {
      station.workload->poison();
      variant->submit();
      variant->synchronize();
      patterns.insert(station.workload->output_fingerprint());
    }
    CAPTURE(key);
    CHECK(patterns.size() == 1);
  }
}

TEST_CASE("structures that share a summation order share the bits", "[device][determinism]") {
  // separate, persistent and fused reduce with one kernel shape: the intermediate changes no rounding. Small
  // enough that occupancy does not bound the grid, on any GPU.
  Rig rig(find_pipeline("sum_abs"), {100003, 2, 0});
  if (!rig.device.cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  std::set<std::uint64_t> patterns;
  for (const Structure structure : {Structure::separate, Structure::persistent, Structure::fused}) {
    const auto variant = rig.variant(structure, "stream");
    rig.workload->poison();
    variant->submit();
    variant->synchronize();
    patterns.insert(rig.workload->output_fingerprint());
  }
  CHECK(patterns.size() == 1);
}

TEST_CASE("persistent variants: 1000 runs, one bit pattern", "[device][barrier]") {
  if (!this_device().cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  for (const Pipeline& pipeline : catalog()) {
    Rig rig(pipeline, {many_blocks, pipeline.default_k, 0});
    for (const char* submission : {"stream", "graph", "stream_pdl", "graph_pdl"}) {
      if (!find_submission(submission).not_applicable(rig.device, cuda_versions().driver).empty()) continue;
      const auto variant = rig.variant(Structure::persistent, submission);
      std::set<std::uint64_t> patterns;
      for (int run = 0; run < 1000; ++run) {
        rig.workload->poison();
        variant->submit();
        variant->synchronize();
        patterns.insert(rig.workload->output_fingerprint());
      }
      CAPTURE(pipeline.name, submission);
      CHECK(patterns.size() == 1);
      CHECK(rig.workload->verify(1).passed);
    }
  }
}
