// Implements graphs/fan_out.hpp. Compiled with relocatable device code, as graphs/loops.cu is.
#include "graphs/fan_out.hpp"

#include <cuda_runtime.h>

#include <map>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/programmatic.cuh"
#include "graphs/capture.hpp"
#include "graphs/loops.hpp"

namespace gvf::graphs {
namespace {

// One thread a graph.
__global__ void send_off_kernel(const cudaGraphExec_t* graphs, int count) {
  begin_dependent_kernel();
  const auto i = static_cast<int>(threadIdx.x);
  if (i < count) cudaGraphLaunch(graphs[i], cudaStreamGraphFireAndForget);
}

// A capture that ends with its owner, whatever happens in between.
class LaneCapture {
 public:
  LaneCapture() {
    GVF_CUDA(cudaStreamBeginCapture(stream_.get(), cudaStreamCaptureModeThreadLocal),
             "beginning the capture of a lane");
  }
  LaneCapture(const LaneCapture&) = delete;
  LaneCapture& operator=(const LaneCapture&) = delete;
  ~LaneCapture() {
    if (!is_capturing_) return;
    cudaGraph_t raw = nullptr;
    static_cast<void>(cudaStreamEndCapture(stream_.get(), &raw));
    static_cast<void>(cudaGetLastError());
    Graph discarded(raw);
  }

  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }
  [[nodiscard]] Graph end() {
    is_capturing_ = false;
    cudaGraph_t raw = nullptr;
    GVF_CUDA(cudaStreamEndCapture(stream_.get(), &raw), "ending the capture of a lane");
    return Graph(raw);
  }

 private:
  Stream stream_ = make_stream();
  bool is_capturing_ = true;
};

class LaneLauncher final : public StreamLauncher {
 public:
  LaneLauncher() : StreamLauncher(nullptr) { continue_in(outside_.stream()); }

  void begin_lane(int lane) override { continue_in(lanes_[lane].stream()); }

  // A graph for each lane in which something was launched.
  [[nodiscard]] std::vector<Graph> end() {
    if (lanes_.size() < 2) throw NotApplicable("no launch is independent of the one before it");
    if (node_count(outside_.end().get()) > 0) throw NotApplicable("it launches outside of its lanes");
    std::vector<Graph> graphs;
    for (auto& [number, lane] : lanes_) {
      Graph graph = lane.end();
      if (node_count(graph.get()) > 0) graphs.push_back(std::move(graph));
    }
    if (graphs.size() > most_fan_out) {
      throw NotApplicable("a graph launches at most " + std::to_string(most_fan_out) + " others, not " +
                          std::to_string(graphs.size()));
    }
    return graphs;
  }

 private:
  LaneCapture outside_;
  std::map<int, LaneCapture> lanes_;
};

// What the kernel launches: kept for as long as the graph that holds it.
struct SentOff {
  std::vector<GraphExec> executables;
  DeviceBuffer<cudaGraphExec_t> handles;
};

std::shared_ptr<SentOff> make_ready(const std::vector<Graph>& graphs) {
  auto ready = std::make_shared<SentOff>();
  const Stream stream = make_stream();
  std::vector<cudaGraphExec_t> raw;
  for (const Graph& graph : graphs) {
    require_device_launchable(graph.get());
    ready->executables.push_back(instantiate(graph.get(), cudaGraphInstantiateFlagDeviceLaunch));
    raw.push_back(ready->executables.back().get());
    GVF_CUDA(cudaGraphUpload(raw.back(), stream.get()), "uploading the graph of a lane");
  }
  ready->handles = DeviceBuffer<cudaGraphExec_t>(raw.size());
  GVF_CUDA(cudaMemcpyAsync(ready->handles.data(), raw.data(), ready->handles.bytes(), cudaMemcpyHostToDevice,
                           stream.get()),
           "handing graphs to the device");
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for uploads");
  return ready;
}

}  // namespace

BuiltGraph build_fan_out(const Enqueue& enqueue) {
  cudaFuncAttributes attributes;
  GVF_CUDA(cudaFuncGetAttributes(&attributes, &send_off_kernel), "loading a kernel that launches graphs");
  LaneLauncher lanes;
  enqueue(lanes);
  const std::shared_ptr<SentOff> ready = make_ready(lanes.end());
  Graph graph = capture([&](Launcher& launcher) {
    LaunchConfig config;
    config.block = dim3(most_fan_out);
    launcher.launch(send_off_kernel, config, ready->handles.data(),
                    static_cast<int>(ready->executables.size()));
  });
  return {std::move(graph), 1, cudaGraphInstantiateFlagDeviceLaunch, ready};
}

}  // namespace gvf::graphs
