// Implements graphs/executable_update.hpp.
#include "graphs/executable_update.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "core/error.hpp"
#include "graphs/explicit_graph.hpp"

namespace gvf::graphs {
namespace {

const char* what_changes(cudaGraphExecUpdateResult result) {
  switch (result) {
    case cudaGraphExecUpdateErrorTopologyChanged:
      return "its nodes or edges";
    case cudaGraphExecUpdateErrorNodeTypeChanged:
      return "the type of a node";
    case cudaGraphExecUpdateErrorFunctionChanged:
    case cudaGraphExecUpdateErrorUnsupportedFunctionChange:
      return "a kernel that the new one cannot stand in for";
    case cudaGraphExecUpdateErrorParametersChanged:
      return "parameters that cannot be taken over";
    case cudaGraphExecUpdateErrorAttributesChanged:
      return "attributes that cannot be taken over";
    default:
      return "a node that takes no update, as no device-updatable node does";
  }
}

// Any other code says nothing of the two graphs.
bool refuses(cudaError_t status) {
  return status == cudaErrorGraphExecUpdateFailure || status == cudaErrorNotSupported ||
         status == cudaErrorInvalidValue;
}

// Of a child graph or a body there is no index: only nodes of the graph itself are in its summary.
std::optional<std::size_t> index_of(const GraphSummary& graph, cudaGraphNode_t node) {
  const auto found = std::find(graph.shape.nodes.begin(), graph.shape.nodes.end(), node);
  if (node == nullptr || found == graph.shape.nodes.end()) return std::nullopt;
  return static_cast<std::size_t>(found - graph.shape.nodes.begin());
}

std::string describe_node(const GraphSummary& graph, std::size_t node) {
  const auto waits_for = std::count_if(graph.shape.edges.begin(), graph.shape.edges.end(),
                                       [node](const DependencyEdge& edge) { return edge.to == node; });
  return fmt::format("{} (predecessors: {})", graph.names[node], waits_for);
}

std::string roots_and_leaves(const Inspection& shape) {
  return fmt::format(", roots: {}, leaves: {}", shape.roots(), shape.leaves());
}

std::string node_name(cudaGraphNode_t node, cudaGraphNodeType type) {
  const std::string name(node_type_name(type));
  cudaKernelNodeParams parameters{};
  if (type != cudaGraphNodeTypeKernel) return name;
  if (cudaGraphKernelNodeGetParams(node, &parameters) == cudaSuccess)
    return fmt::format("{} {}", name, kernel_name(parameters.func));
  static_cast<void>(cudaGetLastError());
  return name;
}

GraphSummary summarize(cudaGraph_t graph) {
  GraphSummary summary{inspect(graph), {}};
  for (std::size_t i = 0; i < summary.shape.nodes.size(); ++i)
    summary.names.push_back(node_name(summary.shape.nodes[i], summary.shape.types[i]));
  return summary;
}

}  // namespace

std::string describe_refusal(const cudaGraphExecUpdateResultInfo& info, const GraphSummary& origin,
                             const GraphSummary& graph) {
  std::string was = describe(origin.shape);
  std::string is = describe(graph.shape);
  if (was == is) {
    was += roots_and_leaves(origin.shape);
    is += roots_and_leaves(graph.shape);
  }
  std::string text = fmt::format("updating an executable graph of {} with one of {}, which changes {}", was,
                                 was == is ? "as many" : is, what_changes(info.result));
  const std::optional<std::size_t> node = index_of(graph, info.errorNode);
  if (!node) return text;
  const std::string now = describe_node(graph, *node);
  text += fmt::format(": node {} is {}", *node, now);
  if (const auto from = index_of(graph, info.errorFromNode)) text += fmt::format(" behind node {}", *from);
  // Counted in the order of dependencies, the same place is mostly the same node; where both look alike it
  // tells nothing.
  if (*node < origin.names.size()) {
    if (const std::string before = describe_node(origin, *node); before != now)
      text += fmt::format(" and was {}", before);
  }
  return text;
}

void update_executable(cudaGraphExec_t executable, cudaGraph_t origin, cudaGraph_t graph) {
  cudaGraphExecUpdateResultInfo info{};
  const cudaError_t status = cudaGraphExecUpdate(executable, graph, &info);
  if (status == cudaSuccess) return;
  cuda_check(status, "cudaGraphExecUpdate",
             refuses(status) ? describe_refusal(info, summarize(origin), summarize(graph))
                             : "updating an executable graph");
}

void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch) {
  const cudaKernelNodeParams parameters = node_parameters(launch);
  GVF_CUDA(cudaGraphExecKernelNodeSetParams(executable, node, &parameters), "updating a node's parameters");
}

}  // namespace gvf::graphs
