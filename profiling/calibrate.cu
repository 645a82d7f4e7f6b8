// Runs the calibration: see calibrate.hpp.
#include <cuda_runtime.h>

#include <array>
#include <chrono>
#include <utility>

#include "core/handles.hpp"
#include "profiling/calibrate.hpp"
#include "profiling/gate.hpp"
#include "profiling/split.hpp"

namespace gvf::profiling {

namespace {

__global__ void empty_kernel() {}

// The edge between two kernels is measured at the shape that real kernels have: a grid that fills the chip,
// each thread's load dependent on the store of the kernel before. An empty kernel of one block has a shorter
// edge.
__global__ void touch_kernel(unsigned* words) {
  const unsigned i = blockIdx.x * blockDim.x + threadIdx.x;
  words[i] += 1;
}

// 1 gives the span of one node; 32 and 128 more give the slope, within and beyond one batch of the front end.
constexpr std::array<int, 3> chain_lengths = {1, 33, 129};

void launch_empty(StreamLauncher& launcher, const CalibrationOptions& options) {
  launcher.launch(empty_kernel, options.config);
}

void wait(cudaStream_t stream) {
  GVF_CUDA(cudaStreamSynchronize(stream), "waiting for empty kernels");
}

void warm_up(StreamLauncher& launcher, const CalibrationOptions& options) {
  Gate::preload();
  const auto enough = std::chrono::steady_clock::now() + options.warm_up_time;
  while (std::chrono::steady_clock::now() < enough) {
    launch_empty(launcher, options);
    wait(launcher.stream());
  }
}

GraphExec make_chain(StreamLauncher& launcher, int nodes, const CalibrationOptions& options) {
  GVF_CUDA(cudaStreamBeginCapture(launcher.stream(), cudaStreamCaptureModeThreadLocal),
           "capturing empty kernels");
  for (int i = 0; i < nodes; ++i) launch_empty(launcher, options);
  cudaGraph_t raw = nullptr;
  GVF_CUDA(cudaStreamEndCapture(launcher.stream(), &raw), "capturing empty kernels");
  const Graph graph(raw);
  cudaGraphExec_t exec = nullptr;
  GVF_CUDA(cudaGraphInstantiate(&exec, graph.get(), 0), "instantiating a chain of empty kernels");
  GraphExec owned(exec);
  GVF_CUDA(cudaGraphUpload(exec, launcher.stream()), "uploading a chain of empty kernels");
  wait(launcher.stream());
  return owned;
}

Result<std::vector<Timeline>> collected(ActivitySession& session) {
  auto activity = session.collect();
  if (!activity) return Reason{std::string("calibration: ") + activity.reason().text};
  return std::move(activity->iterations);
}

Reason gate_timed_out() {
  return Reason{"calibration: the gate timed out, launches are serialised: run without profiler or debugger"};
}

// Device time between two events around `body`, behind a gate: the host is out of it. Median of the trains,
// µs.
template <class Body>
Result<double> gated_us(cudaStream_t stream, const CalibrationOptions& options, Body&& body) {
  const Event first = make_event();
  const Event last = make_event();
  Gate gate;
  std::vector<double> samples;
  for (int t = 0; t < options.trains; ++t) {
    gate.close(stream, options.gate_time_out);
    GVF_CUDA(cudaEventRecord(first.get(), stream), "timing a train");
    body();
    GVF_CUDA(cudaEventRecord(last.get(), stream), "timing a train");
    gate.open();
    wait(stream);
    if (gate.timed_out()) return gate_timed_out();
    float ms = 0;
    GVF_CUDA(cudaEventElapsedTime(&ms, first.get(), last.get()), "timing a train");
    samples.push_back(1000.0 * static_cast<double>(ms));
  }
  return median(std::move(samples));
}

}  // namespace

Result<StreamConstants> measure_stream(ActivitySession& session, cudaStream_t stream,
                                       const CalibrationOptions& options) {
  StreamLauncher launcher(stream);
  warm_up(launcher, options);
  EmptyKernelPass pass;

  for (int i = 0; i < options.singles; ++i) {
    session.begin_iteration();
    launch_empty(launcher, options);
    wait(stream);
    session.end_iteration();
  }
  auto singles = collected(session);
  if (!singles) return singles.reason();
  pass.singles = std::move(*singles);

  const LaunchConfig& shape = options.edge_config;
  const DeviceBuffer<unsigned> words(std::size_t{shape.grid.x} * shape.block.x);
  const auto touch = [&] { launcher.launch(touch_kernel, shape, words.data()); };
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
    if (gate.timed_out()) return gate_timed_out();
  }
  auto trains = collected(session);
  if (!trains) return trains.reason();
  pass.trains = std::move(*trains);

