// The graphs that submissions capture: their nodes and edges, and that a replay reads today's input.
#include "graphs/capture.hpp"

#include <map>

#include "graphs/inspect.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;

TEST_CASE("a captured iteration is a chain of as many kernels as the byte model counts", "[device][graph]") {
  for (const Pipeline& pipeline : catalog()) {
    for (const std::int64_t n : {std::int64_t{31}, many_blocks}) {
      Rig rig(pipeline, {n, pipeline.default_k, 0});
      for (const Structure structure : all_structures) {
        const Implementation& implementation = *pipeline.find(structure);
        if (!implementation.not_applicable(rig.problem, rig.device).empty()) continue;
        const int slices = pipeline.slices(structure, rig.problem, rig.device);
        const auto program = implementation.make(*rig.workload, slices);
        program->prepare();
        StreamLauncher launcher(rig.stream.get());
        program->enqueue(launcher);  // loads the kernels
        GVF_CUDA(cudaStreamSynchronize(rig.stream.get()), "waiting for a first run");
        const Graph graph = graphs::capture([&](Launcher& capturing) { program->enqueue(capturing); });
        const graphs::Inspection found = graphs::inspect(graph.get());
        CAPTURE(pipeline.name, to_string(structure), n, graphs::describe(found));
        CHECK(rig.variant(structure, "graph")->kernels() == static_cast<int>(found.nodes.size()));
        CHECK(found.is_straight_line());
        CHECK(found.programmatic_edges() == 0);
        if (structure == Structure::library) {
          CHECK(found.count(cudaGraphNodeTypeMemAlloc) == 0);  // storage was sized first
          CHECK(found.count(cudaGraphNodeTypeHost) == 0);
          continue;
        }
        CHECK(found.count(cudaGraphNodeTypeKernel) == found.nodes.size());
        const Problem resolved = resolve(pipeline, structure, rig.problem, rig.device);
        CHECK(static_cast<int>(found.nodes.size()) == pipeline.byte_model(structure, resolved).launches());
      }
    }
  }
}

TEST_CASE("host submissions: a call for every kernel, or one for the graph", "[device][graph]") {
  Rig rig(find_pipeline("chain"), {1023, 16, 0});
  CHECK(rig.variant(Structure::separate, "stream")->host_submissions() == 16);
  CHECK(rig.variant(Structure::separate, "graph")->host_submissions() == 1);
  CHECK(rig.variant(Structure::fused, "stream")->host_submissions() == 1);
}

TEST_CASE("a graph replays on an input that changed after its capture", "[device][graph]") {
  for (const Pipeline& pipeline : catalog()) {
    Rig rig(pipeline, {many_blocks, pipeline.default_k, 0});
    for (const Structure structure : all_structures) {
      if (!pipeline.find(structure)->not_applicable(rig.problem, rig.device).empty()) continue;
      const auto stream = rig.variant(structure, "stream");
      const auto graph = rig.variant(structure, "graph");
      std::map<std::uint64_t, std::uint64_t> by_seed;
      for (const std::uint64_t seed : {1ULL, 2ULL}) {
        rig.workload->fill(InputKind::reals, seed);
        std::uint64_t results[2] = {};
        for (Variant* variant : {stream.get(), graph.get()}) {
          rig.workload->poison();
          variant->submit();
          variant->synchronize();
          results[variant == graph.get() ? 1 : 0] = rig.workload->output_fingerprint();
          const Verdict verdict = rig.workload->verify(variant->slices());
          CAPTURE(variant->name(), seed, verdict.detail);
          CHECK(verdict.passed);
        }
        CHECK(results[0] == results[1]);
        by_seed[seed] = results[1];
      }
      CHECK(by_seed.at(1) != by_seed.at(2));  // else a stale result would have passed
    }
  }
}

TEST_CASE("iterations in flight keep their order", "[device][graph]") {
  // Back to back, each iteration overwrites what the one before may still read: the last result must be
  // right.
  for (const Pipeline& pipeline : catalog()) {
    Rig rig(pipeline, {many_blocks, pipeline.default_k, 0});
    rig.workload->fill(InputKind::integers, some_seed);
    for (const Structure structure : all_structures) {
      if (!pipeline.find(structure)->not_applicable(rig.problem, rig.device).empty()) continue;
      for (const char* submission : {"stream", "graph"}) {
        const auto variant = rig.variant(structure, submission);
        rig.workload->poison();
        for (int i = 0; i < 50; ++i) variant->submit();
        variant->synchronize();
        const Verdict verdict = rig.workload->verify(variant->slices());
        CAPTURE(variant->name(), verdict.detail);
        CHECK(verdict.passed);
      }
    }
  }
}
