// Implements study/measure/step_ways.hpp.
#include "study/measure/step_ways.hpp"

#include <fmt/format.h>

#include <utility>

#include "core/error.hpp"
#include "graphs/capture.hpp"
#include "graphs/graph_submission.hpp"
#include "graphs/inspect.hpp"
#include "graphs/loops.hpp"
#include "profiling/calibrate.hpp"
#include "study/catalog.hpp"

namespace gvf::study {
namespace {

using graphs::BuiltGraph;
using graphs::Counting;
using graphs::LoopOptions;

void enqueue_steps(Launcher& launcher, const StepPlan& plan, int steps, unsigned* words) {
  if (plan.bare) return profiling::enqueue_bare(launcher, steps);
  enqueue_relay(launcher, steps, plan.grid, plan.work, words);
}

Enqueue relay_of(const StepPlan& plan, int steps) {
  return [plan, steps](Launcher& launcher) {
    static_cast<void>(launcher.intermediate<unsigned>(nullptr, plan.grid.words()));  // for memory nodes
    enqueue_steps(launcher, plan, steps, plan.words);
  };
}

// Steps in turn from each lane.
Enqueue relay_in_lanes(const StepPlan& plan, int lanes) {
  return [plan, lanes](Launcher& launcher) {
    for (int step = 0; step < plan.steps; ++step) {
      const int lane = step % lanes;
      launcher.begin_lane(lane);
      enqueue_steps(launcher, plan, 1, plan.words + static_cast<std::size_t>(lane) * plan.grid.words());
    }
  };
}

std::unique_ptr<Submission> replaying(BuiltGraph graph, cudaStream_t stream) {
  return std::make_unique<graphs::GraphSubmission>(std::move(graph), stream);
}

constexpr int fewest_lanes = 2;

Stage stage_of(const SubmissionKind& kind) {
  return kind.from_device ? Stage::device : Stage::host;
}

// Those that carry several iterations get one step in each.
StepWay submission_way(const SubmissionKind& kind) {
  StepWay way{std::string(kind.name), "submission", 1, false, kind.as_graph, nullptr, stage_of(kind)};
  if (kind.name == "graph_branches" || kind.name == "graph_fan_out") {
    way.lanes = fewest_lanes;
    way.name += fmt::format(", {} lanes", fewest_lanes);
  }
  way.make = [&kind, lanes = way.lanes](const StepPlan& plan, cudaStream_t stream) {
    if (lanes > 1) return kind.make(relay_in_lanes(plan, lanes), stream, 1);
    if (!kind.has_repeats()) return kind.make(relay_of(plan, plan.steps), stream, 1);
    return kind.make(relay_of(plan, 1), stream, plan.steps);
  };
  return way;
}

using BuildLoop = BuiltGraph (*)(const Enqueue&, int, LoopOptions);

StepWay round_way(const char* submission, BuildLoop build, int round, LoopOptions options) {
  std::string name = fmt::format("{}, {} step{} a round", submission, round, round > 1 ? "s" : "");
  if (options.counting == Counting::beside) name += ", counted beside";
  if (options.edge == Edge::programmatic) name += ", programmatic edges";
  return {std::move(name),
          "rounds",
          1,
          false,
          true,
          [build, round, options](const StepPlan& plan, cudaStream_t stream) {
            return replaying(build(relay_of(plan, round), plan.steps / round, options), stream);
          },
          stage_of(find_submission(submission))};
}

void add_rounds(std::vector<StepWay>& ways) {
  const std::pair<const char*, BuildLoop> loops[] = {{"graph_while", &graphs::build_while},
                                                     {"graph_device", &graphs::build_relaunching}};
  for (const auto& [name, build] : loops) {
    for (const int round : {2, 4, 8, 16})
      ways.push_back(round_way(name, build, round, {Counting::behind, Edge::full}));
    for (const int round : {1, 4, 16})
      ways.push_back(round_way(name, build, round, {Counting::beside, Edge::full}));
    for (const Counting counting : {Counting::behind, Counting::beside})
      ways.push_back(round_way(name, build, largest_round, {counting, Edge::programmatic}));
  }
}

// Every step waits for the two before it, of which the nearer one would do.
StepWay redundant_edges() {
  return {"graph, each step waits for the two before",
          "dependencies",
          1,
          false,
          true,
          [](const StepPlan& plan, cudaStream_t stream) {
            BuiltGraph built = graphs::build_captured(relay_of(plan, plan.steps));
            const std::vector<cudaGraphNode_t> nodes = graphs::inspect(built.graph.get()).nodes;
            for (std::size_t i = 2; i < nodes.size(); ++i) {
              GVF_CUDA(cudaGraphAddDependencies(built.graph.get(), &nodes[i - 2], &nodes[i], nullptr, 1),
                       "adding an edge that changes nothing");
            }
            return replaying(std::move(built), stream);
          }};
}

StepWay in_lanes(const char* submission, int lanes) {
  return {fmt::format("{}, {} lanes", submission, lanes),
          "dependencies",
          lanes,
          false,
          true,
          [submission, lanes](const StepPlan& plan, cudaStream_t stream) {
            return find_submission(submission).make(relay_in_lanes(plan, lanes), stream, 1);
          },
          stage_of(find_submission(submission))};
}

void add_priorities(std::vector<StepWay>& ways) {
  ways.push_back(
      {"stream, highest priority", "priority", 1, true, false, [](const StepPlan& plan, cudaStream_t stream) {
         return find_submission("stream").make(relay_of(plan, plan.steps), stream, 1);
       }});
  // A node has the priority of the stream that it was captured from.
  ways.push_back(
      {"graph, highest priority", "priority", 1, true, true, [](const StepPlan& plan, cudaStream_t stream) {
         const Enqueue enqueue = relay_of(plan, plan.steps);
         Graph graph = graphs::capture_stream(stream, [&](cudaStream_t captured) {
           StreamLauncher launcher(captured);
           enqueue(launcher);
         });
         return replaying({std::move(graph), 1, cudaGraphInstantiateFlagUseNodePriority}, stream);
       }});
}

StepWay barrier_way(Barrier barrier) {
  return {fmt::format("one kernel, barrier: {}", to_string(barrier)),
          "barrier",
          1,
          false,
          true,
          [barrier](const StepPlan& plan, cudaStream_t stream) -> std::unique_ptr<Submission> {
            if (plan.bare) throw NotApplicable("a bare kernel has no barrier");
            if (plan.grid.blocks % cluster_size(barrier) != 0) {
              throw NotApplicable(fmt::format("{} blocks do not make clusters of {}", plan.grid.blocks,
                                              cluster_size(barrier)));
            }
            return std::make_unique<StreamSubmission>(
                [plan, barrier](Launcher& launcher) {
                  enqueue_relay_in_one_kernel(launcher, plan.steps, plan.grid, plan.work, plan.words,
                                              plan.arrivals, barrier);
                },
                stream);
          }};
}

StepWay control_way(const SubmissionKind& kind, const char* when, Stage stage) {
  StepWay way = submission_way(kind);
  way.name += fmt::format(", {}", when);
  way.group = "control";
  way.stage = stage;
  return way;
}

}  // namespace

std::vector<StepWay> step_ways(const Device& device) {
  std::vector<StepWay> ways;
  for (const SubmissionKind& kind : submissions()) {
    if (kind.not_applicable(device, cuda_versions().driver).empty()) ways.push_back(submission_way(kind));
  }
  add_rounds(ways);
  ways.push_back(redundant_edges());
  for (const char* submission : {"graph_branches", "graph_fan_out"}) {
    for (const int lanes : {4, 16}) ways.push_back(in_lanes(submission, lanes));
  }
  add_priorities(ways);
  constexpr int hopper = 9;
  if (device.cooperative_launch) {
    for (const Barrier barrier : all_barriers) {
      if (cluster_size(barrier) == 1 || device.compute_major >= hopper) ways.push_back(barrier_way(barrier));
    }
  }
  for (const auto& [name, stage] : {std::pair{"in a fresh process", Stage::fresh},
                                    {"beside many graphs that the device launches", Stage::device}}) {
    for (const char* submission : {"graph", "graph_pdl"}) {
      const SubmissionKind& kind = find_submission(submission);
      if (kind.not_applicable(device, cuda_versions().driver).empty())
        ways.push_back(control_way(kind, name, stage));
    }
  }
  return ways;
}

}  // namespace gvf::study
