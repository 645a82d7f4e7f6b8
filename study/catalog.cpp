// The catalog itself. A new pipeline is one line here and its files in pipelines/, baseline/ and fused/.
#include "study/catalog.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "graphs/graph_submission.hpp"
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

const std::vector<SubmissionKind>& submissions() {
  static const std::vector<SubmissionKind> kinds{
      {"stream", "a launch call for every kernel", 0xff0072b2, false,
       [](const Enqueue& enqueue, cudaStream_t stream) -> std::unique_ptr<Submission> {
         return std::make_unique<StreamSubmission>(enqueue, stream);
       }},
      {"graph", "captured from a stream once, replayed by one call", 0xffe69f00, true,
       [](const Enqueue& enqueue, cudaStream_t stream) -> std::unique_ptr<Submission> {
         return std::make_unique<graphs::GraphSubmission>(enqueue, stream);
       }},
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
