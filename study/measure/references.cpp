// Implements study/measure/references.hpp.
#include "study/measure/references.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "profiling/calibrate.hpp"
#include "study/catalog.hpp"

namespace gvf::study {

Reference::Reference(std::string_view submission, int kernels, cudaStream_t stream)
    : name_(reference_name(submission, kernels)), kernels_(kernels), stream_(stream) {
  const SubmissionKind& kind = find_submission(submission);
  as_graph_ = kind.as_graph;
  const Enqueue enqueue = [kernels](Launcher& launcher) { profiling::enqueue_empty(launcher, kernels); };
  // The first run loads the kernel, which a capture must not meet.
  StreamLauncher launcher(stream);
  enqueue(launcher);
  synchronize();
  submission_ = kind.make(enqueue, stream);
}

void Reference::synchronize() {
  GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for " + name_);
}

double Reference::expected_us() const {
  return 8 + 2.0 * kernels_;
}

std::string reference_name(std::string_view submission, int kernels) {
  return fmt::format("empty/{}/kernels:{}", submission, kernels);
}

std::vector<std::unique_ptr<Reference>> make_references(cudaStream_t stream) {
  std::vector<std::unique_ptr<Reference>> references;
  for (const SubmissionKind& kind : submissions()) {
    references.push_back(std::make_unique<Reference>(kind.name, 1, stream));
  }
  references.push_back(std::make_unique<Reference>("stream", train_kernels, stream));
  return references;
}

}  // namespace gvf::study
