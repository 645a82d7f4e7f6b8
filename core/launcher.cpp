// Implements core/launcher.hpp.
#include "core/launcher.hpp"

#include <fmt/format.h>

#include <array>

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
  std::array<cudaLaunchAttribute, 2> attributes{};
  unsigned count = 0;
  if (launch.config.cooperative) {
    attributes[count].id = cudaLaunchAttributeCooperative;
    attributes[count++].val.cooperative = 1;
  }
  if (edge_ == Edge::programmatic) {
    attributes[count].id = cudaLaunchAttributeProgrammaticStreamSerialization;
    attributes[count++].val.programmaticStreamSerializationAllowed = 1;
  }
  cudaLaunchConfig_t config{};
  config.gridDim = launch.config.grid;
  config.blockDim = launch.config.block;
  config.dynamicSmemBytes = launch.config.shared_bytes;
  config.stream = stream_;
  config.attrs = attributes.data();
  config.numAttrs = count;
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
