// Implements core/error.hpp.
#include "core/error.hpp"

#include <fmt/format.h>

#include <cstdio>

namespace gvf {

std::string_view cuda_remedy(cudaError_t code) noexcept {
  switch (code) {
    case cudaErrorNoDevice:
    case cudaErrorInsufficientDriver:
      return "install an NVIDIA driver for CUDA 13.0 or newer, or work from a recording";
    case cudaErrorMemoryAllocation:
      return "choose a smaller n, or free memory that other processes hold on this GPU";
    case cudaErrorNoKernelImageForDevice:
      return "rebuild with -DCMAKE_CUDA_ARCHITECTURES=native";
    case cudaErrorCooperativeLaunchTooLarge:
      return "use a grid that is resident as a whole: SM count x occupancy";
    case cudaErrorStreamCaptureUnsupported:
      return "move this call before the capture; if another thread captures, let it do so in thread-local "
             "mode";
    case cudaErrorStreamCaptureInvalidated:
      return "an earlier call broke this capture and its error was dropped: check every call since the "
             "capture "
             "began, on all threads if its mode is global";
    case cudaErrorStreamCaptureMerge:
      return "two captures cannot wait for each other: capture both into one graph, or end one first";
    case cudaErrorStreamCaptureUnmatched:
      return "end the capture on the stream that it began on";
    case cudaErrorStreamCaptureUnjoined:
      return "join every forked stream before the capture ends: record an event on it, and let the first "
             "stream "
             "wait for that";
    case cudaErrorStreamCaptureIsolation:
      return "work in a capture cannot wait for work outside: record the event inside, or wait for it before "
             "the "
             "capture begins";
    case cudaErrorStreamCaptureImplicit:
      return "this call used the legacy default stream during a capture: give it the capturing stream";
    case cudaErrorCapturedEvent:
      return "an event recorded in a capture cannot be waited for or timed by the host: record one after the "
             "launch";
    case cudaErrorStreamCaptureWrongThread:
      return "end the capture on the thread that began it, or begin it in relaxed mode";
    case cudaErrorGraphExecUpdateFailure:
      return "instantiate the new graph where its nodes, edges or kernels are others";
    case cudaErrorIllegalAddress:
    case cudaErrorLaunchFailure:
    case cudaErrorMisalignedAddress:
      return "the CUDA context is lost: run again under compute-sanitizer to find the access";
    default:
      return {};
  }
}

std::string describe_cuda_error(cudaError_t code, std::string_view call, std::string_view doing,
                                const std::source_location& where) {
  const std::string_view file(where.file_name());
  const auto slash = file.find_last_of('/');
  std::string text =
      fmt::format("{}{}{} failed with {} ({}) at {}:{}", doing, doing.empty() ? "" : ": ", call,
                  cudaGetErrorName(code), cudaGetErrorString(code),
                  slash == std::string_view::npos ? file : file.substr(slash + 1), where.line());
  if (const auto remedy = cuda_remedy(code); !remedy.empty()) text += fmt::format("; {}", remedy);
  return text;
}

void cuda_check(cudaError_t code, const char* call, std::string_view doing,
                const std::source_location& where) {
  if (code == cudaSuccess) return;
  static_cast<void>(cudaGetLastError());
  throw CudaError(code, describe_cuda_error(code, call, doing, where));
}

bool cuda_report(cudaError_t code, const char* call, const std::source_location& where) noexcept {
  if (code == cudaSuccess) return true;
  static_cast<void>(cudaGetLastError());
  try {
    std::fprintf(stderr, "gvf: %s\n", describe_cuda_error(code, call, "", where).c_str());
  } catch (...) {
    std::fprintf(stderr, "gvf: %s failed with CUDA error %d\n", call, static_cast<int>(code));
  }
  return false;
}

}  // namespace gvf
