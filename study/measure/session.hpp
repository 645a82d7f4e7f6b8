// Starts the instrument that a pass is named after.
#pragma once

#include <optional>
#include <string>

#include "profiling/activity.hpp"

namespace gvf::study {

// A CUPTI session for "api", "kernel", "graph" or "trace" (calls and kernels together); none for "untraced".
// To be started before CUDA. Throws BadInput for another name, MachineLacks with CUPTI's reason where it
// refuses.
[[nodiscard]] std::optional<profiling::ActivitySession> start_session(const std::string& pass);

}  // namespace gvf::study
