// The catalog itself. A new pipeline is one line here and its files in pipelines/, baseline/ and fused/.
#include "study/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graphs/branches.hpp"
#include "graphs/explicit_graph.hpp"
#include "graphs/fan_out.hpp"
#include "graphs/graph_submission.hpp"
#include "graphs/loops.hpp"
#include "graphs/memory_graph.hpp"
#include "pipelines/chain.hpp"
#include "pipelines/sum_abs.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {

const std::vector<Pipeline>& catalog() {
  static const std::vector<Pipeline> entries{
      catalog_entry<SumAbs>(),
      catalog_entry<Chain>(),
  };
  return entries;
}

namespace {

using graphs::BuiltGraph;

// A submission by a graph that is built once: without, and with, a number of iterations a launch.
auto replaying(BuiltGraph (*build)(const Enqueue&)) {
  return [build](const Enqueue& enqueue, cudaStream_t stream, int) -> std::unique_ptr<Submission> {
    return std::make_unique<graphs::GraphSubmission>(build(enqueue), stream);
  };
}
auto replaying(BuiltGraph (*build)(const Enqueue&, int)) {
  return [build](const Enqueue& enqueue, cudaStream_t stream, int repeats) -> std::unique_ptr<Submission> {
    return std::make_unique<graphs::GraphSubmission>(build(enqueue, repeats), stream);
  };
}

auto looping(BuiltGraph (*build)(const Enqueue&, int, graphs::LoopOptions)) {
  return [build](const Enqueue& enqueue, cudaStream_t stream, int repeats) -> std::unique_ptr<Submission> {
    return std::make_unique<graphs::GraphSubmission>(build(enqueue, repeats, {}), stream);
  };
}

auto launching(Edge edge) {
  return [edge](const Enqueue& enqueue, cudaStream_t stream, int) -> std::unique_ptr<Submission> {
    return std::make_unique<StreamSubmission>(enqueue, stream, edge);
  };
}

SubmissionKind launched_from_device(SubmissionKind kind) {
  kind.from_device = true;
  return kind;
}

std::string needs_programmatic_launch(const Device& device, int /*driver*/) {
  constexpr int hopper = 9;
  return device.compute_major >= hopper ? std::string()
                                        : device.name + " has no programmatic dependent launch";
}

std::string needs_conditional_nodes(const Device& /*device*/, int driver) {
  constexpr int first = 12040;
  return driver >= first ? std::string() : "this driver has no conditional nodes (CUDA 12.4 has)";
}

// Enough that what a launch costs is divided among many iterations, few enough for a launch to end soon.
constexpr int several = 16;

}  // namespace

const std::vector<SubmissionKind>& submissions() {
  static const std::vector<SubmissionKind> kinds{
      {"stream", "a launch call for every kernel", 0xff0072b2, false, 1, launching(Edge::full)},
      {"stream_pdl", "the same, each kernel coming up while the one before it still runs", 0xff56b4e9, false,
       1, launching(Edge::programmatic), needs_programmatic_launch},
      {"graph", "captured from a stream once, replayed by one call", 0xffe69f00, true, 1,
       replaying(graphs::build_captured)},
      {"graph_pdl", "the same with programmatic edges", 0xfff0e442, true, 1,
       replaying(graphs::build_programmatic), needs_programmatic_launch},
      {"graph_explicit", "nodes made one by one, replayed by one call", 0xffd55e00, true, 1,
       replaying(graphs::build_explicit)},
      {"graph_unrolled", "several iterations in one graph", 0xffcc79a7, true, several,
       replaying(graphs::build_unrolled)},
      {"graph_while", "the iteration in a WHILE node, counted on the device", 0xff009e73, true, several,
       looping(graphs::build_while), needs_conditional_nodes},
      launched_from_device({"graph_device", "a graph that launches itself again from the device", 0xff117733,
                            true, several, looping(graphs::build_relaunching)}),
      {"graph_memory", "intermediates in memory that the graph allocates and frees", 0xff882255, true, 1,
       replaying(graphs::build_with_memory)},
      {"graph_branches", "independent launches as branches of a graph", 0xff332288, true, 1,
       replaying(graphs::build_branches)},
      launched_from_device({"graph_fan_out", "independent launches as graphs that a kernel launches",
                            0xffaa4499, true, 1, replaying(graphs::build_fan_out)}),
  };
  return kinds;
}

namespace {

template <class Entries>
const auto& find_named(const Entries& entries, std::string_view what, std::string_view name) {
  std::vector<std::string_view> names;
  for (const auto& entry : entries) {
    if (entry.name == name) return entry;
    names.push_back(entry.name);
  }
  throw BadInput(fmt::format("unknown {} '{}'; there are: {}", what, name, fmt::join(names, ", ")));
}

}  // namespace

const Pipeline& find_pipeline(std::string_view name) {
  return find_named(catalog(), "pipeline", name);
}

const SubmissionKind& find_submission(std::string_view name) {
  return find_named(submissions(), "submission", name);
}

Problem resolve(const Pipeline& pipeline, Structure structure, Problem problem, const Device& device) {
  problem.slices = pipeline.slices(structure, problem, device);
  return problem;
}

std::string problem_name(const Pipeline& pipeline, const Problem& problem) {
  std::string name = fmt::format("n:{}", problem.n);
  if (pipeline.has_k) name += fmt::format("/k:{}", problem.k);
  if (problem.slices > 0) name += fmt::format("/s:{}", problem.slices);
  if (problem.repeats > 0) name += fmt::format("/r:{}", problem.repeats);
  return name;
}

std::string variant_name(const Pipeline& pipeline, Structure structure, std::string_view submission,
                         const Problem& problem) {
  return fmt::format("{}/{}/{}/{}", pipeline.name, to_string(structure), submission,
                     problem_name(pipeline, problem));
}

std::string row_name(const Pipeline& pipeline, Structure structure, std::string_view submission,
                     std::string_view clock, const Problem& problem) {
  return fmt::format("{}/{}/{}/{}/{}", pipeline.name, to_string(structure), submission, clock,
                     problem_name(pipeline, problem));
}

std::string range_name(const Pipeline& pipeline, Structure structure, std::string_view submission) {
  return fmt::format("{}.{}.{}", pipeline.name, to_string(structure), submission);
}

}  // namespace gvf::study
