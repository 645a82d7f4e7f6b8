// Implements graphs/executable_update.hpp.
#include "graphs/executable_update.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "graphs/explicit_graph.hpp"

namespace gvf::graphs {
namespace {

const char* why_refused(cudaGraphExecUpdateResult result) {
  switch (result) {
    case cudaGraphExecUpdateErrorTopologyChanged:
      return "its nodes or edges are others: instantiate again";
    case cudaGraphExecUpdateErrorNodeTypeChanged:
      return "a node is of another type: instantiate again";
    case cudaGraphExecUpdateErrorUnsupportedFunctionChange:
      return "a kernel cannot take the place of that one: instantiate again";
    case cudaGraphExecUpdateErrorParametersChanged:
    case cudaGraphExecUpdateErrorAttributesChanged:
      return "a node's new parameters or attributes cannot be taken over: instantiate again";
    default:
      return "a node does not allow it, as no device-updatable node does";
  }
}

}  // namespace

void update_executable(cudaGraphExec_t executable, cudaGraph_t graph) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(executable, graph, &info);
  if (status == cudaSuccess) return;
  cuda_check(status, "cudaGraphExecUpdate",
             fmt::format("updating an executable graph as a whole ({})", why_refused(info.result)));
}

void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch) {
  const cudaKernelNodeParams parameters = node_parameters(launch);
  GVF_CUDA(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), "updating a node's parameters");
}

}  // namespace gvf::graphs
