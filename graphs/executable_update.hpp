// New parameters for an executable graph, from the host: all at once out of another graph, or node by node.
#pragma once

#include <cuda_runtime_api.h>

#include "core/launcher.hpp"

namespace gvf::graphs {

// Takes over the parameters of `graph`, whose nodes and edges must have been made as those of the graph that
// `executable` came from. Throws CudaError with what was refused: another shape, another kind of node,
// device-updatable nodes.
void update_executable(cudaGraphExec_t executable, cudaGraph_t graph);

// `node` is one of the graph that `executable` came from.
void update_node(cudaGraphExec_t executable, cudaGraphNode_t node, const KernelLaunch& launch);

}  // namespace gvf::graphs
