// Attribution of a pipeline's variants: measuring passes, each in a process of its own, and what they add up
// to.
#pragma once

#include <string>
#include <vector>

#include "profiling/attribution_json.hpp"
#include "study/commands/selection.hpp"
#include "study/measure/matrix.hpp"
#include "study/measure/pass_file.hpp"

namespace gvf::study {

// Measures one pass, "untraced" (no CUPTI), "api", "kernel", "graph" or "trace" (calls and kernels together:
// to look at, never for a figure), over `problems` of `pipeline` in this process. Throws MachineLacks where
// CUPTI refuses.
[[nodiscard]] PassFile measure_pass(const std::string& mode, const Pipeline& pipeline,
                                    const std::vector<Problem>& problems, const Selection& selection);

// From one round of passes to rows, pure. A row is explained with the constants of the references that its
// passes visited beside its problem.
[[nodiscard]] std::vector<profiling::AttributionRow> attribute(const Pipeline& pipeline,
                                                               const std::vector<Problem>& problems,
                                                               const Passes& passes, const Device& device);

// Several rounds of the same attribution as one: of each row the medians of walls, parts and splits over the
// rounds that have it, residual closing the sum again. A row that no round has keeps the first round's
// reason; a split stands when most rounds have it.
[[nodiscard]] std::vector<profiling::AttributionRow> merge_rounds(
    const std::vector<std::vector<profiling::AttributionRow>>& rounds);

}  // namespace gvf::study
