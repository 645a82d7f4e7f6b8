// Reference workloads: empty kernels under every kind of submission. A pass visits them in turn with the rows
// that they explain, so that what launches and the instrument cost is known where and when it was paid.
#pragma once

#include <chrono>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/submission.hpp"
#include "study/measure/runnable.hpp"

namespace gvf::study {

class Reference final : public Runnable {
 public:
  // `kernels` empty kernels an iteration, under the submission of this name; ones that spin where a duration
  // is given; one iteration a launch. Throws CudaError.
  Reference(std::string_view submission, int kernels, cudaStream_t stream,
            std::chrono::microseconds spin = {});

  void submit() override { submission_->submit(); }
  void synchronize() override;
  [[nodiscard]] cudaStream_t stream() const noexcept override { return stream_; }
  [[nodiscard]] int host_submissions() const override { return submission_->host_submissions(kernels_); }
  [[nodiscard]] bool as_graph() const noexcept override { return as_graph_; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double expected_us() const override;

 private:
  std::string name_;
  int kernels_;
  std::chrono::microseconds spin_;
  bool as_graph_;
  cudaStream_t stream_;
  std::unique_ptr<Submission> submission_;
};

// "empty/graph/kernels:1", "spin33us/stream/kernels:32"
[[nodiscard]] std::string reference_name(std::string_view submission, int kernels,
                                         std::chrono::microseconds spin = {});

// As many launches as a small pipeline has: the train that times the calls.
inline constexpr int train_kernels = 16;

// Those that every pass visits: one kernel under each submission, and a train where each kernel has its own
// call. A submission that joins the catalog has its constants measured by that alone.
[[nodiscard]] std::vector<std::unique_ptr<Reference>> make_references(const Device& device,
                                                                      cudaStream_t stream);

}  // namespace gvf::study
