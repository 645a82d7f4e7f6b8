// The error that a call ends in, for tests of what errors say.
#pragma once

#include <string>

#include "core/error.hpp"
#include "tests/catch.hpp"

namespace gvf::tests {

// The CudaError that `action` throws, which is one line; its message is "" when it throws none.
template <class Action>
CudaError cuda_error(Action&& action) {
  try {
    action();
  } catch (const CudaError& error) {
    CHECK(std::string(error.what()).find('\n') == std::string::npos);
    return error;
  }
  return {cudaSuccess, ""};
}

}  // namespace gvf::tests
