// New parameters for an executable graph, from the host: all at once out of another graph, or node by node.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

#include "core/launcher.hpp"
#include "graphs/inspect.hpp"

namespace gvf::graphs {

// Takes over the parameters of `now`, whose nodes and edges must have been made as those of `before`, the
// graph that `executable` came from. Throws CudaError with what was refused - another shape, another kind of
// node, device-updatable nodes - and with both graphs; the executable then is as it was.
void update_executable(cudaGraphExec_t executable, cudaGraph_t before, cudaGraph_t now);

// The words for that: "its nodes or edges are others: it was 8 nodes (8 kernel), 7 edges, ...".
[[nodiscard]] std::string describe_refusal(cudaGraphExecUpdateResult result, const Inspection& before,
                                           const Inspection& now);

// `node` is one of the graph that `executable` came from.
void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch);

}  // namespace gvf::graphs
