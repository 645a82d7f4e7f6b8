// The CUPTI session of a pass.
#pragma once

#include <optional>
#include <string>

#include "profiling/activity.hpp"

namespace gvf::study {

// A session of the instrument of this name (instruments.hpp); none where it records no
// activity ("untraced", "counters"). To be started before CUDA.
// Throws BadInput for another name, MachineLacks with CUPTI's reason where it refuses.
[[nodiscard]] std::optional<profiling::ActivitySession> start_session(const std::string& instrument);

}  // namespace gvf::study
