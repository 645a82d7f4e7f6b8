// Device building block of the elementwise kernels: one 16-byte vector a thread, one tile a block.
//
// Why one vector: on an H200 a copy of 2^28 floats took 504 us with one, 523 with two, 530 with four vectors a
// thread, and 557 in a grid-stride loop (the driver's own copy: 506). Threads in order keep DRAM pages open.
#pragma once

#include <cstdint>

#include "core/launcher.hpp"

namespace gvf {

inline constexpr int map_threads = 256;

// The grid that covers n elements, at least one block.
[[nodiscard]] inline LaunchConfig map_config(std::int64_t n) {
  const std::int64_t vectors = (n + 3) / 4;
  const std::int64_t blocks = (vectors + map_threads - 1) / map_threads;
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(blocks > 0 ? blocks : 1));
  config.block = dim3(map_threads);
  return config;
}

// y[i] = map(x[i]) for the vector with this index; the last vector may be partial. x, y 16-byte aligned.
template <class Map>
__device__ __forceinline__ void map_vector(const float* x, float* y, std::int64_t n, std::int64_t vector,
                                           Map map) {
  const std::int64_t first = vector * 4;
  if (first + 4 <= n) {
    const float4 v = reinterpret_cast<const float4*>(x)[vector];
    reinterpret_cast<float4*>(y)[vector] = make_float4(map(v.x), map(v.y), map(v.z), map(v.w));
  } else {
    for (std::int64_t i = first; i < n; ++i) y[i] = map(x[i]);
  }
}

}  // namespace gvf
