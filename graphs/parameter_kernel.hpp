// The kernel of a life-cycle node: next to empty, but what it leaves behind tells which parameters it ran
// with, so that an update can be seen to have arrived. Its parameters are 8 B to 32 KB.
#pragma once

#include <array>
#include <cstddef>
#include <vector>

#include "core/launcher.hpp"

namespace gvf::graphs {

// 4096 B was the limit on kernel parameters up to CUDA 12.0; since 12.1 it is 32764 B on compute
// capability 7.0 and newer (CUDA C++ Programming Guide, "__global__ function parameters").
inline constexpr std::array<std::size_t, 7> parameter_sizes{8, 64, 256, 1024, 4096, 16384, 32764};
inline constexpr std::size_t default_parameter_bytes = 64;  // a few pointers and sizes, as most kernels have
inline constexpr int maximum_nodes = 4096;

class ParameterKernel {
 public:
  // One warp, whose first thread stores one word. Throws std::invalid_argument unless `bytes` is one of
  // parameter_sizes.
  explicit ParameterKernel(std::size_t bytes);
  ParameterKernel(const ParameterKernel&) = delete;
  ParameterKernel& operator=(const ParameterKernel&) = delete;

  [[nodiscard]] std::size_t bytes() const noexcept { return payload_.size() * sizeof(unsigned); }

  // What nodes store from now on.
  void set_value(unsigned value) noexcept;

  // The launch as node `node`, 0 <= node < maximum_nodes; its argument stays valid until the next call.
  [[nodiscard]] KernelLaunch for_node(int node) noexcept;

  // The one parameter as it lies in memory. Word 0 is the node, all others hold the value.
  [[nodiscard]] const std::vector<unsigned>& payload() const noexcept { return payload_; }

 private:
  std::vector<unsigned> payload_;
  const void* function_;
  void* arguments_[2];
};

// What the last run of nodes 0 .. nodes-1 stored; 0 where none has run since the words were cleared. Waits
// for nothing: synchronise first.
[[nodiscard]] std::vector<unsigned> written_words(int nodes);
void clear_written_words();

}  // namespace gvf::graphs
