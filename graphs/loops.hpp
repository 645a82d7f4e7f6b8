// Several iterations a launch: unrolled into one graph, in a WHILE node, or by a graph that launches itself.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// The `graph_unrolled` submission: `iterations` of them, one after the other, in one straight line of nodes.
[[nodiscard]] BuiltGraph build_unrolled(const Enqueue& enqueue, int iterations);

// The `graph_while` submission: the iteration is the body of a WHILE node. Whether it goes round again is
// decided on the device: a kernel of one thread, the body's last node, counts. Nothing here knows when a
// pipeline is done, so that kernel is part of the price. Throws CudaError.
[[nodiscard]] BuiltGraph build_while(const Enqueue& enqueue, int iterations);

// The `graph_device` submission: the graph's last node launches the graph again from the device ("tail
// launch"), until a count is reached. Throws NotApplicable where the iteration has a node that such a graph
// may not hold, CudaError.
[[nodiscard]] BuiltGraph build_relaunching(const Enqueue& enqueue, int iterations);

}  // namespace gvf::graphs
