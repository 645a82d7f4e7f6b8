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

// How many slices keep a slice's intermediate in L2: an eighth of L2 per slice. Why an eighth: on a chip with
// a split L2 a line can occupy both halves, the slice's input and output stream through the same cache, and
// the next slice's lines arrive before the last one's have left.
[[nodiscard]] constexpr int slices_within_l2(std::int64_t bytes, std::int64_t l2_bytes) noexcept {
  const std::int64_t per_slice = std::max<std::int64_t>(l2_bytes / 8, 1);
  return static_cast<int>(std::clamp<std::int64_t>((bytes + per_slice - 1) / per_slice, 1, 4096));
}

}  // namespace gvf
