// Errors that people meet on a GPU: what they say, and that the next call is innocent. Those of captures are
// in capture_errors.cpp.
#include "tests/catch.hpp"
#include "tests/device/cuda_error.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("a launch that cannot be names the kernel and its grid", "[device][error]") {
  const Stream stream = make_stream();
  StreamLauncher launcher(stream.get());
  LaunchConfig config;
  config.grid = dim3(3);
  config.block = dim3(2048);
  const CudaError too_wide = cuda_error([&] { launch_idle(launcher, config); });
  CHECK(too_wide.code() != cudaSuccess);
  CHECK_THAT(too_wide.what(),
             ContainsSubstring("idle_kernel") && ContainsSubstring("with a grid of 3 x 2048 threads"));
  CHECK(cudaGetLastError() == cudaSuccess);
  config.block = dim3(32);
  CHECK_NOTHROW(launch_idle(launcher, config));
  CHECK_NOTHROW(GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting"));
}

TEST_CASE("a cooperative grid that is not resident says what to do", "[device][error]") {
  const Device device = this_device();
  if (!device.cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  const Stream stream = make_stream();
  StreamLauncher launcher(stream.get());
  LaunchConfig config;
  config.block = dim3(1024);
  config.cooperative = true;
  config.grid = dim3(static_cast<unsigned>(resident_blocks(device, idle_function(), 1024)));
  CHECK_NOTHROW(launch_idle(launcher, config));
  config.grid.x += 1;
  const CudaError error = cuda_error([&] { launch_idle(launcher, config); });
  CHECK(error.code() == cudaErrorCooperativeLaunchTooLarge);
  CHECK_THAT(error.what(), ContainsSubstring("SM count x occupancy"));
  CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
}

TEST_CASE("memory that is not there: the error says what to do, and clears", "[device][error]") {
  const CudaError error = cuda_error([] { const DeviceBuffer<float> huge(std::size_t{1} << 42); });
  CHECK(error.code() == cudaErrorMemoryAllocation);
  CHECK_THAT(error.what(),
             ContainsSubstring("allocating device memory") && ContainsSubstring("choose a smaller n"));
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK_NOTHROW(DeviceBuffer<float>(1024));
}

TEST_CASE("the last error is cleared by both forms of the check", "[device][error]") {
  static_cast<void>(cudaGetLastError());
  REQUIRE(cudaSetDevice(1 << 20) != cudaSuccess);
  REQUIRE(cudaPeekAtLastError() != cudaSuccess);  // else the next lines prove nothing
  static_cast<void>(cudaGetLastError());
  CHECK_THROWS_AS(GVF_CUDA(cudaSetDevice(1 << 20), "choosing a device"), CudaError);
  CHECK(cudaGetLastError() == cudaSuccess);
  CHECK_FALSE(GVF_CUDA_NOEXCEPT(cudaSetDevice(1 << 20)));
  CHECK(cudaGetLastError() == cudaSuccess);
}
