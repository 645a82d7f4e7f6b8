// From enqueued work to an executable graph: stream capture and instantiation.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>

#include "core/handles.hpp"
#include "core/submission.hpp"

namespace gvf::graphs {

// Captures what `work` does on the stream that it is given into a graph. Runs nothing of that; what `work`
// does on another non-blocking stream runs at once and is not captured, on the legacy default stream it is an
// error. Throws CudaError naming the call that broke the capture; the stream that was capturing is private to
// this call, so no other stream is left invalid.
[[nodiscard]] Graph capture_stream(const std::function<void(cudaStream_t)>& work);

// The same on a stream that is there already, where making one is not to be timed. It is usable afterwards,
// whatever happens, and so is any that `work` forked from it. `mode`: whose unsafe calls, such as an
// allocation, break the capture: this thread's alone, or any thread's in global mode, which finds them.
[[nodiscard]] Graph capture_stream(cudaStream_t stream, const std::function<void(cudaStream_t)>& work,
                                   cudaStreamCaptureMode mode = cudaStreamCaptureModeThreadLocal);

// The same into `graph`, which may be the body of a conditional node: appends root nodes to it.
void capture_into(cudaGraph_t graph, const std::function<void(cudaStream_t)>& work);

// Captures what `enqueue` launches, each kernel after the one before it by this kind of edge.
[[nodiscard]] Graph capture(const Enqueue& enqueue, Edge edge = Edge::full);

// `flags`: cudaGraphInstantiateFlags.
[[nodiscard]] GraphExec instantiate(cudaGraph_t graph, unsigned long long flags = 0);

// Nodes of all types in `graph`, children and bodies not descended into.
[[nodiscard]] std::size_t node_count(cudaGraph_t graph);

}  // namespace gvf::graphs
