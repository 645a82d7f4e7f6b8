// Exit codes of every command, and the errors that lead to them.
#pragma once

#include <cuda_runtime_api.h>

#include <stdexcept>

namespace gvf::study {

enum ExitCode : int {
  exit_done = 0,
  exit_check_failed = 1,   // a variant gave a wrong result, a figure drifted
  exit_bad_input = 2,      // arguments or files that cannot be used
  exit_machine_lacks = 3,  // this machine lacks what the command needs
  exit_interrupted = 130,  // by SIGINT; what was finished is kept
};

// What a CUDA error that nobody handled means for the exit code: some say that this machine lacks something
// (no driver, no memory, no code for this GPU), the others that something went wrong in what was run.
[[nodiscard]] constexpr ExitCode exit_code_of(cudaError_t error) noexcept {
  switch (error) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
    case cudaErrorMemoryAllocation:
    case cudaErrorNoKernelImageForDevice:
    case cudaErrorNotSupported:
    case cudaErrorDevicesUnavailable:
    case cudaErrorSystemDriverMismatch:
      return exit_machine_lacks;
    default:
      return exit_check_failed;
  }
}

// What the user gave cannot be used: the message says what, where and what to do.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// A signal ended the work before its time.
class Interrupted : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The machine lacks something: no GPU, no CUPTI, no permission.
class MachineLacks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gvf::study
