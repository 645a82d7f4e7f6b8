// Several iterations a launch: unrolled into one graph, in a WHILE node, or by a graph that launches itself.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// The `graph_unrolled` submission: `iterations` of them, one after the other, in one straight line of nodes.
[[nodiscard]] BuiltGraph build_unrolled(const Enqueue& enqueue, int iterations);

// Where the kernel of one thread stands that counts the rounds of a loop.
enum class Counting {
  behind,  // the iteration's last kernel, which it waits for
  beside,  // the iteration: a branch of its own, since a round ends with all of its nodes anyhow
};

struct LoopOptions {
  Counting counting = Counting::behind;
  Edge edge = Edge::full;  // between the kernels of a round
};

// The `graph_while` submission: the iteration is the body of a WHILE node. Whether it goes round again is
// decided on the device, by a kernel that counts. Nothing here knows when a pipeline is done, so that kernel
// is part of the price. Throws CudaError.
[[nodiscard]] BuiltGraph build_while(const Enqueue& enqueue, int iterations, LoopOptions options = {});

// The `graph_device` submission: the kernel that counts launches its own graph again from the device ("tail
// launch"). Throws NotApplicable where the iteration has a node that such a graph may not hold, CudaError.
[[nodiscard]] BuiltGraph build_relaunching(const Enqueue& enqueue, int iterations, LoopOptions options = {});

// Throws NotApplicable where `graph` has a node that a graph launched from the device may not hold.
void require_device_launchable(cudaGraph_t graph);

}  // namespace gvf::graphs
