// Implements core/launcher.hpp.
#include "core/launcher.hpp"

#include <fmt/format.h>

namespace gvf {

const char* kernel_name(const void* function) noexcept {
  const char* name = nullptr;
  if (cudaFuncGetName(&name, function) != cudaSuccess || name == nullptr) {
    static_cast<void>(cudaGetLastError());
    return "kernel";
  }
  return name;
}

void StreamLauncher::submit(const KernelLaunch& launch) {
  cudaLaunchAttribute attribute{};
  bool has_attribute = true;
  if (launch.config.cooperative) {
    attribute.id = cudaLaunchAttributeCooperative;
    attribute.val.cooperative = 1;
  } else if (edge_ == Edge::programmatic) {
    attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attribute.val.programmaticStreamSerializationAllowed = 1;
  } else {
    has_attribute = false;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = launch.config.grid;
  config.blockDim = launch.config.block;
  config.dynamicSmemBytes = launch.config.shared_bytes;
  config.stream = stream_;
  config.attrs = &attribute;
  config.numAttrs = has_attribute ? 1 : 0;
  const cudaError_t status = cudaLaunchKernelExC(&config, launch.function, launch.arguments);
  if (status != cudaSuccess) {
    cuda_check(status, "cudaLaunchKernelExC",
               fmt::format("launching {} with a grid of {} x {} threads", kernel_name(launch.function),
                           launch.config.grid.x, launch.config.block.x));
  }
}

void StreamLauncher::submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) {
  cuda_check(call(stream_), what, "calling a library");
}

}  // namespace gvf
