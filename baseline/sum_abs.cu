// sum_abs in separate kernels: every stage reads its input from global memory and writes its output there.
#include "pipelines/sum_abs.hpp"

#include "core/programmatic.cuh"
#include "pipelines/elementwise.cuh"
#include "pipelines/grid_reduce.cuh"

namespace gvf {
namespace {

// Stage 1: y = |x|. Reads 4n bytes, writes 4n.
template <Load load>
__global__ void __launch_bounds__(map_threads) map_kernel(const float* x, float* y, std::int64_t n) {
  begin_dependent_kernel();
  map_vector<load>(x, y, n, std::int64_t{blockIdx.x} * map_threads + threadIdx.x, AbsoluteValue{});
}

// Stage 2: the sum of y. Reads 4n bytes.
template <int unroll>
__global__ void __launch_bounds__(reduce_threads)
    reduce_kernel(const float* y, std::int64_t n, float* partials, unsigned* arrivals, float* output,
                  SlicePart part) {
  begin_dependent_kernel();
  const float sum = thread_sum<unroll>(y, n, [](float value) { return value; });
  grid_sum(sum, partials, arrivals, output, part);
}

// Runs the two stages over each slice in turn. One slice: `separate`. Many: `blocked`, whose slices all write
// |x| to the same place, so that it stays in L2 and is overwritten there before it is ever written back; x
// only streams through.
class TwoKernels final : public Program {
 public:
  TwoKernels(Workload& workload, int slices)
      : buffers_(SumAbs::buffers(workload)), n_(workload.problem().n), slices_(slices) {
    const std::int64_t largest = largest_slice(n_, slices_);
    const int unroll = reduce_unroll(largest, workload.device().sm_count);
    reduce_ = unroll == 2 ? reduce_kernel<2> : reduce_kernel<4>;
    const int resident =
        resident_blocks(workload.device(), reinterpret_cast<const void*>(reduce_), reduce_threads);
    reduce_config_ = reduce_config(largest, unroll, resident);
  }

  void enqueue(Launcher& launcher) override {
    float* const intermediate =
        launcher.intermediate(buffers_.intermediate, static_cast<std::size_t>(largest_slice(n_, slices_)));
    for (int i = 0; i < slices_; ++i) {
      const Slice slice = slice_of(n_, slices_, i);
      launcher.launch(slices_ > 1 ? map_kernel<Load::streaming> : map_kernel<Load::normal>,
                      map_config(slice.size), buffers_.input + slice.begin, intermediate, slice.size);
      launcher.launch(reduce_, reduce_config_, intermediate, slice.size, buffers_.partials, buffers_.arrivals,
                      buffers_.output, SlicePart{i == 0, i + 1 == slices_});
    }
  }

 private:
  SumAbs::Buffers buffers_;
  std::int64_t n_;
  int slices_;
  decltype(&reduce_kernel<4>) reduce_ = nullptr;
  LaunchConfig reduce_config_;
};

}  // namespace

Implementations SumAbs::baseline() {
  return {
      {Structure::separate, make_program<TwoKernels>},
      {Structure::blocked, make_program<TwoKernels>},
  };
}

}  // namespace gvf
