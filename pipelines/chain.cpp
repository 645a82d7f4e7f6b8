// The host side of chain: buffers, reference and verdict.
#include "pipelines/chain.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <mutex>
#include <vector>

#include "core/handles.hpp"
#include "pipelines/verdict.hpp"

namespace gvf {
namespace {

class ChainWorkload final : public Workload {
 public:
  ChainWorkload(const Problem& problem, const Device& device, Backing backing)
      : problem_(problem), device_(device) {
    if (backing == Backing::none) return;
    const auto n = static_cast<std::size_t>(problem.n);
    input_ = DeviceBuffer<float>(n);
    intermediate_ = DeviceBuffer<float>(n);
    output_ = DeviceBuffer<float>(n);
  }

  void fill(InputKind kind, std::uint64_t seed) override {
    expected_.resize(static_cast<std::size_t>(problem_.n));
    generate_input(expected_, kind, seed);
    GVF_CUDA(cudaMemcpy(input_.data(), expected_.data(), input_.bytes(), cudaMemcpyHostToDevice),
             "copying an input to the device");
    has_reference_ = false;  // made when first asked for: timing needs an input, not an answer
  }

  void poison() override {
    // All bits set is a NaN.
    GVF_CUDA(cudaMemset(intermediate_.data(), 0xff, intermediate_.bytes()), "poisoning the intermediate");
    GVF_CUDA(cudaMemset(output_.data(), 0xff, output_.bytes()), "poisoning the output");
    GVF_CUDA(cudaDeviceSynchronize(), "waiting for the poison");
  }

  Verdict verify(int /*slices do not change a bit*/) override {
    if (!has_reference_) replace_by_reference();
    read_output();
    if (excess_ > 0) {
      return {false, excess_, 0, "the binary32 reference leaves the bound around the double reference"};
    }
    return judge_bits(result_, expected_);
  }

  std::uint64_t output_fingerprint() override {
    read_output();
    return fingerprint(result_);
  }

  [[nodiscard]] const Problem& problem() const noexcept override { return problem_; }
  [[nodiscard]] const Device& device() const noexcept override { return device_; }
  [[nodiscard]] Chain::Buffers buffers() const noexcept {
    return {input_.data(), intermediate_.data(), output_.data()};
  }

 private:
  void read_output() {
    result_.resize(expected_.size());
    GVF_CUDA(cudaMemcpy(result_.data(), output_.data(), output_.bytes(), cudaMemcpyDeviceToHost),
             "reading the output");
  }

  void replace_by_reference() {
    std::mutex guard;
    has_reference_ = true;
    excess_ = 0;
    parallel_ranges(problem_.n, [&](std::int64_t begin, std::int64_t end) {
      double worst = 0;
      for (std::int64_t i = begin; i < end; ++i) {
        float& value = expected_[static_cast<std::size_t>(i)];
        const Chain::Reference reference = Chain::reference(value, problem_.k);
        value = reference.exact;
        worst = std::max(worst,
                         std::abs(static_cast<double>(reference.exact) - reference.real) - reference.bound);
      }
      const std::scoped_lock lock(guard);
      excess_ = std::max(excess_, worst);
    });
  }

  Problem problem_;
  Device device_;
  DeviceBuffer<float> input_;
  DeviceBuffer<float> intermediate_;
  DeviceBuffer<float> output_;
  std::vector<float> expected_;  // the input until the reference replaces it
  bool has_reference_ = false;
  std::vector<float> result_;  // kept: a fresh gigabyte costs more to fault in than to fill
  double excess_ = 0;          // how far the binary32 reference lies outside its bound; 0 when inside
};

}  // namespace

std::unique_ptr<Workload> Chain::make_workload(const Problem& problem, const Device& device,
                                               Backing backing) {
  return std::make_unique<ChainWorkload>(problem, device, backing);
}

Chain::Buffers Chain::buffers(Workload& workload) {
  return dynamic_cast<ChainWorkload&>(workload).buffers();
}

Chain::Reference Chain::reference(float x, int k) {
  // The constants once more, as numbers: this path shares nothing with ChainStep.
  constexpr double scale = 1.0078125;
  constexpr double offset = 0.0078125;
  constexpr double gain = 0.9921875;
  Reference reference{x, x, 0};
  double largest = 0;
  for (int step = 0; step < k; ++step) {
    const float scaled = std::fma(reference.exact, static_cast<float>(scale), static_cast<float>(offset));
    reference.exact = scaled * static_cast<float>(gain);
    const double real_scaled = reference.real * scale + offset;
    reference.real = real_scaled * gain;
    largest = std::max({largest, std::abs(real_scaled), std::abs(reference.real)});
  }
  reference.bound = gamma_bound(2.0 * k) * largest;
  return reference;
}

}  // namespace gvf
