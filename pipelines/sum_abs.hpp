// sum_abs: the sum of the absolute values of n floats. Two stages: map |x|, then reduce.
//
// The smallest pipeline with an intermediate: fused it reads n floats and writes one; separate it also writes
// and reads the n absolute values, three times the bytes.
#pragma once

#include <cuda_runtime_api.h>

#include <cmath>
#include <cstdint>
#include <memory>
#include <span>

#include "pipelines/input.hpp"
#include "pipelines/pipeline.hpp"
#include "pipelines/slicing.hpp"
#include "pipelines/tiling.hpp"

namespace gvf {

// The map stage; the sign bit is cleared, so the result is exact.
struct AbsoluteValue {
  __host__ __device__ float operator()(float x) const { return fabsf(x); }
};

struct SumAbs {
  static constexpr std::string_view name = "sum_abs";
  static constexpr std::string_view summary = "sum of |x| over n floats: map, then reduce";
  static constexpr bool has_k = false;
  static constexpr int default_k = 2;  // stages; fixed
  static constexpr int max_k = 2;
  static constexpr std::int64_t max_n = std::int64_t{1} << 31;

  // Where one iteration reads and writes. Device pointers; null when only launches are recorded.
  struct Buffers {
    const float* input = nullptr;   // n
    float* intermediate = nullptr;  // n: |x|; blocked reuses its first slice
    float* output = nullptr;        // 1
    float* partials = nullptr;      // one a block of the reducing grid, kept from slice to slice
    unsigned* arrivals = nullptr;   // 1, zero between launches
  };

  static Implementations baseline();  // separate, blocked: baseline/sum_abs.cu
  static Implementations fused();     // fused, sliced, persistent, library: fused/sum_abs.cu

  static std::unique_ptr<Workload> make_workload(const Problem& problem, const Device& device,
                                                 Backing backing);
  static Buffers buffers(Workload& workload);

  static constexpr std::int64_t bytes_min(const Problem& problem) { return 4 * problem.n + 4; }

  static constexpr ByteModel byte_model(Structure structure, const Problem& problem) {
    const std::int64_t vector_bytes = 4 * problem.n;
    const int slices = problem.slices > 0 ? problem.slices : 1;
    switch (structure) {
      case Structure::separate:
        return {{KernelTraffic{"map", 1, vector_bytes, vector_bytes, vector_bytes},
                 KernelTraffic{"reduce", 1, vector_bytes, 4, vector_bytes}},
                2};
      case Structure::blocked:
        return {{KernelTraffic{"map", slices, vector_bytes, vector_bytes, vector_bytes},
                 KernelTraffic{"reduce", slices, vector_bytes, 4 * slices, vector_bytes}},
                2};
      case Structure::persistent:
        return {{KernelTraffic{"persistent", 1, 2 * vector_bytes, vector_bytes + 4, 2 * vector_bytes}, {}},
                1};
      case Structure::sliced:
        return {{KernelTraffic{"fused", slices, vector_bytes, 4 * slices, 0}, {}}, 1};
      case Structure::fused:
        return {{KernelTraffic{"fused", 1, vector_bytes, 4, 0}, {}}, 1};
      case Structure::library:
        return {{KernelTraffic{"library", 1, vector_bytes, 4, 0}, {}}, 1};
    }
    return {};
  }

  // sliced: as many launches as separate has kernels. blocked: slices whose |x| stays in L2.
  static constexpr int slices(Structure structure, const Problem& problem, const Device& device) {
    if (structure != Structure::sliced && structure != Structure::blocked) return 1;
    if (problem.slices > 0) return problem.slices;
    return structure == Structure::sliced ? 2 : slices_within_l2(4 * problem.n, device.l2_bytes);
  }

  static constexpr double waves_per_slice(const Problem& problem, int slices, const Device& device) {
    return static_cast<double>(problem.n) / slices /
           (4.0 * reduce_unroll(problem.n / slices, device.sm_count) * device.max_threads_per_sm *
            device.sm_count);
  }

  static std::int64_t device_bytes(const Problem& problem);

  // Sums of |x| in double, pairwise over ranges; shares nothing with the stage functor above.
  static double reference(std::span<const float> input);

  // The longest chain of roundings that any structure's summation tree has at this size. Every structure sums
  // with at least 512 threads an SM; what those accumulate serially dominates, the trees above it (a block's,
  // the grid's, the library's) stay within 64 levels, and slices add one each.
  static constexpr double summation_depth(const Problem& problem, int sm_count, int slices) {
    const std::int64_t threads = std::int64_t{512} * sm_count;
    return static_cast<double>((problem.n + threads - 1) / threads + 64 + slices);
  }
};

}  // namespace gvf
