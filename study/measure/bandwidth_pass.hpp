// DRAM bandwidth over time, for rows long enough to have one.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/counters/pm_sampling.hpp"
#include "profiling/timeline.hpp"
#include "study/commands/selection.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {

// A Chrome trace: iterations by their stamps on the GPU's clock, and the samples as counters "DRAM read" and
// "DRAM write", moved by what the two clocks are apart. The reason where stamps and samples do not fit each
// other, or a rate was not counted.
[[nodiscard]] profiling::Result<nlohmann::json> bandwidth_trace(
    const std::string& name, const std::vector<profiling::Nanoseconds>& stamps,
    const std::vector<profiling::PmSample>& samples);

// In this process, which must be its own: {variant name: trace, or {"reason": text}} for the variants of
// `problem` that last at least twenty sampling intervals. Throws MachineLacks where PM sampling does not work
// here.
[[nodiscard]] nlohmann::json bandwidth_pass(const Pipeline& pipeline, const Problem& problem,
                                            const Selection& selection);

}  // namespace gvf::study
