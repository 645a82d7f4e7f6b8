// Device tests. Without a usable GPU each ends as skipped with the CUDA runtime's reason; listing needs none.
// `--probe` runs no test and only says which of the two it would be.
#include <cuda_runtime_api.h>

#include <string>
#include <string_view>

#include "tests/catch_main.hpp"

namespace {

// Creates a context, since a device that is counted can still be unusable. Returns the reason, "" when all is
// well.
std::string why_no_gpu() {
  int devices = 0;
  cudaError_t status = cudaGetDeviceCount(&devices);
  if (status == cudaSuccess && devices == 0) status = cudaErrorNoDevice;
  if (status == cudaSuccess) status = cudaFree(nullptr);
  if (status == cudaSuccess) return "";
  return std::string(cudaGetErrorString(status)) + " (" + cudaGetErrorName(status) + ")";
}

int probe() {
  const std::string reason = why_no_gpu();
  if (!reason.empty()) return gvf::tests::skip_all(reason);
  cudaDeviceProp properties{};
  if (cudaGetDeviceProperties(&properties, 0) != cudaSuccess)
    return gvf::tests::skip_all("the device tells no properties");
  std::cout << "device tests run on " << properties.name << std::endl;
  return gvf::tests::exit_passed;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc == 2 && std::string_view(argv[1]) == "--probe") return probe();
  Catch::Session session;
  if (const int status = session.applyCommandLine(argc, argv); status != 0) return gvf::tests::exit_failed;
  if (!gvf::tests::only_lists(session.configData())) {
    if (const std::string reason = why_no_gpu(); !reason.empty()) return gvf::tests::skip_all(reason);
  }
  return gvf::tests::run_catch(session);
}
