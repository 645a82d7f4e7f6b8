// Implements graphs/explicit_graph.hpp.
#include "graphs/explicit_graph.hpp"

#include <fmt/format.h>

#include <utility>
#include <vector>

#include "core/error.hpp"
#include "graphs/capture.hpp"
#include "graphs/inspect.hpp"

namespace gvf::graphs {
namespace {

class ExplicitLauncher final : public Launcher {
 public:
  explicit ExplicitLauncher(cudaGraph_t graph) : graph_(graph) {}

 protected:
  void submit(const KernelLaunch& launch) override {
    add_kernel(node_parameters(launch), kernel_name(launch.function));
    if (!launch.config.cooperative) return;
    cudaKernelNodeAttrValue cooperative{};
    cooperative.cooperative = 1;
    GVF_CUDA(cudaGraphKernelNodeSetAttribute(last_, cudaLaunchAttributeCooperative, &cooperative),
             "making a kernel node cooperative");
  }

  void submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) override {
    const Graph captured = capture_stream(
        [&](cudaStream_t stream) { cuda_check(call(stream), what, "capturing what a library launches"); });
    for (const cudaGraphNode_t node : nodes_in_order(captured.get(), what)) copy(node, what);
  }

 private:
  void add_kernel(const cudaKernelNodeParams& params, const char* what) {
    cudaGraphNode_t node = nullptr;
    cuda_check(cudaGraphAddKernelNode(&node, graph_, &last_, last_ == nullptr ? 0 : 1, &params),
               "cudaGraphAddKernelNode", fmt::format("adding a node of {}", what));
    last_ = node;
  }

  // The nodes of a captured straight line.
  static std::vector<cudaGraphNode_t> nodes_in_order(cudaGraph_t graph, const char* what) {
    const Inspection found = inspect(graph);
    if (!found.is_straight_line()) throw NotApplicable(fmt::format("{} launches work that branches", what));
    return found.nodes;
  }

  void copy(cudaGraphNode_t node, const char* what) {
    cudaGraphNodeType type{};
    GVF_CUDA(cudaGraphNodeGetType(node, &type), "reading a captured node");
    if (type == cudaGraphNodeTypeKernel) {
      cudaKernelNodeParams params{};
      const cudaError_t status = cudaGraphKernelNodeGetParams(node, &params);
      if (status != cudaSuccess || params.kernelParams == nullptr) {
        static_cast<void>(cudaGetLastError());
        throw NotApplicable(fmt::format("the driver does not give the parameters of {}'s kernels", what));
      }
      add_kernel(params, what);
      GVF_CUDA(cudaGraphKernelNodeCopyAttributes(node, last_), "copying a captured node's attributes");
    } else if (type == cudaGraphNodeTypeMemset) {
      cudaMemsetParams params{};
      GVF_CUDA(cudaGraphMemsetNodeGetParams(node, &params), "reading a captured memset");
      cudaGraphNode_t added = nullptr;
      GVF_CUDA(cudaGraphAddMemsetNode(&added, graph_, &last_, last_ == nullptr ? 0 : 1, &params),
               "adding a memset node");
      last_ = added;
    } else {
      throw NotApplicable(
          fmt::format("{} captures a {} node, which is not made again by hand", what, node_type_name(type)));
    }
  }

  cudaGraph_t graph_;
  cudaGraphNode_t last_ = nullptr;
};

}  // namespace

cudaKernelNodeParams node_parameters(const KernelLaunch& launch) noexcept {
  cudaKernelNodeParams parameters{};
  parameters.func = const_cast<void*>(launch.function);
  parameters.gridDim = launch.config.grid;
  parameters.blockDim = launch.config.block;
  parameters.sharedMemBytes = static_cast<unsigned>(launch.config.shared_bytes);
  parameters.kernelParams = launch.arguments;
  return parameters;
}

BuiltGraph build_explicit(const Enqueue& enqueue) {
  cudaGraph_t raw = nullptr;
  GVF_CUDA(cudaGraphCreate(&raw, 0), "creating a graph");
  BuiltGraph built{Graph(raw)};
  ExplicitLauncher launcher(raw);
  enqueue(launcher);
  return built;
}

}  // namespace gvf::graphs
