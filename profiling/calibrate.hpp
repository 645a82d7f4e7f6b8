// Measures launch constants with empty kernels on a GPU. The two traced passes and the untraced one belong in
// processes of their own, as for any row. Figures of empty kernels: label them so wherever they are shown.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include "core/launcher.hpp"
#include "profiling/activity.hpp"
#include "profiling/calibration.hpp"

namespace gvf::profiling {

struct CalibrationOptions {
  LaunchConfig config{dim3(1), dim3(256)};  ///< shape of the empty kernel
  LaunchConfig edge_config{dim3(1056),
                           dim3(256)};  ///< shape of the kernels whose edge is the stream gap: a full chip
  std::chrono::milliseconds warm_up_time{50};  ///< a process that has just started is slow for tens of ms
  int warm_up = 50;  ///< iterations before the first that counts, wherever what is launched changes
  int singles = 500;
  int trains = 100;             ///< each of `train_kernels` behind the gate, and as many host-bound
  int train_kernels = 64;       ///< below the launch queue's depth (1024 on current drivers)
  int call_train_kernels = 16;  ///< of trains that time the calls: as many as a small pipeline has
  int graph_launches = 200;     ///< of each size
  std::chrono::milliseconds gate_time_out{500};
};

/// Needs a session in ActivityMode::kernel. Throws gvf::CudaError; a time-out or bad records are the reason.
Result<StreamConstants> measure_stream(ActivitySession& session, cudaStream_t stream,
                                       const CalibrationOptions& options = {});

/// Needs a session in ActivityMode::graph. Chains of 1, 33 and 129 empty nodes.
Result<GraphConstants> measure_graph(ActivitySession& session, cudaStream_t stream,
                                     const CalibrationOptions& options = {});

/// Needs a session in ActivityMode::api. Host time per launch of trains that the host launches as fast as it
/// can, µs.
Result<double> measure_calls(ActivitySession& session, cudaStream_t stream,
                             const CalibrationOptions& options = {});

/// Without any tracing, by host clock and events.
struct UntracedEmpty {
  UntracedWalls walls;          ///< launch and wait of one empty kernel, medians
  double stream_period_us = 0;  ///< device time per kernel behind a gate: gap + duration, a check on the two
  double graph_period_us = 0;   ///< device time per node of a chain
};
Result<UntracedEmpty> measure_untraced(cudaStream_t stream, const CalibrationOptions& options = {});

}  // namespace gvf::profiling
