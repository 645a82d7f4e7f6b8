// Fixture of the header check: a kernel, for nvcc.
#pragma once

#include <cstddef>

namespace gvf::fixture {
template <typename T>
__global__ void set_to(T* values, std::size_t n, T value) {
  const std::size_t i = std::size_t{blockIdx.x} * blockDim.x + threadIdx.x;
  if (i < n) values[i] = value;
}
}  // namespace gvf::fixture
