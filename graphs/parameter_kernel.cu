// Implements graphs/parameter_kernel.hpp.
#include "graphs/parameter_kernel.hpp"

#include <cuda_runtime.h>

#include <algorithm>
#include <stdexcept>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/programmatic.cuh"

namespace gvf::graphs {
namespace {

template <std::size_t Words>
struct Payload {
  unsigned words[Words];
};

__device__ unsigned words_of_nodes[maximum_nodes];

template <std::size_t Words>
__global__ void store_parameter(const __grid_constant__ Payload<Words> payload) {
  begin_dependent_kernel();
  // The last word, so that an update that arrives in part shows.
  if (threadIdx.x == 0) words_of_nodes[payload.words[0]] = payload.words[Words - 1];
}

template <std::size_t... Index>
const void* function_of(std::size_t bytes, std::index_sequence<Index...>) {
  const void* found = nullptr;
  static_cast<void>(
      ((parameter_sizes[Index] == bytes &&
        (found = reinterpret_cast<const void*>(&store_parameter<parameter_sizes[Index] / sizeof(unsigned)>),
         true)) ||
       ...));
  if (found == nullptr)
    throw std::invalid_argument("no kernel takes " + std::to_string(bytes) + " B of parameters");
  return found;
}

}  // namespace

ParameterKernel::ParameterKernel(std::size_t bytes)
    : payload_(bytes / sizeof(unsigned)),
      function_(function_of(bytes, std::make_index_sequence<parameter_sizes.size()>{})),
      arguments_{payload_.data(), nullptr} {}

void ParameterKernel::set_value(unsigned value) noexcept {
  std::fill(payload_.begin() + 1, payload_.end(), value);
}

KernelLaunch ParameterKernel::for_node(int node) noexcept {
  payload_[0] = static_cast<unsigned>(node);
  LaunchConfig one_warp;
  one_warp.block = dim3(32);
  return {function_, one_warp, arguments_, 1};
}

std::vector<unsigned> written_words(int nodes) {
  std::vector<unsigned> words(static_cast<std::size_t>(nodes));
  GVF_CUDA(cudaMemcpyFromSymbol(words.data(), words_of_nodes, words.size() * sizeof(unsigned)),
           "reading what nodes stored");
  return words;
}

void clear_written_words() {
  const std::vector<unsigned> zeros(maximum_nodes);
  GVF_CUDA(cudaMemcpyToSymbol(words_of_nodes, zeros.data(), sizeof(words_of_nodes)),
           "clearing what nodes stored");
}

}  // namespace gvf::graphs
