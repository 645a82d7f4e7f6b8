// New parameters for an executable graph, from the host: all at once out of another graph, or node by node.
#pragma once

#include <cuda_runtime_api.h>

#include <string>
#include <vector>

#include "core/launcher.hpp"
#include "graphs/inspect.hpp"

namespace gvf::graphs {

// Takes over the parameters of `graph`, whose nodes and edges must have been made as those of `origin`, the
// graph that `executable` came from. Throws CudaError with what was refused and where the two graphs differ:
// another shape, another kind of node, device-updatable nodes. `executable` stays as it was.
void update_executable(cudaGraphExec_t executable, cudaGraph_t origin, cudaGraph_t graph);

// `node` is one of the graph that `executable` came from.
void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch);

// A graph as an update compares it.
struct GraphSummary {
  Inspection shape;
  std::vector<std::string> names;  // "kernel axpy", "memset": one for each of shape.nodes
};

// What was being done when an update of the graph `origin` to `graph` was refused: both graphs, and the first
// node in the way, as far as `info` tells.
[[nodiscard]] std::string describe_refusal(const cudaGraphExecUpdateResultInfo& info,
                                           const GraphSummary& origin, const GraphSummary& graph);

}  // namespace gvf::graphs
