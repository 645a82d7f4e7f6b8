// Implements graphs/capture.hpp.
#include "graphs/capture.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace gvf::graphs {
namespace {

enum class Target { new_graph, existing_graph };

// Ends the capture that `stream` is in, whatever `work` does. Returns the graph that it went to.
cudaGraph_t run_capturing(cudaStream_t stream, const std::function<void(cudaStream_t)>& work, Target target) {
  cudaGraph_t raw = nullptr;
  try {
    work(stream);
  } catch (...) {
    // The first error names the cause; ending a capture that it invalidated returns no graph.
    static_cast<void>(cudaStreamEndCapture(stream, &raw));
    static_cast<void>(cudaGetLastError());
    if (target == Target::new_graph) Graph discarded(raw);
    throw;
  }
  // The best trace of a call that broke the capture and was not checked.
  const cudaError_t unread = cudaPeekAtLastError();
  const cudaError_t status = cudaStreamEndCapture(stream, &raw);
  if (status == cudaErrorStreamCaptureInvalidated && unread != cudaSuccess) {
    cuda_check(status, "cudaStreamEndCapture",
               fmt::format("ending a stream capture with {} unread", cudaGetErrorName(unread)));
  }
  cuda_check(status, "cudaStreamEndCapture", "ending a stream capture");
  return raw;
}

// A blocking stream, as no other here: what goes to the legacy default stream would depend on it, which is an
// error. Beside a non-blocking one such work runs at once, and is missing in the graph.
Stream make_capturing_stream() {
  cudaStream_t raw = nullptr;
  GVF_CUDA(cudaStreamCreate(&raw), "creating a stream to capture");
  return Stream(raw);
}

}  // namespace

Graph capture_stream(const std::function<void(cudaStream_t)>& work) {
  const Stream stream = make_capturing_stream();
  return capture_stream(stream.get(), work);
}

Graph capture_stream(cudaStream_t stream, const std::function<void(cudaStream_t)>& work,
                     cudaStreamCaptureMode mode) {
  GVF_CUDA(cudaStreamBeginCapture(stream, mode), "beginning a stream capture");
  return Graph(run_capturing(stream, work, Target::new_graph));
}

void capture_into(cudaGraph_t graph, const std::function<void(cudaStream_t)>& work) {
  const Stream stream = make_capturing_stream();
  GVF_CUDA(cudaStreamBeginCaptureToGraph(stream.get(), graph, nullptr, nullptr, 0,
                                         cudaStreamCaptureModeThreadLocal),
           "beginning a stream capture into a graph");
  run_capturing(stream.get(), work, Target::existing_graph);
}

Graph capture(const Enqueue& enqueue, Edge edge) {
  return capture_stream([&](cudaStream_t stream) {
    StreamLauncher launcher(stream, edge);
    enqueue(launcher);
  });
}

GraphExec instantiate(cudaGraph_t graph, unsigned long long flags) {
  cudaGraphExec_t raw = nullptr;
  GVF_CUDA(cudaGraphInstantiate(&raw, graph, flags), "instantiating a graph");
  return GraphExec(raw);
}

std::size_t node_count(cudaGraph_t graph) {
  std::size_t count = 0;
  GVF_CUDA(cudaGraphGetNodes(graph, nullptr, &count), "counting the nodes of a graph");
  return count;
}

}  // namespace gvf::graphs
