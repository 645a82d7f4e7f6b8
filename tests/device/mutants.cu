// The kernels of mutants.hpp.
#include "tests/device/mutants.hpp"

#include <cooperative_groups.h>

#include "core/programmatic.cuh"
#include "pipelines/chain.hpp"
#include "pipelines/elementwise.cuh"
#include "pipelines/grid_reduce.cuh"
#include "pipelines/sum_abs.hpp"

namespace gvf::tests {
namespace {

__device__ unsigned long long now_ns() {
  unsigned long long ns = 0;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

__device__ void spin_us(unsigned long long us) {
  const unsigned long long start = now_ns();
  while (now_ns() - start < us * 1000) {
  }
}

// The fused sum, of `n` elements, or of those and the first tile once more.
__global__ void __launch_bounds__(reduce_threads)
    sum_kernel(const float* x, std::int64_t n, float* partials, unsigned* arrivals, float* output,
               bool first_tile_twice) {
  float sum = thread_sum<4>(x, n, AbsoluteValue{});
  if (first_tile_twice && blockIdx.x == 0) {
    for (std::int64_t i = threadIdx.x; i < n && i < reduce_tile(4); i += reduce_threads) sum += fabsf(x[i]);
  }
  grid_sum(sum, partials, arrivals, output, SlicePart{});
}

// persistent, with blocks that come late to the first phase.
template <bool barrier>
__global__ void __launch_bounds__(reduce_threads)
    delayed_kernel(const float* x, float* y, std::int64_t n, float* partials, unsigned* arrivals,
                   float* output) {
  if (blockIdx.x % 2 == 1) spin_us(100);
  const std::int64_t grid_threads = std::int64_t{gridDim.x} * reduce_threads;
  for (std::int64_t v = std::int64_t{blockIdx.x} * reduce_threads + threadIdx.x; v < (n + 3) / 4;
       v += grid_threads) {
    map_vector(x, y, n, v, AbsoluteValue{});
  }
  if constexpr (barrier) cooperative_groups::this_grid().sync();
  const float sum = thread_sum<4>(y, n, [](float value) { return value; });
  grid_sum(sum, partials, arrivals, output, SlicePart{});
}

__global__ void zero_kernel(float* output) {
  *output = 0;
}

// A block adds its 1024 elements in a fixed order, and the blocks add up in no order at all.
__global__ void __launch_bounds__(map_threads) atomic_kernel(const float* x, std::int64_t n, float* output) {
  using BlockSum = cub::BlockReduce<float, map_threads>;
  __shared__ typename BlockSum::TempStorage storage;
  float sum = 0;
  for (int i = 0; i < 4; ++i) {
    const std::int64_t at = (std::int64_t{blockIdx.x} * 4 + i) * map_threads + threadIdx.x;
    if (at < n) sum += fabsf(x[at]);
  }
  sum = BlockSum(storage).Sum(sum);
  if (threadIdx.x == 0) atomicAdd(output, sum);
}

struct Steps {
  int k = 0;
  __device__ float operator()(float x) const {
    for (int i = 0; i < k; ++i) x = ChainStep{}(x);
    return x;
  }
};

__global__ void __launch_bounds__(map_threads) chain_kernel(const float* x, float* y, std::int64_t n, int k) {
  map_vector(x, y, n, std::int64_t{blockIdx.x} * map_threads + threadIdx.x, Steps{k});
}

// A step of chain of which every other block comes late, odd blocks and even ones in turn: under a
// programmatic edge a successor that does not wait reads in time what its predecessor has not written.
template <bool waits>
__global__ void __launch_bounds__(map_threads)
    late_step_kernel(const float* x, float* y, std::int64_t n, ChainStep step, int index) {
  if constexpr (waits) {
    begin_dependent_kernel();
  } else {
    let_successor_come_up();
  }
  if ((blockIdx.x + static_cast<unsigned>(index)) % 2 == 1) spin_us(20);
  map_vector(x, y, n, std::int64_t{blockIdx.x} * map_threads + threadIdx.x, step);
}

// A step that waits and never lets its successor come up early.
__global__ void __launch_bounds__(map_threads)
    untriggered_step_kernel(const float* x, float* y, std::int64_t n, ChainStep step, int /*index*/) {
  wait_for_predecessors();
  map_vector(x, y, n, std::int64_t{blockIdx.x} * map_threads + threadIdx.x, step);
}

// When it came up, before it waits, and when it ended, 20 us later: %globaltimer, ns.
template <bool triggers>
__global__ void stamp_kernel(unsigned long long* stamps) {
  const unsigned long long begin = now_ns();
  if constexpr (triggers) let_successor_come_up();
  wait_for_predecessors();
  spin_us(20);
  stamps[0] = begin;
  stamps[1] = now_ns();
}

__global__ void count_kernel(unsigned* count) {
  begin_dependent_kernel();
  *count += 1;
}

__global__ void idle_kernel() {}

// One iteration as a function, where a class would add nothing.
class FunctionProgram final : public Program {
 public:
  explicit FunctionProgram(std::function<void(Launcher&)> enqueue) : enqueue_(std::move(enqueue)) {}
  void enqueue(Launcher& launcher) override { enqueue_(launcher); }

 private:
  std::function<void(Launcher&)> enqueue_;
};

template <class Make>
Implementation implement(Structure structure, Make make) {
  return {structure, [make](Workload& workload, int slices) -> std::unique_ptr<Program> {
            return std::make_unique<FunctionProgram>(make(workload, slices));
          }};
}

LaunchConfig sum_config(Workload& workload, std::int64_t n) {
  const auto* kernel = reinterpret_cast<const void*>(&sum_kernel);
  return reduce_config(n, 4, resident_blocks(workload.device(), kernel, reduce_threads));
}

Implementation fused_sum(std::int64_t dropped, bool first_tile_twice) {
  return implement(Structure::fused, [=](Workload& workload, int) {
    const SumAbs::Buffers at = SumAbs::buffers(workload);
    const std::int64_t n = workload.problem().n;
    return [=, config = sum_config(workload, n)](Launcher& launcher) {
      launcher.launch(sum_kernel, config, at.input, n - dropped, at.partials, at.arrivals, at.output,
                      first_tile_twice);
    };
  });
}

template <bool barrier>
Implementation delayed() {
  return implement(Structure::persistent, [](Workload& workload, int) {
    const SumAbs::Buffers at = SumAbs::buffers(workload);
    const std::int64_t n = workload.problem().n;
    const auto* kernel = reinterpret_cast<const void*>(&delayed_kernel<barrier>);
    LaunchConfig config = reduce_config(n, 4, resident_blocks(workload.device(), kernel, reduce_threads));
    config.cooperative = true;
    return [=](Launcher& launcher) {
      launcher.launch(delayed_kernel<barrier>, config, at.input, at.intermediate, n, at.partials, at.arrivals,
                      at.output);
    };
  });
}

Implementation fused_chain(std::int64_t dropped, int skipped) {
  return implement(Structure::fused, [=](Workload& workload, int) {
    const Chain::Buffers at = Chain::buffers(workload);
    const Problem problem = workload.problem();
    return [=](Launcher& launcher) {
      launcher.launch(chain_kernel, map_config(problem.n), at.input, at.output, problem.n - dropped,
                      problem.k - skipped);
    };
  });
}

// chain/separate with another kernel.
Implementation separate_steps(void (*kernel)(const float*, float*, std::int64_t, ChainStep, int)) {
  return implement(Structure::separate, [kernel](Workload& workload, int) {
    const Chain::Buffers at = Chain::buffers(workload);
    const Problem problem = workload.problem();
    return [=](Launcher& launcher) {
      const float* from = at.input;
      for (int step = 0; step < problem.k; ++step) {
        float* to = (problem.k - step) % 2 == 1 ? at.output : at.intermediate;
        launcher.launch(kernel, map_config(problem.n), from, to, problem.n, ChainStep{}, step);
        from = to;
      }
    };
  });
}

}  // namespace

Implementation drops_last_element() {
  return fused_sum(1, false);
}

Implementation reads_a_tile_twice() {
  return fused_sum(0, true);
}

Implementation overwrites_partials() {
  return implement(Structure::sliced, [](Workload& workload, int slices) {
    const SumAbs::Buffers at = SumAbs::buffers(workload);
    const std::int64_t n = workload.problem().n;
    return [=, config = sum_config(workload, largest_slice(n, slices))](Launcher& launcher) {
      for (int i = 0; i < slices; ++i) {
        const Slice slice = slice_of(n, slices, i);
        launcher.launch(sum_kernel, config, at.input + slice.begin, slice.size, at.partials, at.arrivals,
                        at.output, false);
      }
    };
  });
}

Implementation forgets_the_barrier() {
  return delayed<false>();
}

Implementation keeps_the_barrier() {
  return delayed<true>();
}

Implementation adds_atomically() {
  return implement(Structure::fused, [](Workload& workload, int) {
    const SumAbs::Buffers at = SumAbs::buffers(workload);
    const std::int64_t n = workload.problem().n;
    return [=](Launcher& launcher) {
      launcher.launch(zero_kernel, LaunchConfig{}, at.output);
      launcher.launch(atomic_kernel, map_config(n), at.input, n, at.output);
    };
  });
}

Implementation forgets_to_wait() {
  return separate_steps(late_step_kernel<false>);
}

Implementation waits_for_late_blocks() {
  return separate_steps(late_step_kernel<true>);
}

Implementation never_triggers() {
  return separate_steps(untriggered_step_kernel);
}

Implementation skips_a_step() {
  return fused_chain(0, 1);
}

Implementation leaves_last_element() {
  return fused_chain(1, 0);
}

void launch_count(Launcher& launcher, unsigned* count) {
  launcher.launch(count_kernel, LaunchConfig{}, count);
}

void launch_stamps(Launcher& launcher, bool triggers, unsigned long long* stamps) {
  launcher.launch(triggers ? stamp_kernel<true> : stamp_kernel<false>, LaunchConfig{}, stamps);
}

void launch_idle(Launcher& launcher, const LaunchConfig& config) {
  launcher.launch(idle_kernel, config);
}

const void* idle_function() {
  return reinterpret_cast<const void*>(&idle_kernel);
}

}  // namespace gvf::tests
