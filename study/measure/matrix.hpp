// The declared matrix: which sizes, stages and repetitions a study runs, in full and quick.
#pragma once

#include <cstdint>
#include <vector>

#include "pipelines/pipeline.hpp"
#include "study/catalog.hpp"

namespace gvf::study {

enum class Depth { quick, full };

// Rows of gvf-bench: launch-bound sizes, the L2 knee, DRAM. Axes of k for pipelines that have one, and
// of repeats for submissions that have them.
[[nodiscard]] std::vector<Problem> bench_problems(const Pipeline& pipeline, Depth depth);

// Rows of gvf attribute: fewer, since each is measured in four passes.
[[nodiscard]] std::vector<Problem> attribution_problems(const Pipeline& pipeline, Depth depth);

// Submissions that are measured at every size: a stream and its graph.
[[nodiscard]] bool is_basic(const SubmissionKind& submission);

// Whether this submission is worth measuring at this size, where nothing else was asked for. How work is
// submitted matters where launches do; where kernels take longer, only the basic submissions are.
[[nodiscard]] bool is_measured(const SubmissionKind& submission, const Problem& problem);

// The part of that which there is time for. A study benches all submissions side by side at a few sizes; an
// attribution, which takes five passes, has them where launches matter most.
[[nodiscard]] bool is_benched(const Pipeline& pipeline, const SubmissionKind& submission,
                              const Problem& problem);
[[nodiscard]] bool is_attributed(const SubmissionKind& submission, const Problem& problem);

// Slice counts of the sweep that separates a kernel's ramp from its bytes.
[[nodiscard]] std::vector<int> slice_sweep(const Pipeline& pipeline, const Problem& problem,
                                           const Device& device);

}  // namespace gvf::study
