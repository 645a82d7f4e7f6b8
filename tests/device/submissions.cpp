// What each submission makes of an iteration, read back from the driver; and that PDL is real.
#include <algorithm>
#include <functional>
#include <string>
#include <vector>

#include "graphs/branches.hpp"
#include "graphs/capture.hpp"
#include "graphs/explicit_graph.hpp"
#include "graphs/fan_out.hpp"
#include "graphs/inspect.hpp"
#include "graphs/loops.hpp"
#include "graphs/memory_graph.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/samples.hpp"
#include "tests/catch.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using graphs::BuiltGraph;
using graphs::Inspection;

namespace {

// A program ready to be enqueued, its kernels loaded.
struct Ready {
  Ready(const char* pipeline, const Problem& problem, Structure structure)
      : rig(find_pipeline(pipeline), problem) {
    program = rig.pipeline.find(structure)->make(*rig.workload,
                                                 rig.pipeline.slices(structure, problem, rig.device));
    program->prepare();
    StreamLauncher launcher(rig.stream.get());
    program->enqueue(launcher);
    GVF_CUDA(cudaStreamSynchronize(rig.stream.get()), "waiting for a first run");
  }
  [[nodiscard]] Enqueue enqueue() const {
    return [this](Launcher& launcher) { program->enqueue(launcher); };
  }

  Rig rig;
  std::unique_ptr<Program> program;
};

Inspection inspection_of(const BuiltGraph& built) {
  return graphs::inspect(built.graph.get());
}

std::string reason_of(const std::function<void()>& action) {
  try {
    action();
  } catch (const NotApplicable& reason) {
    return reason.what();
  }
  return {};
}

bool has_programmatic_launch() {
  return this_device().compute_major >= 9;
}

}  // namespace

TEST_CASE("graph_pdl: every edge between kernels is programmatic", "[device][graph][pdl]") {
  if (!has_programmatic_launch()) GVF_SKIP("this GPU has no programmatic dependent launch");
  const Ready chain("chain", {1023, 16}, Structure::separate);
  const Inspection found = inspection_of(graphs::build_programmatic(chain.enqueue()));
  CAPTURE(graphs::describe(found));
  CHECK(found.count(cudaGraphNodeTypeKernel) == 16);
  CHECK(found.is_straight_line());
  CHECK(found.programmatic_edges() == 15);
}

TEST_CASE("graph_explicit: the nodes and edges of a capture, made by hand", "[device][graph]") {
  for (const Pipeline& pipeline : catalog()) {
    for (const Structure structure : all_structures) {
      const Problem problem{many_blocks, pipeline.default_k};
      if (!pipeline.find(structure)->not_applicable(problem, this_device()).empty()) continue;
      const Ready ready(std::string(pipeline.name).c_str(), problem, structure);
      const Inspection captured = graphs::inspect(graphs::capture(ready.enqueue()).get());
      const Inspection made = inspection_of(graphs::build_explicit(ready.enqueue()));
      CAPTURE(pipeline.name, to_string(structure), graphs::describe(captured), graphs::describe(made));
      CHECK(made.types == captured.types);
      CHECK(made.edges == captured.edges);
    }
  }
}

TEST_CASE("graph_unrolled: as many copies of the iteration as iterations", "[device][graph]") {
  const Ready chain("chain", {1023, 16}, Structure::separate);
  for (const int repeats : {1, 4}) {
    const BuiltGraph built = graphs::build_unrolled(chain.enqueue(), repeats);
    const Inspection found = inspection_of(built);
    CHECK(built.iterations == repeats);
    CHECK(found.nodes.size() == static_cast<std::size_t>(16 * repeats));
    CHECK(found.is_straight_line());
  }
}

TEST_CASE("graph_while: one conditional node", "[device][graph]") {
  const Ready chain("chain", {1023, 16}, Structure::separate);
  const Inspection found = inspection_of(graphs::build_while(chain.enqueue(), 4));
  CAPTURE(graphs::describe(found));
  CHECK(found.nodes.size() == 1);
  CHECK(found.count(cudaGraphNodeTypeConditional) == 1);
}

TEST_CASE("graph_device: the iteration and one kernel that launches it again", "[device][graph]") {
  const Ready chain("chain", {1023, 16}, Structure::separate);
  const Inspection found = inspection_of(graphs::build_relaunching(chain.enqueue(), 4));
  CAPTURE(graphs::describe(found));
  CHECK(found.count(cudaGraphNodeTypeKernel) == 17);
  CHECK(found.is_straight_line());
}

