// Implements graphs/executable_update.hpp.
#include "graphs/executable_update.hpp"

#include <fmt/format.h>

#include <string_view>

#include "core/error.hpp"
#include "graphs/explicit_graph.hpp"

namespace gvf::graphs {
namespace {

struct Refusal {
  std::string_view what, remedy;
};

Refusal refusal_of(cudaGraphExecUpdateResult result) {
  constexpr std::string_view again = "instantiate the new graph instead";
  switch (result) {
    case cudaGraphExecUpdateErrorTopologyChanged:
      return {"its nodes or edges are others", again};
    case cudaGraphExecUpdateErrorNodeTypeChanged:
      return {"a node is of another type", again};
    case cudaGraphExecUpdateErrorFunctionChanged:
    case cudaGraphExecUpdateErrorUnsupportedFunctionChange:
      return {"a kernel cannot take the place of that one", again};
    case cudaGraphExecUpdateErrorParametersChanged:
    case cudaGraphExecUpdateErrorAttributesChanged:
      return {"a node's new parameters or attributes cannot be taken over", again};
    default:
      return {"a node does not allow it, as no device-updatable node does", "update node by node"};
  }
}

}  // namespace

std::string describe_refusal(cudaGraphExecUpdateResult result, const Inspection& before,
                             const Inspection& now) {
  const Refusal refusal = refusal_of(result);
  const std::string difference = first_difference(before, now);
  return fmt::format("{}: it was {}, the new graph is {}{}{}; {}", refusal.what, describe(before),
                     describe(now), difference.empty() ? "" : ", where ", difference, refusal.remedy);
}

void update_executable(cudaGraphExec_t executable, cudaGraph_t before, cudaGraph_t now) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(executable, now, &info);
  if (status == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  cuda_check(status, "cudaGraphExecUpdate",
             fmt::format("updating an executable graph as a whole ({})",
                         describe_refusal(info.result, inspect(before), inspect(now))));
}

void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch) {
  const cudaKernelNodeParams parameters = node_parameters(launch);
  GVF_CUDA(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), "updating a node's parameters");
}

}  // namespace gvf::graphs