  std::vector<std::vector<Nanoseconds>> starts(static_cast<std::size_t>(options.trains));
  for (auto& train : starts) {
    train.reserve(static_cast<std::size_t>(options.train_kernels));
    session.begin_iteration();
    for (int k = 0; k < options.train_kernels; ++k) {
      train.push_back(session.now());
      launch_empty(launcher, options);
    }
    wait(stream);
    session.end_iteration();
  }
  auto host_bound = collected(session);
  if (!host_bound) return host_bound.reason();
  pass.host_bound = std::move(*host_bound);
  for (std::size_t t = 0; t < pass.host_bound.size(); ++t)
    for (const Nanoseconds start : starts[t])
      pass.host_bound[t].calls.push_back({{start, start}, 0, "host mark"});
  return reduce_stream(pass);
}

Result<GraphConstants> measure_graph(ActivitySession& session, cudaStream_t stream,
                                     const CalibrationOptions& options) {
  StreamLauncher launcher(stream);
  warm_up(launcher, options);
  std::map<int, std::vector<Timeline>> passes;
  for (const int nodes : chain_lengths) {
    const GraphExec chain = make_chain(launcher, nodes, options);
    const auto replay = [&] {
      GVF_CUDA(cudaGraphLaunch(chain.get(), stream), "replaying a chain of empty kernels");
      wait(stream);
    };
    for (int i = 0; i < options.warm_up; ++i) replay();
    for (int i = 0; i < options.graph_launches; ++i) {
      session.begin_iteration();
      replay();
      session.end_iteration();
    }
    auto iterations = collected(session);
    if (!iterations) return iterations.reason();
    passes[nodes] = std::move(*iterations);
  }
  return reduce_graph(passes);
}

Result<double> measure_calls(ActivitySession& session, cudaStream_t stream,
                             const CalibrationOptions& options) {
  StreamLauncher launcher(stream);
  warm_up(launcher, options);
  for (int t = 0; t < options.trains; ++t) {
    session.begin_iteration();
    for (int k = 0; k < options.call_train_kernels; ++k) launch_empty(launcher, options);
    wait(stream);
    session.end_iteration();
  }
  auto trains = collected(session);
  if (!trains) return trains.reason();
  return reduce_calls(*trains);
}

Result<UntracedEmpty> measure_untraced(cudaStream_t stream, const CalibrationOptions& options) {
  using Clock = std::chrono::steady_clock;
  StreamLauncher launcher(stream);
  warm_up(launcher, options);
  UntracedEmpty out;

  const auto median_wall_us = [&](const auto& submit) {
    std::vector<double> walls;
    for (int i = 0; i < options.warm_up + options.singles; ++i) {
      const auto start = Clock::now();
      submit();
      wait(stream);
      const auto wall = Clock::now() - start;
      if (i >= options.warm_up) walls.push_back(std::chrono::duration<double, std::micro>(wall).count());
    }
    return median(std::move(walls));
  };
  out.walls.stream_us = median_wall_us([&] { launch_empty(launcher, options); });
  const GraphExec single = make_chain(launcher, 1, options);
  out.walls.graph_us = median_wall_us(
      [&] { GVF_CUDA(cudaGraphLaunch(single.get(), stream), "replaying a graph of one empty kernel"); });

  std::vector<double> call_us;
  for (int t = 0; t < options.trains; ++t) {
    const auto start = Clock::now();
    for (int k = 0; k < options.call_train_kernels; ++k) launch_empty(launcher, options);
    const auto submitted = Clock::now() - start;
    wait(stream);
    call_us.push_back(std::chrono::duration<double, std::micro>(submitted).count() /
                      options.call_train_kernels);
  }
  out.walls.call_us = median(std::move(call_us));

  // Slopes, so that what the events themselves cost drops out.
  std::vector<double> counts, stream_us, graph_us;
  for (const int kernels : chain_lengths) {
    const auto train = gated_us(stream, options, [&] {
      for (int k = 0; k < kernels; ++k) launch_empty(launcher, options);
    });
    if (!train) return train.reason();
    const GraphExec chain = make_chain(launcher, kernels, options);
    const auto graph = gated_us(stream, options, [&] {
      GVF_CUDA(cudaGraphLaunch(chain.get(), stream), "replaying a chain of empty kernels");
    });
    if (!graph) return graph.reason();
    counts.push_back(kernels);
    stream_us.push_back(*train);
    graph_us.push_back(*graph);
  }
  const auto stream_fit = fit_line(counts, stream_us);
  const auto graph_fit = fit_line(counts, graph_us);
  if (!stream_fit) return stream_fit.reason();
  if (!graph_fit) return graph_fit.reason();
  out.stream_period_us = stream_fit->slope;
  out.graph_period_us = graph_fit->slope;
  return out;
}

}  // namespace gvf::profiling