TEST_CASE("submissions of several iterations run as many as they say", "[device][graph]") {
  // Iterations of sum_abs are idempotent, so a count of its own tells how often the body ran.
  DeviceBuffer<unsigned> counter(1);
  const Stream stream = make_stream();
  const Enqueue enqueue = [&](Launcher& launcher) { launch_count(launcher, counter.data()); };
  StreamLauncher launcher(stream.get());
  enqueue(launcher);
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a first run");
  for (const SubmissionKind& kind : submissions()) {
    if (!kind.has_repeats() || !kind.not_applicable(this_device(), cuda_versions().driver).empty()) continue;
    for (const int repeats : {1, 2, 64}) {
      const auto submission = kind.make(enqueue, stream.get(), repeats);
      CAPTURE(kind.name, repeats);
      CHECK(submission->iterations() == repeats);
      GVF_CUDA(cudaMemset(counter.data(), 0, counter.bytes()), "resetting a count");
      GVF_CUDA(cudaDeviceSynchronize(), "resetting a count");
      for (int launch = 0; launch < 3; ++launch) submission->submit();
      GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for repeats");
      unsigned count = 0;
      GVF_CUDA(cudaMemcpy(&count, counter.data(), sizeof count, cudaMemcpyDeviceToHost), "reading a count");
      CHECK(count == static_cast<unsigned>(3 * repeats));
    }
  }
}

TEST_CASE("graph_memory: an allocation node before the kernels, a free node after", "[device][graph]") {
  const Ready separate("chain", {1023, 16}, Structure::separate);
  const Inspection found = inspection_of(graphs::build_with_memory(separate.enqueue()));
  CAPTURE(graphs::describe(found));
  CHECK(found.count(cudaGraphNodeTypeMemAlloc) == 1);
  CHECK(found.count(cudaGraphNodeTypeMemFree) == 1);
  CHECK(found.count(cudaGraphNodeTypeKernel) == 16);
  CHECK(found.types.front() == cudaGraphNodeTypeMemAlloc);
  CHECK(found.types.back() == cudaGraphNodeTypeMemFree);
  const Ready fused("chain", {1023, 16}, Structure::fused);
  CHECK(reason_of([&] { static_cast<void>(graphs::build_with_memory(fused.enqueue())); }) ==
        "there is no intermediate to allocate");
}

TEST_CASE("graph_branches: independent slices fork from the root and depend on nothing else",
          "[device][graph]") {
  const Ready sliced("chain", {many_blocks, 16}, Structure::sliced);
  const Inspection found = inspection_of(graphs::build_branches(sliced.enqueue()));
  CAPTURE(graphs::describe(found));
  CHECK(found.nodes.size() == 16);
  CHECK(found.edges.empty());
  for (const Structure structure : {Structure::separate, Structure::fused}) {
    const Ready dependent("chain", {1023, 16}, structure);
    CHECK(reason_of([&] { static_cast<void>(graphs::build_branches(dependent.enqueue())); }) ==
          "no launch is independent of the one before it");
  }
}

TEST_CASE("graph_fan_out: one kernel that launches a graph for each independent slice", "[device][graph]") {
  const Ready sliced("chain", {many_blocks, 16}, Structure::sliced);
  const Inspection found = inspection_of(graphs::build_fan_out(sliced.enqueue()));
  CAPTURE(graphs::describe(found));
  CHECK(found.nodes.size() == 1);
  CHECK(found.count(cudaGraphNodeTypeKernel) == 1);
  const auto reason = [](const Enqueue& enqueue) {
    return reason_of([&] { static_cast<void>(graphs::build_fan_out(enqueue)); });
  };
  for (const Structure structure : {Structure::separate, Structure::fused}) {
    const Ready dependent("chain", {1023, 16}, structure);
    CHECK(reason(dependent.enqueue()) == "no launch is independent of the one before it");
  }
  CHECK(reason([](Launcher& launcher) {
          launch_idle(launcher, {});
          launcher.begin_lane(0);
          launcher.begin_lane(1);
        }) == "it launches outside of its lanes");
  CHECK(reason([&](Launcher& launcher) {
          launcher.begin_lane(0);
          sliced.enqueue()(launcher);
          for (int lane = 0; lane < graphs::most_fan_out + 1; ++lane) {
            launcher.begin_lane(lane);
            launch_idle(launcher, {});
          }
        }) == "a graph launches at most 120 others, not 121");
  CHECK(reason([](Launcher& launcher) { launcher.begin_lane(0); }) ==
        "no launch is independent of the one before it");
}

TEST_CASE("what follows a fan-out waits for all that it has sent off", "[device][graph]") {
  // A copy that did not wait for every lane would find fewer.
  constexpr int lanes = 8, each = 50;
  std::vector<DeviceBuffer<unsigned>> counters;
  for (int lane = 0; lane < lanes; ++lane) counters.emplace_back(1);
  const Stream stream = make_stream();
  for (const auto& counter : counters) {
    GVF_CUDA(cudaMemsetAsync(counter.data(), 0, counter.bytes(), stream.get()), "zeroing counts");
  }
  StreamLauncher preload(stream.get());
  launch_count(preload, counters[0].data());
  GVF_CUDA(cudaMemsetAsync(counters[0].data(), 0, 4, stream.get()), "zeroing a count");
  const auto submission =
      find_submission("graph_fan_out")
          .make(
              [&](Launcher& launcher) {
                for (int lane = 0; lane < lanes; ++lane) {
                  launcher.begin_lane(lane);
                  for (int i = 0; i < each; ++i)
                    launch_count(launcher, counters[static_cast<std::size_t>(lane)].data());
                }
              },
              stream.get(), 1);
  for (unsigned launch = 1; launch <= 20; ++launch) {
    submission->submit();
    std::vector<unsigned> found(lanes);
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      GVF_CUDA(cudaMemcpyAsync(&found[lane], counters[lane].data(), 4, cudaMemcpyDeviceToHost, stream.get()),
               "reading counts");
    }
    GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for counts");
    CHECK(found == std::vector<unsigned>(lanes, launch * each));
  }
}

