// Device building block of the elementwise kernels: one 16-byte vector a thread, one tile a block.
#pragma once

#include <cstdint>

#include "pipelines/tiling.hpp"

namespace gvf {

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
