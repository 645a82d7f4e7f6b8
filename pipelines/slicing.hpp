// How `sliced` and `blocked` cut n elements into slices.
#pragma once

#include <algorithm>
#include <cstdint>

namespace gvf {

struct Slice {
  std::int64_t begin = 0;
  std::int64_t size = 0;
};

// Slice starts are multiples of this, so that every slice keeps the input's 256-byte alignment.
inline constexpr std::int64_t slice_alignment = 64;

// Slice i of `slices` equal ones; late slices of a small n are empty.
[[nodiscard]] constexpr Slice slice_of(std::int64_t n, int slices, int i) noexcept {
  const std::int64_t even = (n + slices - 1) / slices;
  const std::int64_t size = (even + slice_alignment - 1) / slice_alignment * slice_alignment;
  const std::int64_t begin = std::min(n, size * i);
  return {begin, std::min(size, n - begin)};
}

// The largest slice, which sizes a buffer that all slices reuse.
[[nodiscard]] constexpr std::int64_t largest_slice(std::int64_t n, int slices) noexcept {
  return slice_of(n, slices, 0).size;
}

// How many slices keep a slice's intermediates in L2: half of L2 a slice. Why half: on an H200, sum_abs of
// 2^28 ran best with slices of 32 MB of its 60 MB (16 MB: +10 %, 64 MB: +12 %), since smaller slices pay more
// ramps and larger ones spill; chain with 16 MB in each of its two buffers.
[[nodiscard]] constexpr int slices_within_l2(std::int64_t bytes, std::int64_t l2_bytes) noexcept {
  const std::int64_t per_slice = std::max<std::int64_t>(l2_bytes / 2, 1);
  return static_cast<int>(std::clamp<std::int64_t>((bytes + per_slice - 1) / per_slice, 1, 4096));
}

}  // namespace gvf
