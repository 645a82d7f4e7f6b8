// Errors that people meet on a GPU: what they say, and that the next call is innocent.
#include "graphs/capture.hpp"
#include "tests/catch.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// The CudaError that `action` throws; its message is "" when it throws none.
template <class Action>
CudaError cuda_error(Action&& action) {
  try {
    action();
  } catch (const CudaError& error) {
    return error;
  }
  return {cudaSuccess, ""};
}

void check_runs(Rig& rig, Variant& variant) {
  rig.workload->poison();
  variant.submit();
  variant.synchronize();
  CHECK(rig.workload->verify(variant.slices()).passed);
}

}  // namespace

TEST_CASE("an allocation inside a capture is named, and breaks nothing else", "[device][error]") {
  Rig rig(find_pipeline("sum_abs"), {1023, 2, 0});
  const auto stream = rig.variant(Structure::fused, "stream");
  const auto graph = rig.variant(Structure::fused, "graph");
  const Enqueue allocates = [](Launcher& launcher) {
    launcher.library("lib::allocates", [](cudaStream_t) {
      void* memory = nullptr;
      const cudaError_t status = cudaMalloc(&memory, 1 << 20);
      cudaFree(memory);
      return status;
    });
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    const CudaError error = cuda_error([&] { static_cast<void>(graphs::capture(allocates)); });
    CHECK(error.code() == cudaErrorStreamCaptureUnsupported);
    CHECK_THAT(error.what(), ContainsSubstring("lib::allocates failed with") &&
                                 ContainsSubstring("; move this call before the capture"));
    CHECK(cudaGetLastError() == cudaSuccess);
    check_runs(rig, *stream);
    check_runs(rig, *graph);
    CHECK_NOTHROW(rig.variant(Structure::separate, "graph"));  // the next capture works
  }
  StreamLauncher launcher(rig.stream.get());
  CHECK_NOTHROW(allocates(launcher));  // outside a capture it is allowed
}

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
