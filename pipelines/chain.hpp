// chain: k elementwise maps in a row over n floats, k = 1..64.
//
// The pipeline in which fusion can save most: fused it reads and writes n floats once, separate k times. A
// step is one FFMA and one FMUL. The rounding intrinsics keep the compiler from collapsing steps into each
// other, so that fusing removes trips through memory and no arithmetic.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "pipelines/input.hpp"
#include "pipelines/pipeline.hpp"
#include "pipelines/slicing.hpp"

namespace gvf {

// One stage: (x * scale + offset) * gain, each operation rounded. scale * gain = 1 - 2^-14, so 64 steps
// neither forget the input nor blow it up; a NaN in is a NaN out.
struct ChainStep {
  float scale = 1.0078125f;   // 1 + 2^-7
  float offset = 0.0078125f;  // 2^-7
  float gain = 0.9921875f;    // 1 - 2^-7

  __host__ __device__ float operator()(float x) const {
#ifdef __CUDA_ARCH__
    return __fmul_rn(__fmaf_rn(x, scale, offset), gain);
#else
    return std::fma(x, scale, offset) * gain;
#endif
  }
};

struct Chain {
  static constexpr std::string_view name = "chain";
  static constexpr std::string_view summary = "k elementwise maps (FFMA, FMUL) over n floats";
  static constexpr bool has_k = true;
  static constexpr int default_k = 16;
  static constexpr int max_k = 64;
  static constexpr std::int64_t max_n = std::int64_t{1} << 31;

  // Where one iteration reads and writes. Device pointers; null when only launches are recorded. Steps
  // alternate between intermediate and output so that the last one lands in output.
  struct Buffers {
    const float* input = nullptr;   // n
    float* intermediate = nullptr;  // n; blocked reuses its first slice
    float* output = nullptr;        // n
  };

  static Implementations baseline();  // separate, blocked: baseline/chain.cu
  static Implementations fused();     // fused, sliced, persistent, library: fused/chain.cu

  static std::unique_ptr<Workload> make_workload(const Problem& problem, const Device& device,
                                                 Backing backing);
  static Buffers buffers(Workload& workload);

  static constexpr std::int64_t bytes_min(const Problem& problem) { return 8 * problem.n; }

  static constexpr ByteModel byte_model(Structure structure, const Problem& problem) {
    const std::int64_t once = 4 * problem.n;
    const std::int64_t k = problem.k;
    const int slices = problem.slices > 0 ? problem.slices : 1;
    switch (structure) {
      case Structure::separate:
        return {{KernelTraffic{"step", problem.k, k * once, k * once, 2 * (k - 1) * once}, {}}, 1};
      case Structure::blocked:
        return {{KernelTraffic{"step", slices * problem.k, k * once, k * once, 2 * (k - 1) * once}, {}}, 1};
      case Structure::persistent:
        return {{KernelTraffic{"persistent", 1, k * once, k * once, 2 * (k - 1) * once}, {}}, 1};
      case Structure::sliced:
        return {{KernelTraffic{"fused", slices, once, once, 0}, {}}, 1};
      case Structure::fused:
        return {{KernelTraffic{"fused", 1, once, once, 0}, {}}, 1};
      case Structure::library:
        return {{KernelTraffic{"library", 1, once, once, 0}, {}}, 1};
    }
    return {};
  }

  // sliced: as many launches as separate has kernels. blocked: slices whose two ping-pong buffers stay in L2.
  static constexpr int slices(Structure structure, const Problem& problem, const Device& device) {
    if (structure != Structure::sliced && structure != Structure::blocked) return 1;
    if (problem.slices > 0) return problem.slices;
    return structure == Structure::sliced ? problem.k : slices_within_l2(8 * problem.n, device.l2_bytes);
  }

  static constexpr double waves_per_slice(const Problem& problem, int slices, const Device& device) {
    return static_cast<double>(problem.n) / slices / (4.0 * device.max_threads_per_sm * device.sm_count);
  }

  static constexpr std::int64_t device_bytes(const Problem& problem) { return 12 * problem.n; }

  // One element through k steps. `exact` repeats every rounding in binary32; `real` uses double throughout;
  // `bound` is the derived distance between them: each step's two roundings err by at most u times the
  // largest magnitude met, and the step does not expand (|scale * gain| < 1), so errors only add.
  struct Reference {
    float exact = 0;
    double real = 0;
    double bound = 0;
  };
  static Reference reference(float x, int k);
};

}  // namespace gvf
