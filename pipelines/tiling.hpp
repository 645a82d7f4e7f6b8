// Launch shapes of the two kinds of kernel, and why. Host code: everything follows from n and the SM count.
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/launcher.hpp"

namespace gvf {

// Elementwise kernels: one 16-byte vector a thread, one tile a block. On an H200 a copy of 2^28 floats took
// 504 us with one, 523 with two, 530 with four vectors a thread, and 557 in a grid-stride loop (the driver's
// own copy: 506). Blocks that start in address order keep DRAM pages open.
inline constexpr int map_threads = 256;

// The grid that covers n elements, at least one block.
[[nodiscard]] inline LaunchConfig map_config(std::int64_t n) {
  const std::int64_t tile = std::int64_t{4} * map_threads;
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(std::max<std::int64_t>((n + tile - 1) / tile, 1)));
  config.block = dim3(map_threads);
  return config;
}

// Reductions: 512 threads in 4 blocks fill an SM of 2048 threads, each with four 16-byte loads in flight. Of
// the shapes tried on an H200 (256..1024 threads, 2..16 loads; strided, chunked, one tile a block, bulk
// copies) this one was the fastest: 237 us for 2^28 floats. It keeps 128 KiB in flight an SM; Little's law
// asks for ~25.
inline constexpr int reduce_threads = 512;

// Elements that a block reads at once with `unroll` vectors a thread.
[[nodiscard]] constexpr std::int64_t reduce_tile(int unroll) noexcept {
  return std::int64_t{4} * unroll * reduce_threads;
}

// Up to here one block reads everything: adding blocks together (fence, atomic, reading their sums again)
// costs about 1.2 us on an H200 (2^14 floats: 1.7 us in one block, 2.9 in two), in which one SM reads some
// 2^15 floats.
inline constexpr std::int64_t one_block_elements = std::int64_t{1} << 15;

// Vectors that a thread has in flight: four, but two where four would not be filled (n in one tile) or would
// leave seven of eight SMs idle (2^16 floats on 132 SMs: 2.6 us with two, 2.9 with four; from 2^18 on four
// win).
[[nodiscard]] constexpr int reduce_unroll(std::int64_t n, int sm_count) noexcept {
  if (n <= one_block_elements) return n <= reduce_tile(2) ? 2 : 4;
  return 8 * ((n + reduce_tile(4) - 1) / reduce_tile(4)) <= sm_count ? 2 : 4;
}

// The grid for n elements: no more blocks than tiles, none that has to wait for another to leave.
[[nodiscard]] inline LaunchConfig reduce_config(std::int64_t n, int unroll, std::int64_t resident_blocks) {
  const std::int64_t tiles = (n + reduce_tile(unroll) - 1) / reduce_tile(unroll);
  LaunchConfig config;
  if (n > one_block_elements) {
    config.grid = dim3(static_cast<unsigned>(std::clamp<std::int64_t>(tiles, 1, resident_blocks)));
  }
  config.block = dim3(reduce_threads);
  return config;
}

}  // namespace gvf
