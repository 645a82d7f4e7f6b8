// The submissions by graph: what they have in common. Each is one way to build a graph; replaying is the
// same.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>

#include "core/handles.hpp"
#include "core/submission.hpp"

namespace gvf::graphs {

// A graph, and what must live as long as it does.
struct BuiltGraph {
  Graph graph;
  int iterations = 1;                        // how many one launch runs
  unsigned long long instantiate_flags = 0;  // cudaGraphInstantiateFlags
  std::shared_ptr<const void> memory{};      // what its own nodes count in
};

// The `graph` submission: captured from a stream. `graph_pdl`: the same with programmatic edges.
[[nodiscard]] BuiltGraph build_captured(const Enqueue& enqueue);
[[nodiscard]] BuiltGraph build_programmatic(const Enqueue& enqueue);

class GraphSubmission final : public Submission {
 public:
  // Instantiates and uploads: one-off costs, none of them inside submit(). Throws CudaError.
  GraphSubmission(BuiltGraph built, cudaStream_t stream);
  void submit() override;
  [[nodiscard]] int host_submissions(int) const override { return 1; }
  [[nodiscard]] int iterations() const override { return built_.iterations; }
  [[nodiscard]] cudaGraph_t graph() const noexcept { return built_.graph.get(); }

 private:
  BuiltGraph built_;
  GraphExec exec_;
  cudaStream_t stream_;
};

}  // namespace gvf::graphs
