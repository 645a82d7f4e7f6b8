// Runs the calibration: see calibrate.hpp.
#include <cuda_runtime.h>

#include <utility>

#include "core/handles.hpp"
#include "core/programmatic.cuh"
#include "profiling/calibrate.hpp"
#include "profiling/gate.hpp"

namespace gvf::profiling {

namespace {

__global__ void empty_kernel() {
  begin_dependent_kernel();
}

// For the cost of the wait itself: this one is no kernel for programmatic edges.
__global__ void bare_kernel() {}

// The edge between two kernels is measured at the shape that real kernels have: a grid that fills the chip,
// each thread's load dependent on the store of the kernel before. An empty kernel of one block has a shorter
// edge.
__global__ void touch_kernel(unsigned* words) {
  begin_dependent_kernel();
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  words[i] += 1;
}

__global__ void spin_kernel(unsigned long long duration_ns) {
  begin_dependent_kernel();
  const auto now = [] {
    unsigned long long ns;
    asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
    return ns;
  };
  const unsigned long long start = now();
  while (now() - start < duration_ns) {
  }
}

void wait(cudaStream_t stream) {
  GVF_CUDA(cudaStreamSynchronize(stream), "waiting for empty kernels");
}

Result<std::vector<Timeline>> collected(ActivitySession& session) {
  auto activity = session.collect();
  if (!activity) return Reason{std::string("calibration: ") + activity.reason().text};
  return std::move(activity->iterations);
}

Result<std::vector<Timeline>> gated_trains(ActivitySession& session, cudaStream_t stream,
                                           const CalibrationOptions& options) {
  StreamLauncher launcher(stream);
  const LaunchConfig& shape = options.edge_config;
  const DeviceBuffer<unsigned> words(std::size_t{shape.grid.x} * shape.block.x);
  const auto touch = [&] { launcher.launch(touch_kernel, shape, words.data()); };
  Gate::preload();
  for (int i = 0; i < options.warm_up; ++i) touch();
  wait(stream);
  Gate gate;
  for (int t = 0; t < options.trains; ++t) {
    session.begin_iteration();
    gate.close(stream, options.gate_time_out);
    for (int k = 0; k < options.train_kernels; ++k) touch();
    gate.open();
    wait(stream);
    session.end_iteration();
    if (gate.timed_out())
      return Reason{
          "calibration: the gate timed out, launches are serialised: run without profiler or debugger"};
  }
  return collected(session);
}

Result<std::vector<Timeline>> host_bound_trains(ActivitySession& session, cudaStream_t stream,
                                                const CalibrationOptions& options) {
  StreamLauncher launcher(stream);
  enqueue_empty(launcher, options.warm_up);
  wait(stream);
  std::vector<std::vector<Nanoseconds>> starts(static_cast<std::size_t>(options.trains));
  for (auto& train : starts) {
    train.reserve(static_cast<std::size_t>(options.train_kernels));
    session.begin_iteration();
    for (int k = 0; k < options.train_kernels; ++k) {
      train.push_back(session.now());
      enqueue_empty(launcher, 1);
    }
    wait(stream);
    session.end_iteration();
  }
  auto trains = collected(session);
  if (!trains) return trains.reason();
  for (std::size_t t = 0; t < trains->size(); ++t)
    for (const Nanoseconds start : starts[t])
      trains.value()[t].calls.push_back({{start, start}, 0, "host mark"});
  return trains;
}

}  // namespace

void enqueue_empty(Launcher& launcher, int kernels) {
  static const LaunchConfig one_block{dim3(1), dim3(256)};
  for (int k = 0; k < kernels; ++k) launcher.launch(empty_kernel, one_block);
}

void enqueue_bare(Launcher& launcher, int kernels) {
  static const LaunchConfig one_warp{dim3(1), dim3(32)};
  for (int k = 0; k < kernels; ++k) launcher.launch(bare_kernel, one_warp);
}

void enqueue_spinning(Launcher& launcher, int kernels, std::chrono::nanoseconds duration) {
  static const LaunchConfig one_warp{dim3(1), dim3(32)};
  const auto ns = static_cast<unsigned long long>(duration.count());
  for (int k = 0; k < kernels; ++k) launcher.launch(spin_kernel, one_warp, ns);
}

Result<StreamEdges> measure_stream_edges(ActivitySession& session, cudaStream_t stream,
                                         const CalibrationOptions& options) {
  const auto trains = gated_trains(session, stream, options);
  if (!trains) return trains.reason();
  const auto host_bound = host_bound_trains(session, stream, options);
  if (!host_bound) return host_bound.reason();
  return reduce_stream_edges(*trains, *host_bound);
}

}  // namespace gvf::profiling
