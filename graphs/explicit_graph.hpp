// The `graph_explicit` submission: nodes made one by one, with no stream in capture.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// A launch as a node of a graph, or as an update of one; valid as long as `launch` is. Attributes are the
// node's, not among these.
[[nodiscard]] cudaKernelNodeParams node_parameters(const KernelLaunch& launch) noexcept;

// One kernel node for every launch, each depending on the one before. What a library launches is captured
// aside and its kernel, copy and memset nodes are made again here from the parameters that the driver gives.
// Throws NotApplicable where it gives none, CudaError.
[[nodiscard]] BuiltGraph build_explicit(const Enqueue& enqueue);

}  // namespace gvf::graphs
