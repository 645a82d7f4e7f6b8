// Implements pipelines/input.hpp.
#include "pipelines/input.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <thread>
#include <vector>

namespace gvf {
namespace {

// A 64-bit mixer (the finaliser of splitmix64, Steele et al., OOPSLA 2014): element i needs no predecessor.
[[nodiscard]] std::uint64_t mix(std::uint64_t value) noexcept {
  value += 0x9e3779b97f4a7c15ULL;
  value = (value ^ (value >> 30)) * 0xbf58476d1ce4e5b9ULL;
  value = (value ^ (value >> 27)) * 0x94d049bb133111ebULL;
  return value ^ (value >> 31);
}

[[nodiscard]] float real_from(std::uint64_t bits) noexcept {
  const auto fraction = static_cast<float>(bits >> 40) * 0x1p-24f;  // [0, 1)
  const float magnitude = 0.125f + 0.875f * fraction;
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

// Magnitudes 1..7. `sparsity` in 2^32 is the share of elements that are not zero.
[[nodiscard]] float integer_from(std::uint64_t bits, bool always, std::uint64_t sparsity) noexcept {
  if (!always && (bits >> 32) >= sparsity) return 0.0f;
  const auto magnitude = static_cast<float>(1 + ((bits >> 1) & 0xffff) % 7);
  return (bits & 1) != 0 ? -magnitude : magnitude;
}

}  // namespace

void parallel_ranges(std::int64_t n, const std::function<void(std::int64_t, std::int64_t)>& body) {
  constexpr std::int64_t worth_a_thread = 1 << 16;
  const auto cores = static_cast<std::int64_t>(std::max(1U, std::thread::hardware_concurrency()));
  const std::int64_t workers = std::clamp<std::int64_t>(n / worth_a_thread, 1, cores);
  if (workers == 1) {
    body(0, n);
    return;
  }
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(workers));
  for (std::int64_t worker = 0; worker < workers; ++worker) {
    threads.emplace_back([&, worker] { body(n * worker / workers, n * (worker + 1) / workers); });
  }
}

void generate_input(std::span<float> values, InputKind kind, std::uint64_t seed) {
  const auto n = static_cast<std::int64_t>(values.size());
  // 2^24 / (mean magnitude 4) elements would reach the limit on average; half of that leaves it out of reach.
  const double share = std::min(1.0, 0x1p21 / static_cast<double>(std::max<std::int64_t>(n, 1)));
  const auto sparsity = static_cast<std::uint64_t>(share * 0x1p32);
  const std::uint64_t salt = mix(seed);
  parallel_ranges(n, [&](std::int64_t begin, std::int64_t end) {
    for (std::int64_t i = begin; i < end; ++i) {
      const std::uint64_t bits = mix(salt ^ static_cast<std::uint64_t>(i));
      const bool edge = i < 64 || i >= n - 64;
      values[static_cast<std::size_t>(i)] =
          kind == InputKind::reals ? real_from(bits) : integer_from(bits, edge, sparsity);
    }
  });
}

std::uint64_t fingerprint(std::span<const float> values) {
  std::atomic<std::uint64_t> hash{0};
  parallel_ranges(static_cast<std::int64_t>(values.size()), [&](std::int64_t begin, std::int64_t end) {
    std::uint64_t mine = 0;
    for (std::int64_t i = begin; i < end; ++i) {
      const auto bits = std::bit_cast<std::uint32_t>(values[static_cast<std::size_t>(i)]);
      mine += mix((static_cast<std::uint64_t>(i) << 32) ^ bits);  // a sum, so the split does not matter
    }
    hash += mine;
  });
  return hash;
}

}  // namespace gvf
