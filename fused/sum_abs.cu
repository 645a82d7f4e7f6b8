// sum_abs with its stages fused: one kernel reads x once and the absolute values never leave registers.
#include "pipelines/sum_abs.hpp"

#include <cooperative_groups.h>

#include <cub/device/device_reduce.cuh>

#include "core/handles.hpp"
#include "core/programmatic.cuh"
#include "pipelines/elementwise.cuh"
#include "pipelines/grid_reduce.cuh"

namespace gvf {
namespace {

// Both stages at once: the separate reduce with |x| applied to what it loads. Reads 4n bytes.
template <int unroll>
__global__ void __launch_bounds__(reduce_threads)
    fused_kernel(const float* __restrict__ x, std::int64_t n, float* partials, unsigned* arrivals,
                 float* output, SlicePart part) {
  begin_dependent_kernel();
  const float sum = thread_sum<unroll>(x, n, AbsoluteValue{});
  grid_sum(sum, partials, arrivals, output, part);
}

// Both stages of `separate`, with its direction and all of its traffic, in one cooperative launch. The grid
// barrier stands where the kernel boundary stood: the reduce reads what other blocks have written. A resident
// grid strides over the vectors that separate's map gives to a block a tile.
template <int unroll>
__global__ void __launch_bounds__(reduce_threads)
    persistent_kernel(const float* x, float* y, std::int64_t n, float* partials, unsigned* arrivals,
                      float* output) {
  begin_dependent_kernel();
  const std::int64_t vectors = (n + 3) / 4;
  const std::int64_t grid_threads = std::int64_t{gridDim.x} * reduce_threads;
  for (std::int64_t v = std::int64_t{blockIdx.x} * reduce_threads + threadIdx.x; v < vectors;
       v += grid_threads) {
    map_vector(x, y, n, v, AbsoluteValue{});
  }
  cooperative_groups::this_grid().sync();
  const float sum = thread_sum<unroll>(y, n, [](float value) { return value; });
  grid_sum(sum, partials, arrivals, output, SlicePart{});
}

// One slice: `fused`. K slices: `sliced`, as many launches as `separate` and none of its trips.
class FusedSlices final : public Program {
 public:
  FusedSlices(Workload& workload, int slices)
      : buffers_(SumAbs::buffers(workload)), n_(workload.problem().n), slices_(slices) {
    const std::int64_t largest = largest_slice(n_, slices_);
    const int unroll = reduce_unroll(largest, workload.device().sm_count);
    kernel_ = unroll == 2 ? fused_kernel<2> : fused_kernel<4>;
    const int resident =
        resident_blocks(workload.device(), reinterpret_cast<const void*>(kernel_), reduce_threads);
    config_ = reduce_config(largest, unroll, resident);
  }

  void enqueue(Launcher& launcher) override {
    for (int i = 0; i < slices_; ++i) {
      const Slice slice = slice_of(n_, slices_, i);
      launcher.launch(kernel_, config_, buffers_.input + slice.begin, slice.size, buffers_.partials,
                      buffers_.arrivals, buffers_.output, SlicePart{i == 0, i + 1 == slices_});
    }
  }

 private:
  SumAbs::Buffers buffers_;
  std::int64_t n_;
  int slices_;
  decltype(&fused_kernel<4>) kernel_ = nullptr;
  LaunchConfig config_;
};

class Persistent final : public Program {
 public:
  Persistent(Workload& workload, int /*slices*/)
      : buffers_(SumAbs::buffers(workload)), n_(workload.problem().n) {
    const int unroll = reduce_unroll(n_, workload.device().sm_count);
    kernel_ = unroll == 2 ? persistent_kernel<2> : persistent_kernel<4>;
    const int resident =
        resident_blocks(workload.device(), reinterpret_cast<const void*>(kernel_), reduce_threads);
    config_ = reduce_config(n_, unroll, resident);
    config_.cooperative = true;
  }

  void enqueue(Launcher& launcher) override {
    float* const intermediate = launcher.intermediate(buffers_.intermediate, static_cast<std::size_t>(n_));
    launcher.launch(kernel_, config_, buffers_.input, intermediate, n_, buffers_.partials, buffers_.arrivals,
                    buffers_.output);
  }

 private:
  SumAbs::Buffers buffers_;
  std::int64_t n_;
  decltype(&persistent_kernel<4>) kernel_ = nullptr;
  LaunchConfig config_;
};

// Fusion without writing a kernel: CUB applies |x| as it loads.
class Library final : public Program {
 public:
  Library(Workload& workload, int /*slices*/)
      : buffers_(SumAbs::buffers(workload)), n_(workload.problem().n) {}

  void prepare() override {
    std::size_t bytes = 0;
    GVF_CUDA(transform_reduce(nullptr, bytes, nullptr), "sizing the temporary storage of cub::DeviceReduce");
    scratch_ = DeviceBuffer<std::byte>(bytes);
  }

  void enqueue(Launcher& launcher) override {
    launcher.library("cub::DeviceReduce::TransformReduce", [this](cudaStream_t stream) {
      std::size_t bytes = scratch_.size();
      return transform_reduce(scratch_.data(), bytes, stream);
    });
  }

 private:
  cudaError_t transform_reduce(void* scratch, std::size_t& bytes, cudaStream_t stream) const {
    return cub::DeviceReduce::TransformReduce(scratch, bytes, buffers_.input, buffers_.output, n_,
                                              cuda::std::plus<>{}, AbsoluteValue{}, 0.0f, stream);
  }

  SumAbs::Buffers buffers_;
  std::int64_t n_;
  DeviceBuffer<std::byte> scratch_;
};

}  // namespace

Implementations SumAbs::fused() {
  return {
      {Structure::fused, make_program<FusedSlices>},
      {Structure::sliced, make_program<FusedSlices>},
      {Structure::persistent, make_program<Persistent>, needs_cooperative_launch},
      {Structure::library, make_program<Library>},
  };
}

}  // namespace gvf
