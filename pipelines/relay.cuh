// The step of a relay, shared by baseline/ and fused/.
#pragma once

#include "pipelines/relay.hpp"

namespace gvf {

// Past L1, as between kernels: a block on another SM wrote this word.
__device__ __forceinline__ void relay_step(unsigned* words, unsigned tile) {
  unsigned* word = words + tile * blockDim.x + threadIdx.x;
  __stcg(word, __ldcg(word) + 1);
}

}  // namespace gvf
