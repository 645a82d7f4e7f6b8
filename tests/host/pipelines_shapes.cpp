// Slices and launch shapes: pure functions of n.
#include <set>

#include "pipelines/slicing.hpp"
#include "pipelines/tiling.hpp"
#include "tests/catch.hpp"

using namespace gvf;

TEST_CASE("slices cover every element once, in order, from aligned starts", "[pipelines][slicing]") {
  for (const std::int64_t n : {std::int64_t{1}, std::int64_t{31}, std::int64_t{64}, std::int64_t{65},
                               std::int64_t{1023}, std::int64_t{1 << 20} + 7, std::int64_t{1} << 31}) {
    for (const int slices : {1, 2, 3, 16, 64, 4096}) {
      CAPTURE(n, slices);
      std::int64_t next = 0;
      bool ended = false;
      for (int i = 0; i < slices; ++i) {
        const Slice slice = slice_of(n, slices, i);
        REQUIRE(slice.begin == next);
        REQUIRE(slice.size >= 0);
        REQUIRE(slice.size <= largest_slice(n, slices));
        if (slice.size > 0) {
          REQUIRE_FALSE(ended);  // only late slices are empty
          REQUIRE(slice.begin % slice_alignment == 0);
        }
        ended = slice.size == 0;
        next = slice.begin + slice.size;
      }
      REQUIRE(next == n);
    }
  }
}

TEST_CASE("slices by hand", "[pipelines][slicing]") {
  // 1000 in 3: 334 each, rounded up to 384 = 6 * 64; the last gets the 232 that remain.
  static_assert(slice_of(1000, 3, 0).begin == 0 && slice_of(1000, 3, 0).size == 384);
  static_assert(slice_of(1000, 3, 1).begin == 384 && slice_of(1000, 3, 1).size == 384);
  static_assert(slice_of(1000, 3, 2).begin == 768 && slice_of(1000, 3, 2).size == 232);
  static_assert(slice_of(31, 4, 0).size == 31 && slice_of(31, 4, 3).size == 0);
  static_assert(largest_slice(1000, 3) == 384 && largest_slice(1, 64) == 1);
  static_assert(slice_alignment * 4 % 256 == 0, "256 bytes");
  SUCCEED();
}

TEST_CASE("slices within L2: at least one, and a piece never exceeds the cache", "[pipelines][slicing]") {
  constexpr std::int64_t l2 = std::int64_t{60} << 20;
  CHECK(slices_within_l2(0, l2) == 1);
  CHECK(slices_within_l2(1, l2) == 1);
  for (const std::int64_t bytes : {l2, 4 * l2, 100 * l2 + 1}) {
    const int slices = slices_within_l2(bytes, l2);
    CAPTURE(bytes, slices);
    CHECK(bytes / slices <= l2);
    CHECK(slices_within_l2(2 * bytes, l2) >= slices);
  }
  // An unknown or absurd L2 gives many slices, not a division by zero.
  CHECK(slices_within_l2(std::int64_t{1} << 40, 0) >= 1);
  CHECK(slices_within_l2(std::int64_t{1} << 40, 0) <= 1 << 16);
}

TEST_CASE("map grid: one vector a thread, the last block partly used", "[pipelines][tiling]") {
  constexpr std::int64_t tile = 4 * map_threads;
  CHECK(map_config(0).grid.x == 1);  // an empty slice still launches: equal launches at every n
  CHECK(map_config(1).grid.x == 1);
  CHECK(map_config(tile).grid.x == 1);
  CHECK(map_config(tile + 1).grid.x == 2);
  for (const std::int64_t n : {std::int64_t{1023}, std::int64_t{1 << 20} + 7, std::int64_t{1} << 31}) {
    const LaunchConfig config = map_config(n);
    CAPTURE(n);
    CHECK(config.block.x == static_cast<unsigned>(map_threads));
    CHECK(config.grid.x * tile >= n);
    CHECK((config.grid.x - 1) * tile < n);
    CHECK_FALSE(config.cooperative);
  }
}

TEST_CASE("reduce grid: no more blocks than tiles, none that waits for another", "[pipelines][tiling]") {
  CHECK(reduce_config(0, 4, 528).grid.x == 1);
  CHECK(reduce_config(1, 4, 528).grid.x == 1);
  CHECK(reduce_config(one_block_elements, 4, 528).grid.x == 1);
  CHECK(reduce_config(one_block_elements + 1, 4, 528).grid.x == 5);
  CHECK(reduce_config(one_block_elements + 1, 2, 528).grid.x == 9);
  CHECK(reduce_config(std::int64_t{1} << 31, 4, 528).grid.x == 528);
  CHECK(reduce_config(std::int64_t{1} << 31, 4, 1).grid.x == 1);
  CHECK(reduce_config(1 << 20, 4, 528).block.x == static_cast<unsigned>(reduce_threads));
  static_assert(reduce_tile(4) == std::int64_t{4} * 4 * reduce_threads);
  // Two vectors a thread where four cannot be filled or leave most SMs idle.
  CHECK(reduce_unroll(1, 132) == 2);
  CHECK(reduce_unroll(reduce_tile(2), 132) == 2);
  CHECK(reduce_unroll(reduce_tile(2) + 1, 132) == 4);
  CHECK(reduce_unroll(one_block_elements, 132) == 4);
  CHECK(reduce_unroll(1 << 16, 132) == 2);
  CHECK(reduce_unroll(1 << 17, 132) == 2);
  CHECK(reduce_unroll(1 << 18, 132) == 4);
  CHECK(reduce_unroll(1 << 17, 16) == 4);
}
