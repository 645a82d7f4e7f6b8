// The `graph_branches` submission: lanes that do not depend on one another become branches of a graph.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// Fork and join by capture: each lane that the iteration begins is a stream of its own, joined at the end.
// Throws NotApplicable where it begins fewer than two lanes, CudaError.
[[nodiscard]] BuiltGraph build_branches(const Enqueue& enqueue);

}  // namespace gvf::graphs