TEST_CASE("the gate catches a kernel that does not wait under a programmatic edge",
          "[device][mutation][pdl]") {
  if (!has_programmatic_launch()) GVF_SKIP("this GPU has no programmatic dependent launch");
  const Pipeline& right = find_pipeline("chain");
  const auto failures = [&](const Implementation& mutant, const char* submission) {
    Rig rig(with_mutant(right, mutant), {40000, 16});
    const auto rows = rig.gate(Structure::separate, submission);
    return std::count_if(rows.begin(), rows.end(),
                         [](const GateRow& row) { return row.status == GateStatus::failed; });
  };
  for (const char* submission : {"stream_pdl", "graph_pdl"}) {
    CAPTURE(submission);
    CHECK(failures(forgets_to_wait(), submission) == 2);
    CHECK(failures(waits_for_late_blocks(), submission) == 0);
  }
  // With full edges the same kernel is right: it is the edge that asks for the wait.
  CHECK(failures(forgets_to_wait(), "stream") == 0);
}

TEST_CASE("programmatic edges: 1000 runs over delayed producers", "[device][pdl]") {
  if (!has_programmatic_launch()) GVF_SKIP("this GPU has no programmatic dependent launch");
  Rig rig(with_mutant(find_pipeline("chain"), waits_for_late_blocks()), {40000, 4});
  for (const char* submission : {"stream_pdl", "graph_pdl"}) {
    CAPTURE(submission);
    CHECK(rig.wrong_runs(Structure::separate, submission, 1000) == 0);
  }
}

TEST_CASE("a lesson: with the attribute and no trigger in the kernel nothing overlaps", "[device][pdl]") {
  if (!has_programmatic_launch()) GVF_SKIP("this GPU has no programmatic dependent launch");
  constexpr std::size_t kernels = 8;
  const DeviceBuffer<unsigned long long> stamps(2 * kernels);
  const Stream stream = make_stream();
  const auto overlaps = [&](bool triggers, const char* submission) {
    const Enqueue enqueue = [&](Launcher& launcher) {
      for (std::size_t k = 0; k < kernels; ++k) launch_stamps(launcher, triggers, stamps.data() + 2 * k);
    };
    StreamLauncher launcher(stream.get());
    enqueue(launcher);
    GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a first run");
    const auto made = find_submission(submission).make(enqueue, stream.get(), 1);
    made->submit();
    GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for stamps");
    std::vector<unsigned long long> at(2 * kernels);
    GVF_CUDA(cudaMemcpy(at.data(), stamps.data(), stamps.bytes(), cudaMemcpyDeviceToHost), "reading stamps");
    int count = 0;
    for (std::size_t k = 1; k < kernels; ++k) count += at[2 * k] < at[2 * k - 1] ? 1 : 0;
    return count;
  };
  for (const char* submission : {"stream_pdl", "graph_pdl"}) {
    CAPTURE(submission);
    CHECK(overlaps(true, submission) == kernels - 1);
    CHECK(overlaps(false, submission) == 0);
  }
  for (const char* submission : {"stream", "graph"}) {
    CAPTURE(submission);
    CHECK(overlaps(true, submission) == 0);
  }
}

TEST_CASE("what a programmatic edge saves, with and without the trigger", "[device][pdl]") {
  if (!has_programmatic_launch()) GVF_SKIP("this GPU has no programmatic dependent launch");
  const auto span_us = [&](const Implementation& kernel, const char* submission) {
    Rig rig(with_mutant(find_pipeline("chain"), kernel), {1024, 64});
    const auto variant = rig.variant(Structure::separate, submission);
    Stopwatch stopwatch;  // must end before the rig's stream
    std::vector<double> spans;
    for (int i = 0; i < 51; ++i) spans.push_back(measure_span(stopwatch, *variant).span_us);
    return median(spans);
  };
  const Implementation triggers = *find_pipeline("chain").find(Structure::separate);
  const double full = span_us(triggers, "graph");
  const double with = span_us(triggers, "graph_pdl");
  const double without = span_us(never_triggers(), "graph_pdl");
  CAPTURE(full, with, without);
  CHECK(with < 0.92 * full);
  // An edge gets cheaper without it as well, but a good part of the gain is the trigger's.
  CHECK(with < 0.9 * without);
}
