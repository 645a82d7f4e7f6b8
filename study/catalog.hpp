// The catalog: which pipelines there are, and in which ways they can be submitted. Everything iterates over
// it.
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/submission.hpp"
#include "pipelines/pipeline.hpp"

namespace gvf::study {

struct SubmissionKind {
  std::string_view name;
  std::string_view summary;
  std::uint32_t colour_argb = 0;  // of its NVTX ranges
  bool as_graph = false;          // the device gets a whole graph; else a launch call brings each kernel
  int default_repeats = 1;        // iterations a launch; above 1 their number is an axis (r)
  // Throws NotApplicable where this iteration or this chip cannot be submitted so, CudaError.
  std::function<std::unique_ptr<Submission>(const Enqueue&, cudaStream_t, int repeats)> make;
  // Why this chip or driver cannot; empty when it can. `driver`: as cuda_versions() tells it.
  std::function<std::string(const Device&, int driver)> not_applicable = [](const Device&, int) {
    return std::string();
  };

  // Graphs that the device launches. A dozen of them alive make every node of every graph in the process
  // dearer (docs/submissions.md), so they are timed in processes of their own.
  bool from_device = false;

  [[nodiscard]] bool has_repeats() const noexcept { return default_repeats > 1; }
  [[nodiscard]] int repeats(const Problem& problem) const noexcept {
    return has_repeats() && problem.repeats > 0 ? problem.repeats : default_repeats;
  }
};

[[nodiscard]] const std::vector<Pipeline>& catalog();
[[nodiscard]] const std::vector<SubmissionKind>& submissions();

// Throw BadInput that lists what there is.
[[nodiscard]] const Pipeline& find_pipeline(std::string_view name);
[[nodiscard]] const SubmissionKind& find_submission(std::string_view name);

// `problem` with the slices that `structure` uses filled in.
[[nodiscard]] Problem resolve(const Pipeline& pipeline, Structure structure, Problem problem,
                              const Device& device);

// "n:1024", "n:1024/k:16"; `/s:8` follows where slices were asked for, `/r:4` where repeats were.
[[nodiscard]] std::string problem_name(const Pipeline& pipeline, const Problem& problem);
// "sum_abs/fused/graph/n:1024", "chain/fused/graph/n:1024/k:16"
[[nodiscard]] std::string variant_name(const Pipeline& pipeline, Structure structure,
                                       std::string_view submission, const Problem& problem);
// "sum_abs/fused/graph/latency/n:1024", as Google Benchmark prints it.
[[nodiscard]] std::string row_name(const Pipeline& pipeline, Structure structure, std::string_view submission,
                                   std::string_view clock, const Problem& problem);
// "sum_abs.fused.graph": ncu and nsys read '/' as nesting.
[[nodiscard]] std::string range_name(const Pipeline& pipeline, Structure structure,
                                     std::string_view submission);

}  // namespace gvf::study
