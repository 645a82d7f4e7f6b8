// The `graph_branches` submission: lanes that do not depend on one another become branches of a graph.
#pragma once

#include <cuda_runtime_api.h>

#include "core/handles.hpp"
#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// A stream that is captured beside `origin`, from what that one had captured when this was made. A capture
// ends in the stream that it began in: what was forked and is not joined breaks it. Keep this until then: a
// stream is not to be destroyed while it is captured, which an error before the join would do.
class ForkedStream {
 public:
  explicit ForkedStream(cudaStream_t origin);
  [[nodiscard]] cudaStream_t get() const noexcept { return stream_.get(); }
  // What `origin` captures from now on waits for what this one has captured.
  void join();

 private:
  cudaStream_t origin_;
  Stream stream_ = make_stream();
  Event event_ = make_event(cudaEventDisableTiming);
};

// Fork and join by capture: each lane that the iteration begins is a stream of its own, joined at the end.
// Throws NotApplicable where it begins fewer than two lanes, CudaError.
[[nodiscard]] BuiltGraph build_branches(const Enqueue& enqueue);

}  // namespace gvf::graphs
