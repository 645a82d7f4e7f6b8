// Implements graphs/lifecycle.hpp: what a repetition does, in order, and where the clocks are read.
#include "graphs/lifecycle.hpp"

#include <algorithm>
#include <chrono>
#include <functional>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "graphs/capture.hpp"
#include "graphs/device_update.hpp"
#include "graphs/executable_update.hpp"

namespace gvf::graphs {
namespace {

class Timer {
 public:
  [[nodiscard]] double us() const {
    return std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - begin_).count();
  }

 private:
  std::chrono::steady_clock::time_point begin_ = std::chrono::steady_clock::now();
};

void wait(const Stream& stream) {
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
}

void launch(const GraphExec& executable, const Stream& stream) {
  GVF_CUDA(cudaGraphLaunch(executable.get(), stream.get()), "launching a graph");
}

// What both kinds of graph have in common: the stream, the events, and where samples go.
class Bench {
 public:
  [[nodiscard]] const Stream& stream() const noexcept { return stream_; }
  [[nodiscard]] Costs take() noexcept { return std::move(costs_); }
  void forget() noexcept { costs_.clear(); }

  // A time taken inside another one is added once that is over: keeping it takes time too.
  void add_host(const char* what, double us) { costs_[what].host_us.push_back(us); }

  void host(const char* what, const std::function<void()>& call) {
    const Timer timer;
    call();
    add_host(what, timer.us());
  }

  // `submit` from an idle GPU.
  void host_and_wall(const char* what, const std::function<void()>& submit) {
    const Timer timer;
    submit();
    const double host_us = timer.us();
    wait(stream_);
    const double wall_us = timer.us();
    costs_[what].host_us.push_back(host_us);
    costs_[what].wall_us.push_back(wall_us);
  }

  void device(const char* what, int replays, const std::function<void()>& submit) {
    GVF_CUDA(cudaEventRecord(begin_.get(), stream_.get()), "timing replays");
    for (int i = 0; i < replays; ++i) submit();
    GVF_CUDA(cudaEventRecord(end_.get(), stream_.get()), "timing replays");
    wait(stream_);
    float ms = 0;
    GVF_CUDA(cudaEventElapsedTime(&ms, begin_.get(), end_.get()), "timing replays");
    costs_[what].device_us.push_back(1e3 * ms / replays);
  }

 private:
  Stream stream_ = make_stream();
  Event begin_ = make_event();
  Event end_ = make_event();
  Costs costs_;
};

// Check, then time: an update that did not arrive has no cost.
void require_value(int nodes, unsigned value, const char* update) {
  for (const unsigned word : written_words(nodes)) {
    if (word != value) throw std::runtime_error(std::string(update) + ": a node ran with old parameters");
  }
}

// Enough replays in flight to hide the first one's latency, few enough to end soon.
int replays_in_flight(int nodes) {
  return std::clamp(4096 / nodes, 4, 64);
}

class LifeCycle {
 public:
  explicit LifeCycle(const LifeCyclePlan& plan) : plan_(plan), kernel_(plan.parameter_bytes) {}

  Costs measure() {
    clear_written_words();
    for (int repetition = -1; repetition < plan_.repetitions; ++repetition) {
      if (repetition == 0) bench_.forget();
      captured_life();
      built_life();
      launches();
    }
    return bench_.take();
  }

 private:
  void next_value() { kernel_.set_value(++value_); }
  Graph capture() { return capture_.capture(plan_.shape, plan_.nodes, kernel_); }

  // A graph as most programs have it: captured, and updated as a whole.
  void captured_life() {
    const Stream& stream = bench_.stream();
    Graph graph;
    GraphExec executable;
    bench_.host(cost::capture, [&] { graph = capture(); });
    bench_.host(cost::instantiate, [&] { executable = instantiate(graph.get()); });
    bench_.host_and_wall(cost::upload, [&] {
      GVF_CUDA(cudaGraphUpload(executable.get(), stream.get()), "uploading a graph");
    });
    bench_.host_and_wall(cost::first_launch, [&] { launch(executable, stream); });
    for (int i = 0; i < 2; ++i) {
      launch(executable, stream);
      wait(stream);
    }
    bench_.host_and_wall(cost::replay, [&] { launch(executable, stream); });
    bench_.device(cost::replay, replays_in_flight(plan_.nodes), [&] { launch(executable, stream); });

    next_value();
    double update_us = 0;
    bench_.host_and_wall(cost::replay_update_graph, [&] {
      Graph changed = capture();
      const Timer update;
      update_executable(executable.get(), graph.get(), changed.get());
      update_us = update.us();
      launch(executable, stream);
      changed.reset();
    });
    bench_.add_host(cost::update_graph, update_us);
    require_value(plan_.nodes, value_, cost::update_graph);
    bench_.host(cost::reinstantiate, [&] {
      executable.reset();
      executable = instantiate(graph.get());
    });
    bench_.host(cost::destroy, [&] {
      executable.reset();
      graph.reset();
    });
  }

