// Device building blocks of the reductions, shared by baseline/ and fused/ so that the separate reduce is
// exactly as good as the fused one.
//
// Deterministic run to run: who adds what depends on the grid alone. No float atomics; the one atomic counts
// arrivals, and whoever comes last adds the blocks' partial sums in block order.
#pragma once

#include <cub/block/block_reduce.cuh>

#include <cstdint>

#include "pipelines/tiling.hpp"

namespace gvf {

// What this thread of the grid sums: map(x[i]) over its share of [0, n), `unroll` vectors at a time. x is
// 16-byte aligned.
template <int unroll, class Map>
__device__ __forceinline__ float thread_sum(const float* __restrict__ x, std::int64_t n, Map map) {
  const auto* vectors = reinterpret_cast<const float4*>(x);
  const auto sum4 = [&map](float4 v) { return (map(v.x) + map(v.y)) + (map(v.z) + map(v.w)); };
  constexpr std::int64_t tile_vectors = reduce_tile(unroll) / 4;
  const std::int64_t vector_count = n / 4;
  float sums[unroll] = {};

  std::int64_t begin = blockIdx.x * tile_vectors;
  const std::int64_t stride = gridDim.x * tile_vectors;
  for (; begin + tile_vectors <= vector_count; begin += stride) {
    float4 loaded[unroll];
#pragma unroll
    for (int u = 0; u < unroll; ++u) loaded[u] = vectors[begin + u * reduce_threads + threadIdx.x];
#pragma unroll
    for (int u = 0; u < unroll; ++u) sums[u] += sum4(loaded[u]);
  }
  // The one partial tile belongs to the block whose turn it is; the last n % 4 elements to its first threads.
  if (4 * begin < n) {
#pragma unroll
    for (int u = 0; u < unroll; ++u) {
      const std::int64_t i = begin + u * reduce_threads + threadIdx.x;
      if (i < vector_count) sums[u] += sum4(vectors[i]);
    }
    const std::int64_t tail = 4 * vector_count + threadIdx.x;
    if (tail < n) sums[0] += map(x[tail]);
  }
  float sum = 0;
#pragma unroll
  for (int u = 0; u < unroll; ++u) sum += sums[u];
  return sum;
}

// Which of an iteration's slices a launch sums: the first one starts the blocks' partial sums, the last one
// adds them up. Slices in between only add to them, so a slice costs no more than its reads.
struct SlicePart {
  bool first = true;
  bool last = true;
};

// Adds `value` over all threads of the grid, and over all slices of the iteration, into *output. Every
// slice's grid is the same. Needs gridDim.x partials and a zero arrival counter, which it leaves zero. Block
// size: reduce_threads.
__device__ __forceinline__ void grid_sum(float value, float* partials, unsigned* arrivals, float* output,
                                         SlicePart part) {
  using BlockSum = cub::BlockReduce<float, reduce_threads, cub::BLOCK_REDUCE_WARP_REDUCTIONS>;
  __shared__ typename BlockSum::TempStorage storage;
  __shared__ bool is_last;

  float block_sum = BlockSum(storage).Sum(value);
  if (threadIdx.x == 0) {
    if (!part.first) block_sum += partials[blockIdx.x];
    if (part.last && gridDim.x == 1) {
      *output = block_sum;
    } else {
      partials[blockIdx.x] = block_sum;
    }
  }
  if (!part.last || gridDim.x == 1) return;

  if (threadIdx.x == 0) {
    __threadfence();  // the partial sum is visible before the arrival is
    is_last = atomicInc(arrivals, gridDim.x - 1) == gridDim.x - 1;  // wraps to zero for the next launch
  }
  __syncthreads();
  if (!is_last) return;

  __threadfence();
  float sum = 0;
  for (unsigned i = threadIdx.x; i < gridDim.x; i += reduce_threads) sum += __ldcg(&partials[i]);
  sum = BlockSum(storage).Sum(sum);
  if (threadIdx.x == 0) *output = sum;
}

}  // namespace gvf
