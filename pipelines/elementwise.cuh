// Device building block of the elementwise kernels: one 16-byte vector a thread, one tile a block.
#pragma once

#include <cstdint>
#include <type_traits>

#include "pipelines/tiling.hpp"

namespace gvf {

// map of a whole vector: at once where it knows how, else element by element.
template <class Map>
__device__ __forceinline__ float4 map4(Map map, float4 v) {
  if constexpr (std::is_invocable_v<Map, float4>) {
    return map(v);
  } else {
    return make_float4(map(v.x), map(v.y), map(v.z), map(v.w));
  }
}

// How a kernel loads: as usual, or marked to leave L2 first, for what is read once and must not push out what
// is to be read again.
enum class Load { normal, streaming };

template <Load load>
__device__ __forceinline__ float4 load4(const float4* address) {
  if constexpr (load == Load::streaming) {
    return __ldcs(address);
  } else {
    return *address;
  }
}

// y[i] = map(x[i]) for the vector with this index; the last vector may be partial. x, y 16-byte aligned.
template <Load load = Load::normal, class Map>
__device__ __forceinline__ void map_vector(const float* x, float* y, std::int64_t n, std::int64_t vector,
                                           Map map) {
  const std::int64_t first = vector * 4;
  if (first + 4 <= n) {
    reinterpret_cast<float4*>(y)[vector] =
        map4(map, load4<load>(reinterpret_cast<const float4*>(x) + vector));
  } else {
    for (std::int64_t i = first; i < n; ++i) y[i] = map(x[i]);
  }
}

}  // namespace gvf
