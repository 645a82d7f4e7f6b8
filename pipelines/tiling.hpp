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
inline constexpr int reduce_unroll = 4;

// Elements that a block reads at once.
inline constexpr std::int64_t reduce_tile = std::int64_t{4} * reduce_unroll * reduce_threads;

// The grid for n elements: no more blocks than tiles, none that has to wait for another to leave.
[[nodiscard]] inline LaunchConfig reduce_config(std::int64_t n, std::int64_t resident_blocks) {
  const std::int64_t tiles = (n + reduce_tile - 1) / reduce_tile;
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>(std::clamp<std::int64_t>(tiles, 1, resident_blocks)));
  config.block = dim3(reduce_threads);
  return config;
}

}  // namespace gvf
