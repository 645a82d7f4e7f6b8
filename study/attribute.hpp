// Attribution of a pipeline's variants: measuring passes, each in a process of its own, and what they add up
// to.
#pragma once

#include <string>
#include <vector>

#include "profiling/attribution_json.hpp"
#include "study/matrix.hpp"
#include "study/pass_file.hpp"
#include "study/selection.hpp"

namespace gvf::study {

// The passes of one attribution. "untraced" has no CUPTI; the others are the activity modes; "trace" records
// calls and kernels together, for looking at and never for a figure.
inline const std::vector<std::string> attribution_passes{"untraced", "api", "kernel", "graph"};

// Measures one pass over `problems` of `pipeline` in this process. Throws MachineLacks where CUPTI refuses.
[[nodiscard]] PassFile measure_pass(const std::string& mode, const Pipeline& pipeline,
                                    const std::vector<Problem>& problems, const Selection& selection);

// The passes over one pipeline, by mode. Pure: from files to rows.
struct Passes {
  PassFile untraced;
  PassFile api;
  PassFile kernel;
  PassFile graph;
};
[[nodiscard]] std::vector<profiling::AttributionRow> attribute(const Pipeline& pipeline,
                                                               const std::vector<Problem>& problems,
                                                               const Passes& passes,
                                                               const profiling::EdgeConstants& constants,
                                                               const Device& device);

}  // namespace gvf::study
