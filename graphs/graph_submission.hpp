// The `graph` submission: an iteration captured from a stream once, then replayed by one call.
#pragma once

#include <cuda_runtime_api.h>

#include "core/handles.hpp"
#include "core/submission.hpp"

namespace gvf::graphs {

// Captures what `enqueue` submits into a graph. Runs nothing. Throws CudaError naming the call that broke the
// capture; the stream that was capturing is private to this call, so no other stream is left invalid.
[[nodiscard]] Graph capture(const Enqueue& enqueue);

[[nodiscard]] GraphExec instantiate(cudaGraph_t graph);

// Nodes of all types in `graph`, children not descended into.
[[nodiscard]] std::size_t node_count(cudaGraph_t graph);

class GraphSubmission final : public Submission {
 public:
  // Captures, instantiates and uploads: one-off costs, none of them inside submit().
  GraphSubmission(const Enqueue& enqueue, cudaStream_t stream);
  void submit() override;
  [[nodiscard]] int host_submissions(int) const override { return 1; }
  [[nodiscard]] cudaGraph_t graph() const noexcept { return graph_.get(); }

 private:
  Graph graph_;
  GraphExec exec_;
  cudaStream_t stream_;
};

}  // namespace gvf::graphs
