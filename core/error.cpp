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
      return "move this call before the capture; where another thread captures, begin that capture with "
             "cudaStreamCaptureModeThreadLocal";
    case cudaErrorStreamCaptureInvalidated:
      return "an earlier call broke the capture, perhaps on another thread, and its error was ignored: check "
             "every call, or ask cudaStreamIsCapturing behind each to find the one that invalidates it";
    case cudaErrorStreamCaptureMerge:
      return "keep the two captures apart: neither may wait for an event that the other one recorded";
    case cudaErrorStreamCaptureUnmatched:
      return "end the capture on the stream that it began on";
    case cudaErrorStreamCaptureUnjoined:
      return "join every forked stream before the capture ends: record an event on it, and let the stream "
             "that the capture began on wait for that";
    case cudaErrorStreamCaptureIsolation:
      return "record the event inside the capture, or wait for it before the capture begins";
    case cudaErrorStreamCaptureImplicit:
      return "the call used the legacy default stream: give it the capturing stream (beside a capture on a "
             "cudaStreamNonBlocking stream it runs at once, and is not captured)";
    case cudaErrorCapturedEvent:
      return "an event recorded in a capture only orders captured work: to query, time or wait for it, "
             "record it behind the graph's launch, or with cudaEventRecordExternal";
    case cudaErrorStreamCaptureWrongThread:
      return "end the capture on the thread that began it, or begin it with cudaStreamCaptureModeRelaxed";
    case cudaErrorGraphExecUpdateFailure:
      return "instantiate the new graph to take the executable's place: an update takes over parameters, not "
             "nodes or edges";
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
