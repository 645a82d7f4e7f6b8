// The `graph_memory` submission: intermediates live in memory that the graph itself allocates and frees.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// An allocation node for each intermediate that the iteration asks for, and a free node for each at its end.
// Throws NotApplicable where it asks for none, CudaError.
[[nodiscard]] BuiltGraph build_with_memory(const Enqueue& enqueue);

}  // namespace gvf::graphs