  // A graph whose nodes are known one by one, so that each can be updated.
  void built_life() {
    const Stream& stream = bench_.stream();
    NumberedGraph built;
    bench_.host(cost::build, [&] { built = build(plan_.shape, plan_.nodes, kernel_); });
    const GraphExec executable = instantiate(built.graph.get());
    GVF_CUDA(cudaGraphUpload(executable.get(), stream.get()), "uploading a graph");
    for (int i = 0; i < 2; ++i) {
      launch(executable, stream);
      wait(stream);
    }
    next_value();
    double update_us = 0;
    bench_.host_and_wall(cost::replay_update_nodes, [&] {
      const Timer update;
      for (int node = 0; node < plan_.nodes; ++node)
        update_node(executable.get(), built.nodes[static_cast<std::size_t>(node)], kernel_.for_node(node));
      update_us = update.us();
      launch(executable, stream);
    });
    bench_.add_host(cost::update_nodes, update_us);
    require_value(plan_.nodes, value_, cost::update_nodes);
  }

  // No graph, as warm as the replays are.
  void launches() {
    const auto submit = [this] { enqueue(plan_.nodes, kernel_, bench_.stream().get()); };
    for (int i = 0; i < 2; ++i) {
      submit();
      wait(bench_.stream());
    }
    bench_.host_and_wall(cost::stream, submit);
  }

  LifeCyclePlan plan_;
  ParameterKernel kernel_;
  TopologyCapture capture_;
  unsigned value_ = 0;
  Bench bench_;
};

class DeviceUpdates {
 public:
  explicit DeviceUpdates(const LifeCyclePlan& plan)
      : plan_(plan),
        kernel_(plan.parameter_bytes),
        updatable_(plan.shape, plan.nodes, kernel_, Updatable::yes),
        twin_(plan.shape, plan.nodes, kernel_, Updatable::twin) {}

  Costs measure() {
    clear_written_words();
    prepare_twin();
    for (int repetition = -1; repetition < plan_.repetitions; ++repetition) {
      if (repetition == 0) bench_.forget();
      life(static_cast<unsigned>(repetition + 2));
      replay(cost::replay_twin, twin_);
    }
    if (const unsigned failures = updatable_.failures(bench_.stream().get()); failures > 0) {
      throw std::runtime_error("the device refused " + std::to_string(failures) + " updates of nodes");
    }
    return bench_.take();
  }

 private:
  void prepare_twin() {
    twin_.build();
    twin_.instantiate();
    twin_.upload(bench_.stream().get());
    twin_.launch(bench_.stream().get());
    wait(bench_.stream());
  }

  void life(unsigned value) {
    const cudaStream_t stream = bench_.stream().get();
    updatable_.set_value(value, stream);
    bench_.host(cost::build_updatable, [&] { updatable_.build(); });
    bench_.host(cost::instantiate_updatable, [&] { updatable_.instantiate(); });
    bench_.host_and_wall(cost::upload_updatable, [&] { updatable_.upload(stream); });
    bench_.host_and_wall(cost::first_launch_updatable, [&] { updatable_.launch(stream); });
    replay(cost::replay_update_device, updatable_);
    require_value(plan_.nodes, value, cost::replay_update_device);
    bench_.host(cost::destroy_updatable, [&] { updatable_.destroy(); });
  }

  void replay(const char* what, DeviceUpdateGraph& graph) {
    const cudaStream_t stream = bench_.stream().get();
    for (int i = 0; i < 2; ++i) {
      graph.launch(stream);
      wait(bench_.stream());
    }
    bench_.host_and_wall(what, [&] { graph.launch(stream); });
    bench_.device(what, replays_in_flight(plan_.nodes), [&] { graph.launch(stream); });
  }

  LifeCyclePlan plan_;
  ParameterKernel kernel_;
  Bench bench_;
  DeviceUpdateGraph updatable_;
  DeviceUpdateGraph twin_;
};

std::int64_t memory_node_bytes() {
  int device = 0;
  std::uint64_t bytes = 0;
  GVF_CUDA(cudaGetDevice(&device), "asking for the current device");
  GVF_CUDA(cudaDeviceGetGraphMemAttribute(device, cudaGraphMemAttrReservedMemCurrent, &bytes),
           "asking for the memory of graphs");
  return static_cast<std::int64_t>(bytes);
}

std::int64_t free_bytes() {
  std::size_t free = 0;
  std::size_t total = 0;
  GVF_CUDA(cudaMemGetInfo(&free, &total), "asking for free device memory");
  return static_cast<std::int64_t>(free);
}

}  // namespace

Costs measure_life_cycle(const LifeCyclePlan& plan) {
  return LifeCycle(plan).measure();
}

Costs measure_device_updates(const LifeCyclePlan& plan) {
  return DeviceUpdates(plan).measure();
}

GraphMemory MemoryProbe::measure(Shape shape, int nodes, std::size_t parameter_bytes) {
  constexpr double piece_bytes = 2 << 20;
  // Many small ones, since they share pieces; a large one fills pieces of its own.
  const int instances = std::clamp(16384 / nodes, 16, 256);
  ParameterKernel kernel(parameter_bytes);
  graphs_.push_back(build(shape, nodes, kernel));
  const auto add = [&] {
    executables_.push_back(instantiate(graphs_.back().graph.get()));
    GVF_CUDA(cudaGraphUpload(executables_.back().get(), stream_.get()), "uploading a graph");
  };
  add();  // pools and kernels come with the first
  wait(stream_);
  const std::int64_t before = free_bytes();
  for (int i = 0; i < instances; ++i) add();
  wait(stream_);
  return {instances, static_cast<double>(before - free_bytes()) / instances, piece_bytes / instances,
          memory_node_bytes()};
}

}  // namespace gvf::graphs
