// How one iteration of a pipeline reaches the GPU: prepared once, then submitted again and again.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/launcher.hpp"

namespace gvf {

// Enqueues one whole iteration; must be asynchronous and capture-safe.
using Enqueue = std::function<void(Launcher&)>;

// A submission that cannot carry this iteration, or a chip that does not know it: what() is the reason, which
// people read in the place of a figure. Not a failure.
class NotApplicable : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

class Submission {
 public:
  virtual ~Submission() = default;
  // Submits iterations() iterations; returns before they have run.
  virtual void submit() = 0;
  // How many submitting calls the host makes for one iteration of `launches` launches.
  [[nodiscard]] virtual int host_submissions(int launches) const = 0;
  // How many iterations one submit() carries.
  [[nodiscard]] virtual int iterations() const { return 1; }
};

// A launch call for every kernel, each iteration.
class StreamSubmission final : public Submission {
 public:
  StreamSubmission(Enqueue enqueue, cudaStream_t stream, Edge edge = Edge::full)
      : enqueue_(std::move(enqueue)), launcher_(stream, edge) {}
  void submit() override { enqueue_(launcher_); }
  [[nodiscard]] int host_submissions(int launches) const override { return launches; }

 private:
  Enqueue enqueue_;
  StreamLauncher launcher_;
};

}  // namespace gvf
