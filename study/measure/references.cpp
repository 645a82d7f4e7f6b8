// Implements study/measure/references.hpp.
#include "study/measure/references.hpp"

#include <fmt/format.h>

#include "core/error.hpp"
#include "profiling/calibrate.hpp"
#include "study/catalog.hpp"

namespace gvf::study {

Reference::Reference(std::string_view submission, int kernels, cudaStream_t stream,
                     std::chrono::microseconds spin)
    : name_(reference_name(submission, kernels, spin)), kernels_(kernels), spin_(spin), stream_(stream) {
  const SubmissionKind& kind = find_submission(submission);
  as_graph_ = kind.as_graph;
  const Enqueue enqueue = [kernels, spin](Launcher& launcher) {
    // What some submissions need in order to carry it: an intermediate, and a second, empty, lane.
    static_cast<void>(launcher.intermediate<float>(nullptr, 1));
    launcher.begin_lane(0);
    if (spin.count() > 0) {
      profiling::enqueue_spinning(launcher, kernels, spin);
    } else {
      profiling::enqueue_empty(launcher, kernels);
    }
    launcher.begin_lane(1);
  };
  // The first run loads the kernel, which a capture must not meet.
  StreamLauncher launcher(stream);
  enqueue(launcher);
  synchronize();
  submission_ = kind.make(enqueue, stream, 1);
}

void Reference::synchronize() {
  GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for " + name_);
}

double Reference::expected_us() const {
  return 8 + (2.0 + static_cast<double>(spin_.count())) * kernels_;
}

std::string reference_name(std::string_view submission, int kernels, std::chrono::microseconds spin) {
  const std::string kind = spin.count() > 0 ? fmt::format("spin{}us", spin.count()) : "empty";
  return fmt::format("{}/{}/kernels:{}", kind, submission, kernels);
}

std::vector<std::unique_ptr<Reference>> make_references(const Device& device, cudaStream_t stream) {
  std::vector<std::unique_ptr<Reference>> references;
  for (const SubmissionKind& kind : submissions()) {
    if (!kind.not_applicable(device, cuda_versions().driver).empty()) continue;
    references.push_back(std::make_unique<Reference>(kind.name, 1, stream));
    if (!kind.as_graph) references.push_back(std::make_unique<Reference>(kind.name, train_kernels, stream));
  }
  return references;
}

}  // namespace gvf::study
