// Fixture of the header check: leans on an include of its user, and must be caught.
#pragma once

namespace gvf::fixture {
__global__ void sum(const float* values, float* total) {
  *total = blockReduce(values[threadIdx.x]);
}
}  // namespace gvf::fixture
