// Implements graphs/topology.hpp.
#include "graphs/topology.hpp"

#include "core/launcher.hpp"
#include "graphs/capture.hpp"
#include "graphs/explicit_graph.hpp"

namespace gvf::graphs {
namespace {

// A launch out of a KernelLaunch, which Launcher itself only makes from a kernel's own type.
class NodeLauncher final : public StreamLauncher {
 public:
  using StreamLauncher::StreamLauncher;
  using StreamLauncher::submit;
};

cudaGraphNode_t last_captured(cudaStream_t stream) {
  cudaStreamCaptureStatus status{};
  const cudaGraphNode_t* last = nullptr;
  std::size_t count = 0;
  GVF_CUDA(cudaStreamGetCaptureInfo(stream, &status, nullptr, nullptr, &last, nullptr, &count),
           "asking a capture for its last node");
  return *last;
}

void wait_for(const Event& event, const Stream& signalling, const Stream& waiting) {
  GVF_CUDA(cudaEventRecord(event.get(), signalling.get()), "forking or joining a captured stream");
  GVF_CUDA(cudaStreamWaitEvent(waiting.get(), event.get(), 0), "forking or joining a captured stream");
}

}  // namespace

void add_nodes(NumberedGraph& into, Shape shape, int nodes, ParameterKernel& kernel, cudaGraphNode_t head) {
  into.nodes.reserve(static_cast<std::size_t>(nodes));
  for (int node = 0; node < nodes; ++node) {
    const Predecessors before = predecessors(shape, node);
    std::array<cudaGraphNode_t, 2> dependencies{head, nullptr};
    auto count = static_cast<std::size_t>(before.count);
    for (std::size_t i = 0; i < count; ++i)
      dependencies[i] = into.nodes[static_cast<std::size_t>(before.nodes[i])];
    if (count == 0 && head != nullptr) count = 1;
    const cudaKernelNodeParams parameters = node_parameters(kernel.for_node(node));
    cudaGraphNode_t added = nullptr;
    GVF_CUDA(cudaGraphAddKernelNode(&added, into.graph.get(), dependencies.data(), count, &parameters),
             "adding a kernel node");
    into.nodes.push_back(added);
  }
}

NumberedGraph build(Shape shape, int nodes, ParameterKernel& kernel) {
  cudaGraph_t raw = nullptr;
  GVF_CUDA(cudaGraphCreate(&raw, 0), "creating a graph");
  NumberedGraph built{Graph(raw), {}};
  add_nodes(built, shape, nodes, kernel, nullptr);
  return built;
}

Graph TopologyCapture::capture(Shape shape, int nodes, ParameterKernel& kernel) {
  return capture_stream(origin_.get(), [&](cudaStream_t) { enqueue(shape, nodes, kernel); });
}

void TopologyCapture::enqueue(Shape shape, int nodes, ParameterKernel& kernel) {
  if (shape == Shape::fan_out) return enqueue_fan_out(nodes, kernel);
  if (shape == Shape::diamond) return enqueue_diamonds(nodes, kernel);
  graphs::enqueue(nodes, kernel, origin_.get());
}

void TopologyCapture::enqueue_fan_out(int nodes, ParameterKernel& kernel) {
  NodeLauncher launcher(origin_.get());
  launcher.submit(kernel.for_node(0));
  if (nodes == 1) return;
  cudaGraphNode_t root = last_captured(origin_.get());
  for (int node = 1; node < nodes; ++node) {
    // A fork without thousands of streams: the stream goes back to waiting for the root alone. What it leaves
    // behind needs no join.
    GVF_CUDA(cudaStreamUpdateCaptureDependencies(origin_.get(), &root, nullptr, 1,
                                                 cudaStreamSetCaptureDependencies),
             "forking a capture");
    launcher.submit(kernel.for_node(node));
  }
}

void TopologyCapture::enqueue_diamonds(int nodes, ParameterKernel& kernel) {
  NodeLauncher left(origin_.get());
  NodeLauncher right(branch_.get());
  for (int node = 0; node < nodes; ++node) {
    const bool forks = node % 4 == 2;
    // The fork is recorded behind the top, so before the left side is launched.
    if (node % 4 == 1 && node + 1 < nodes) fork();
    (forks ? right : left).submit(kernel.for_node(node));
    if (forks) wait_for(joined_, branch_, origin_);
  }
}

void TopologyCapture::fork() {
  cudaGraphNode_t top = last_captured(origin_.get());
  wait_for(forked_, origin_, branch_);
  // An event only adds to what a stream waits for: without this the branch also waits for its own last node,
  // which the top already waits for.
  GVF_CUDA(
      cudaStreamUpdateCaptureDependencies(branch_.get(), &top, nullptr, 1, cudaStreamSetCaptureDependencies),
      "forking a capture");
}

void enqueue(int nodes, ParameterKernel& kernel, cudaStream_t stream) {
  NodeLauncher launcher(stream);
  for (int node = 0; node < nodes; ++node) launcher.submit(kernel.for_node(node));
}

}  // namespace gvf::graphs
