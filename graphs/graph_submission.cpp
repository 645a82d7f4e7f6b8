// Implements graphs/graph_submission.hpp.
#include "graphs/graph_submission.hpp"

#include <utility>

#include "core/error.hpp"
#include "graphs/capture.hpp"

namespace gvf::graphs {

BuiltGraph build_captured(const Enqueue& enqueue) {
  return {capture(enqueue)};
}

BuiltGraph build_programmatic(const Enqueue& enqueue) {
  return {capture(enqueue, Edge::programmatic)};
}

GraphSubmission::GraphSubmission(BuiltGraph built, cudaStream_t stream)
    : built_(std::move(built)),
      exec_(instantiate(built_.graph.get(), built_.instantiate_flags)),
      stream_(stream) {
  GVF_CUDA(cudaGraphUpload(exec_.get(), stream_), "uploading a graph");
  GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for a graph's upload");
}

void GraphSubmission::submit() {
  GVF_CUDA(cudaGraphLaunch(exec_.get(), stream_), "launching a graph");
}

}  // namespace gvf::graphs
