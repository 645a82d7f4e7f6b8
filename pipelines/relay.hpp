// The smallest step that has to wait for the step before it: what a boundary between steps costs is measured
// on a relay of them. The steps are the same whether each is a kernel (baseline/relay.cu) or all are in one
// with barriers in between (fused/relay.cu).
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

#include "core/launcher.hpp"

namespace gvf {

enum class RelayWork {
  load,   // each thread adds one to a word that another block wrote in the step before
  empty,  // nothing: a figure of empty kernels, to be labelled so
};

[[nodiscard]] constexpr std::string_view to_string(RelayWork work) noexcept {
  return work == RelayWork::load ? "load" : "empty";
}

struct RelayGrid {
  int blocks = 1;
  int threads = 32;  // a block
  [[nodiscard]] constexpr std::size_t words() const noexcept {
    return static_cast<std::size_t>(blocks) * static_cast<std::size_t>(threads);
  }
};

// `words`: grid.words() of them in device memory, each one more after every step; unused where nothing is
// loaded.
void enqueue_relay(Launcher& launcher, int steps, RelayGrid grid, RelayWork work, unsigned* words);

// What stands between two steps that share a kernel.
enum class Barrier {
  cooperative_groups,  // grid_group::sync()
  flat,                // every block counts itself in one word of global memory and polls it
  cluster_2,           // blocks meet their cluster in hardware; one block of each cluster counts itself
  cluster_4,
  cluster_8,
  cluster_16,
};
inline constexpr std::array<Barrier, 6> all_barriers{Barrier::cooperative_groups, Barrier::flat,
                                                     Barrier::cluster_2,          Barrier::cluster_4,
                                                     Barrier::cluster_8,          Barrier::cluster_16};
[[nodiscard]] std::string_view to_string(Barrier barrier) noexcept;

// 1 where the barrier knows no clusters. A grid must be a multiple of it.
[[nodiscard]] int cluster_size(Barrier barrier) noexcept;

// One cooperative kernel. `arrivals`: one word in device memory, zero before the first launch and left alone
// after. Throws CudaError where the grid does not fit the chip at once, or the chip has
// no such clusters.
void enqueue_relay_in_one_kernel(Launcher& launcher, int steps, RelayGrid grid, RelayWork work,
                                 unsigned* words, unsigned long long* arrivals, Barrier barrier);

}  // namespace gvf
