// chain with its steps fused: an element goes through all k steps in a register.
#include "pipelines/chain.hpp"

#include <cooperative_groups.h>

#include <algorithm>
#include <cub/device/device_transform.cuh>

#include "core/programmatic.cuh"
#include "pipelines/elementwise.cuh"

namespace gvf {
namespace {

struct TwoVectors {
  float4 first;
  float4 second;
};

// k steps. The elements of vectors go through each step together: they are independent, so their latencies
// overlap. Eight steps at a time: a loop around every single one costs as many issue slots as the step.
struct AllSteps {
  ChainStep step;
  int k = 1;

  template <class Value>  // float, float4 or TwoVectors
  __device__ Value operator()(Value x) const {
    int remaining = k;
    for (; remaining >= 8; remaining -= 8) {
#pragma unroll
      for (int unrolled = 0; unrolled < 8; ++unrolled) x = apply(x);
    }
    for (; remaining > 0; --remaining) x = apply(x);
    return x;
  }

 private:
  __device__ float apply(float x) const {
    return step(x);
  }
  __device__ float4 apply(float4 v) const {
    return map4(step, v);
  }
  __device__ TwoVectors apply(TwoVectors v) const {
    return {apply(v.first), apply(v.second)};
  }
};

// All steps at once. Reads 4n bytes, writes 4n. Half the threads of a map over the same 4 KiB tile, each with
// two vectors: twice the arithmetic shares one loop. On an H200 with k = 16, 2^28 floats: 503 us, against 520
// with one vector a thread and 519 with two in a tile of 8 KiB.
constexpr int fused_threads = map_threads / 2;

__global__ void __launch_bounds__(fused_threads)
    fused_kernel(const float* x, float* y, std::int64_t n, AllSteps steps) {
  begin_dependent_kernel();
  const std::int64_t vector = std::int64_t{blockIdx.x} * map_threads + threadIdx.x;
  if (4 * (vector + fused_threads + 1) <= n) {
    const auto* from = reinterpret_cast<const float4*>(x) + vector;
    auto* to = reinterpret_cast<float4*>(y) + vector;
    const TwoVectors result = steps(TwoVectors{from[0], from[fused_threads]});
    to[0] = result.first;
    to[fused_threads] = result.second;
  } else {
    map_vector(x, y, n, vector, steps);
    map_vector(x, y, n, vector + fused_threads, steps);
  }
}

// The shape of a kernel with grid barriers: a barrier costs by the block (on an H200 1.2 us with one block an
// SM, 2.5 with eight), and a thread with two loads under way makes up for the threads that are not there.
// With k = 16, us a step at 2^20 and 2^22 floats: 2.3 and 5.9, against 3.5 and 7.0 with eight blocks of 256
// an SM and one vector at a time.
constexpr int persistent_threads = 512;
constexpr int persistent_blocks_an_sm = 2;

// The k steps of `separate`, with its direction, ping-pong and traffic, in one cooperative launch: a grid
// barrier stands where each kernel boundary stood. A resident grid strides over the vectors that separate
// gives to a block a tile, so a thread meets other vectors than there.
__global__ void __launch_bounds__(persistent_threads)
    persistent_kernel(const float* input, float* intermediate, float* output, std::int64_t n, ChainStep step,
                      int k) {
  begin_dependent_kernel();
  const auto grid = cooperative_groups::this_grid();
  const std::int64_t vectors = (n + 3) / 4;
  const std::int64_t full_vectors = n / 4;
  const std::int64_t grid_threads = std::int64_t{gridDim.x} * persistent_threads;
  const float* from = input;
  for (int i = 0; i < k; ++i) {
    float* to = (k - i) % 2 == 1 ? output : intermediate;
    std::int64_t v = std::int64_t{blockIdx.x} * persistent_threads + threadIdx.x;
    for (; v + grid_threads < full_vectors; v += 2 * grid_threads) {
      const auto* in = reinterpret_cast<const float4*>(from) + v;
      auto* out = reinterpret_cast<float4*>(to) + v;
      const TwoVectors x{in[0], in[grid_threads]};
      out[0] = map4(step, x.first);
      out[grid_threads] = map4(step, x.second);
    }
    for (; v < vectors; v += grid_threads) map_vector(from, to, n, v, step);
    if (i + 1 < k) grid.sync();
    from = to;
  }
}

// One slice: `fused`. K slices: `sliced`, as many launches as `separate` and none of its trips.
class FusedSlices final : public Program {
 public:
  FusedSlices(Workload& workload, int slices)
      : buffers_(Chain::buffers(workload)), problem_(workload.problem()), slices_(slices) {}

  void enqueue(Launcher& launcher) override {
    for (int i = 0; i < slices_; ++i) {
      const Slice slice = slice_of(problem_.n, slices_, i);
      launcher.begin_lane(i);  // no slice reads what another one wrote
      LaunchConfig config = map_config(slice.size);
      config.block = dim3(fused_threads);
      launcher.launch(fused_kernel, config, buffers_.input + slice.begin, buffers_.output + slice.begin,
                      slice.size, AllSteps{ChainStep{}, problem_.k});
    }
  }

 private:
  Chain::Buffers buffers_;
  Problem problem_;
  int slices_;
};

class Persistent final : public Program {
 public:
  Persistent(Workload& workload, int /*slices*/)
      : buffers_(Chain::buffers(workload)), problem_(workload.problem()) {
    const auto* kernel = reinterpret_cast<const void*>(&persistent_kernel);
    const Device& device = workload.device();
    const int an_sm =
        std::min(persistent_blocks_an_sm, resident_blocks_per_sm(device, kernel, persistent_threads));
    const std::int64_t resident = std::int64_t{an_sm} * device.sm_count;
    const std::int64_t needed = (problem_.n + 4 * persistent_threads - 1) / (4 * persistent_threads);
    config_.grid = dim3(static_cast<unsigned>(std::min(needed, resident)));
    config_.block = dim3(persistent_threads);
    config_.cooperative = true;
  }

  void enqueue(Launcher& launcher) override {
    float* const intermediate =
        launcher.intermediate(buffers_.intermediate, static_cast<std::size_t>(problem_.n));
    launcher.launch(persistent_kernel, config_, buffers_.input, intermediate, buffers_.output, problem_.n,
                    ChainStep{}, problem_.k);
  }

 private:
  Chain::Buffers buffers_;
  Problem problem_;
  LaunchConfig config_;
};

// Fusion without writing a kernel: CUB applies the composed function.
class Library final : public Program {
 public:
  Library(Workload& workload, int /*slices*/)
      : buffers_(Chain::buffers(workload)), problem_(workload.problem()) {}

  void enqueue(Launcher& launcher) override {
    launcher.library("cub::DeviceTransform::Transform", [this](cudaStream_t stream) {
      return cub::DeviceTransform::Transform(buffers_.input, buffers_.output, problem_.n,
                                             AllSteps{ChainStep{}, problem_.k}, stream);
    });
  }

 private:
  Chain::Buffers buffers_;
  Problem problem_;
};

}  // namespace

Implementations Chain::fused() {
  return {
      {Structure::fused, make_program<FusedSlices>},
      {Structure::sliced, make_program<FusedSlices>},
      {Structure::persistent, make_program<Persistent>, needs_cooperative_launch},
      {Structure::library, make_program<Library>},
  };
}

}  // namespace gvf
