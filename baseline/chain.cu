// chain in separate kernels: each of the k steps reads n floats from global memory and writes n floats back.
#include "pipelines/chain.hpp"

#include "core/programmatic.cuh"
#include "pipelines/elementwise.cuh"

namespace gvf {
namespace {

// One step. Reads 4n bytes, writes 4n.
__global__ void __launch_bounds__(map_threads)
    step_kernel(const float* x, float* y, std::int64_t n, ChainStep step) {
  begin_dependent_kernel();
  map_vector(x, y, n, std::int64_t{blockIdx.x} * map_threads + threadIdx.x, step);
}

// Runs the k steps over each slice in turn. One slice: `separate`. Many: `blocked`, whose slices all use the
// same piece of the intermediate, so that only a slice's last write has to reach DRAM.
class StepKernels final : public Program {
 public:
  StepKernels(Workload& workload, int slices)
      : buffers_(Chain::buffers(workload)), problem_(workload.problem()), slices_(slices) {}

  void enqueue(Launcher& launcher) override {
    float* const intermediate = launcher.intermediate(
        buffers_.intermediate, static_cast<std::size_t>(largest_slice(problem_.n, slices_)));
    for (int i = 0; i < slices_; ++i) {
      const Slice slice = slice_of(problem_.n, slices_, i);
      const LaunchConfig config = map_config(slice.size);
      const float* from = buffers_.input + slice.begin;
      for (int step = 0; step < problem_.k; ++step) {
        const bool to_output = (problem_.k - step) % 2 == 1;
        float* to = to_output ? buffers_.output + slice.begin : intermediate;
        launcher.launch(step_kernel, config, from, to, slice.size, ChainStep{});
        from = to;
      }
    }
  }

 private:
  Chain::Buffers buffers_;
  Problem problem_;
  int slices_;
};

}  // namespace

Implementations Chain::baseline() {
  return {
      {Structure::separate, make_program<StepKernels>},
      {Structure::blocked, make_program<StepKernels>},
  };
}

}  // namespace gvf
