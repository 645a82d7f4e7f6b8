// A variant ready to run: a structure of a pipeline, bound to buffers, under a submission.
#pragma once

#include <cuda_runtime_api.h>

#include <memory>
#include <string>

#include "core/submission.hpp"
#include "study/catalog.hpp"
#include "study/measure/runnable.hpp"

namespace gvf::study {

class Variant final : public Runnable {
 public:
  // Does every one-off thing: temporary storage, a first run that loads the kernels, capture and
  // instantiation. Afterwards submit() allocates and loads nothing. Throws NotApplicable where this
  // submission cannot carry the structure, CudaError.
  Variant(const Pipeline& pipeline, Structure structure, const SubmissionKind& submission, Workload& workload,
          const Problem& problem, cudaStream_t stream);

  void submit() override { submission_->submit(); }
  void synchronize() override;

  [[nodiscard]] const Pipeline& pipeline() const noexcept { return *pipeline_; }
  [[nodiscard]] Structure structure() const noexcept { return structure_; }
  [[nodiscard]] const SubmissionKind& kind() const noexcept { return *kind_; }
  [[nodiscard]] Workload& workload() const noexcept { return *workload_; }
  [[nodiscard]] const Problem& problem() const noexcept { return problem_; }  // as asked for
  [[nodiscard]] int slices() const noexcept { return slices_; }
  [[nodiscard]] int kernels() const noexcept { return kernels_; }  // nodes of one iteration, memsets included
  [[nodiscard]] int host_submissions() const override { return submission_->host_submissions(kernels_); }
  [[nodiscard]] int iterations() const override { return submission_->iterations(); }
  [[nodiscard]] cudaStream_t stream() const noexcept override { return stream_; }
  [[nodiscard]] ByteModel byte_model() const;
  [[nodiscard]] bool as_graph() const noexcept override { return kind_->as_graph; }
  [[nodiscard]] std::string name() const override;  // "sum_abs/fused/graph/n:1024"

  // What bytes and launches let expect for one submission, µs; for planning only, never a result.
  [[nodiscard]] double expected_us() const override;

 private:
  const Pipeline* pipeline_;
  Structure structure_;
  const SubmissionKind* kind_;
  Workload* workload_;
  Problem problem_;
  cudaStream_t stream_;
  int slices_ = 1;
  int kernels_ = 0;
  std::unique_ptr<Program> program_;
  std::unique_ptr<Submission> submission_;
};

// Planning without a variant at hand: 2 us a launch and the bytes at three quarters of the promised
// bandwidth.
[[nodiscard]] double expected_us(const ByteModel& model, const Device& device);

}  // namespace gvf::study
