// CUDA errors that say which call failed, where, and what was being done.
//
// Two forms: GVF_CUDA throws; GVF_CUDA_NOEXCEPT reports on stderr, for destructors. Both clear the runtime's
// last error, so that one failure is not reported again by the next, innocent, call.
#pragma once

#include <cuda_runtime_api.h>

#include <source_location>
#include <stdexcept>
#include <string>
#include <string_view>

namespace gvf {

class CudaError : public std::runtime_error {
 public:
  CudaError(cudaError_t code, std::string message) : std::runtime_error(std::move(message)), code_(code) {}
  [[nodiscard]] cudaError_t code() const noexcept { return code_; }

 private:
  cudaError_t code_;
};

// One line: "<doing>: <call> failed with <name> (<text>) at <file>:<line>; <remedy>".
[[nodiscard]] std::string describe_cuda_error(cudaError_t code, std::string_view call, std::string_view doing,
                                              const std::source_location& where);

// What a person can do about `code`; empty where the runtime's own text says it all.
[[nodiscard]] std::string_view cuda_remedy(cudaError_t code) noexcept;

// Throws CudaError unless `code` is cudaSuccess. `doing` completes "while ...".
void cuda_check(cudaError_t code, const char* call, std::string_view doing,
                const std::source_location& where = std::source_location::current());

// Reports on stderr instead of throwing; returns whether `code` is cudaSuccess.
bool cuda_report(cudaError_t code, const char* call,
                 const std::source_location& where = std::source_location::current()) noexcept;

}  // namespace gvf

#define GVF_CUDA(call, doing) ::gvf::cuda_check((call), #call, (doing))
#define GVF_CUDA_NOEXCEPT(call) ::gvf::cuda_report((call), #call)
