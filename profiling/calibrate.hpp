// Launch constants that need many kernels at once, measured on a GPU. Those of one kernel at a time come from
// rows of empty kernels, measured like any other row.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include "core/launcher.hpp"
#include "profiling/activity.hpp"
#include "profiling/calibration.hpp"

namespace gvf::profiling {

/// Enqueues `kernels` empty kernels of one block: what every launch cost is measured on. Figures of empty
/// kernels: label them so wherever they are shown.
void enqueue_empty(Launcher& launcher, int kernels);

/// The same of one warp, and without the wait that every kernel of a pipeline begins with: the least that a
/// launch can cost. What follows on a programmatic edge does not wait for them.
void enqueue_bare(Launcher& launcher, int kernels);

/// Enqueues kernels of one block that spin for `duration`: launches whose cost hides behind the device.
void enqueue_spinning(Launcher& launcher, int kernels, std::chrono::nanoseconds duration);

struct CalibrationOptions {
  LaunchConfig edge_config{dim3(1056),
                           dim3(256)};  ///< shape of the kernels whose edge is the stream gap: a full chip
  int warm_up = 50;        ///< kernels before the first that counts, wherever what is launched changes
  int trains = 100;        ///< each of `train_kernels` behind the gate, and as many host-bound
  int train_kernels = 64;  ///< below the launch queue's depth (1024 on current drivers)
  std::chrono::milliseconds gate_time_out{500};
};

/// Needs a session in ActivityMode::kernel. Throws gvf::CudaError; a time-out or bad records are the reason.
Result<StreamEdges> measure_stream_edges(ActivitySession& session, cudaStream_t stream,
                                         const CalibrationOptions& options = {});

}  // namespace gvf::profiling
