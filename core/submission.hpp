// How one iteration of a pipeline reaches the GPU: prepared once, then submitted again and again.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>

#include "core/launcher.hpp"

namespace gvf {

// Enqueues one whole iteration; must be asynchronous and capture-safe.
using Enqueue = std::function<void(Launcher&)>;

class Submission {
 public:
  virtual ~Submission() = default;
  // Submits one iteration; returns before it has run.
  virtual void submit() = 0;
  // How many submitting calls the host makes for one iteration of `launches` launches.
  [[nodiscard]] virtual int host_submissions(int launches) const = 0;
};

// A launch call for every kernel, each iteration.
class StreamSubmission final : public Submission {
 public:
  StreamSubmission(Enqueue enqueue, cudaStream_t stream) : enqueue_(std::move(enqueue)), launcher_(stream) {}
  void submit() override { enqueue_(launcher_); }
  [[nodiscard]] int host_submissions(int launches) const override { return launches; }

 private:
  Enqueue enqueue_;
  StreamLauncher launcher_;
};

}  // namespace gvf
