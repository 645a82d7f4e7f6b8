// The host side of sum_abs: buffers, reference and verdict.
#include "pipelines/sum_abs.hpp"

#include <mutex>
#include <vector>

#include "core/handles.hpp"
#include "pipelines/verdict.hpp"

namespace gvf {
namespace {

constexpr std::size_t max_partials = 1 << 16;  // more blocks than any reducing grid has

class SumAbsWorkload final : public Workload {
 public:
  SumAbsWorkload(const Problem& problem, const Device& device, Backing backing)
      : problem_(problem), device_(device) {
    if (backing == Backing::none) return;
    const auto n = static_cast<std::size_t>(problem.n);
    input_ = DeviceBuffer<float>(n);
    intermediate_ = DeviceBuffer<float>(n);
    output_ = DeviceBuffer<float>(1);
    partials_ = DeviceBuffer<float>(max_partials);
    arrivals_ = DeviceBuffer<unsigned>(1);
    GVF_CUDA(cudaMemset(arrivals_.data(), 0, arrivals_.bytes()), "clearing the arrival counter");
  }

  void fill(InputKind kind, std::uint64_t seed) override {
    std::vector<float> host(static_cast<std::size_t>(problem_.n));
    generate_input(host, kind, seed);
    kind_ = kind;
    reference_ = SumAbs::reference(host);
    GVF_CUDA(cudaMemcpy(input_.data(), host.data(), input_.bytes(), cudaMemcpyHostToDevice),
             "copying an input to the device");
  }

  void poison() override {
    // All bits set is a NaN.
    GVF_CUDA(cudaMemset(intermediate_.data(), 0xff, intermediate_.bytes()), "poisoning the intermediate");
    GVF_CUDA(cudaMemset(partials_.data(), 0xff, partials_.bytes()), "poisoning the partial sums");
    GVF_CUDA(cudaMemset(output_.data(), 0xff, output_.bytes()), "poisoning the output");
    GVF_CUDA(cudaDeviceSynchronize(), "waiting for the poison");
  }

  Verdict verify(int slices) override {
    const float result = output();
    const double bound =
        kind_ == InputKind::integers
            ? 0
            : gamma_bound(SumAbs::summation_depth(problem_, device_.sm_count, slices)) * reference_;
    return judge_sum(result, reference_, bound);
  }

  std::uint64_t output_fingerprint() override {
    const float result = output();
    return fingerprint({&result, 1});
  }

  [[nodiscard]] const Problem& problem() const noexcept override { return problem_; }
  [[nodiscard]] const Device& device() const noexcept override { return device_; }
  [[nodiscard]] SumAbs::Buffers buffers() const noexcept {
    return {input_.data(), intermediate_.data(), output_.data(), partials_.data(), arrivals_.data()};
  }

 private:
  [[nodiscard]] float output() const {
    float result = 0;
    GVF_CUDA(cudaMemcpy(&result, output_.data(), sizeof result, cudaMemcpyDeviceToHost),
             "reading the output");
    return result;
  }

  Problem problem_;
  Device device_;
  DeviceBuffer<float> input_;
  DeviceBuffer<float> intermediate_;
  DeviceBuffer<float> output_;
  DeviceBuffer<float> partials_;
  DeviceBuffer<unsigned> arrivals_;
  InputKind kind_ = InputKind::reals;
  double reference_ = 0;
};

}  // namespace

std::unique_ptr<Workload> SumAbs::make_workload(const Problem& problem, const Device& device,
                                                Backing backing) {
  return std::make_unique<SumAbsWorkload>(problem, device, backing);
}

SumAbs::Buffers SumAbs::buffers(Workload& workload) {
  return dynamic_cast<SumAbsWorkload&>(workload).buffers();
}

std::int64_t SumAbs::device_bytes(const Problem& problem) {
  return 8 * problem.n + static_cast<std::int64_t>(max_partials * sizeof(float)) + 8;
}

double SumAbs::reference(std::span<const float> input) {
  double total = 0;
  std::mutex guard;
  parallel_ranges(static_cast<std::int64_t>(input.size()), [&](std::int64_t begin, std::int64_t end) {
    double sum = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const double value = input[static_cast<std::size_t>(i)];
      sum += value < 0 ? -value : value;
    }
    const std::scoped_lock lock(guard);
    total += sum;
  });
  return total;
}

}  // namespace gvf
