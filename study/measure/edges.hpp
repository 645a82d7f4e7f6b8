// The device's own constants: what lies between two kernels of a stream.
#pragma once

#include <cuda_runtime_api.h>

#include "core/device.hpp"
#include "profiling/activity.hpp"
#include "profiling/calibration.hpp"

namespace gvf::study {

// Needs a session that records kernels. Throws MachineLacks with the reason where the records cannot be
// trusted.
[[nodiscard]] profiling::StreamEdges measure_edges(profiling::ActivitySession& session, const Device& device,
                                                   cudaStream_t stream);

}  // namespace gvf::study
