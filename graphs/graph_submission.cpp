// Implements graphs/graph_submission.hpp.
#include "graphs/graph_submission.hpp"

#include "core/error.hpp"

namespace gvf::graphs {

Graph capture(const Enqueue& enqueue) {
  const Stream stream = make_stream();
  // Thread-local mode: an allocation by another thread does not break this capture.
  GVF_CUDA(cudaStreamBeginCapture(stream.get(), cudaStreamCaptureModeThreadLocal),
           "beginning a stream capture");
  cudaGraph_t raw = nullptr;
  try {
    StreamLauncher launcher(stream.get());
    enqueue(launcher);
  } catch (...) {
    // The first error names the cause; ending the invalidated capture only frees it.
    static_cast<void>(cudaStreamEndCapture(stream.get(), &raw));
    static_cast<void>(cudaGetLastError());
    Graph discarded(raw);
    throw;
  }
  GVF_CUDA(cudaStreamEndCapture(stream.get(), &raw), "ending a stream capture");
  return Graph(raw);
}

GraphExec instantiate(cudaGraph_t graph) {
  cudaGraphExec_t raw = nullptr;
  GVF_CUDA(cudaGraphInstantiate(&raw, graph, 0), "instantiating a graph");
  return GraphExec(raw);
}

std::size_t node_count(cudaGraph_t graph) {
  std::size_t count = 0;
  GVF_CUDA(cudaGraphGetNodes(graph, nullptr, &count), "counting the nodes of a graph");
  return count;
}

GraphSubmission::GraphSubmission(const Enqueue& enqueue, cudaStream_t stream)
    : graph_(capture(enqueue)), exec_(instantiate(graph_.get())), stream_(stream) {
  GVF_CUDA(cudaGraphUpload(exec_.get(), stream_), "uploading a graph");
  GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for a graph's upload");
}

void GraphSubmission::submit() {
  GVF_CUDA(cudaGraphLaunch(exec_.get(), stream_), "launching a graph");
}

}  // namespace gvf::graphs
