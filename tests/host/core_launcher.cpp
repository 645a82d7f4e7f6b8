// The Launcher's own work: arguments become the kernel's parameter types, whatever the submission; and the
// described device, from which shapes follow without a GPU.
#include "core/launcher.hpp"

#include <cstdint>

#include "core/submission.hpp"
#include "tests/catch.hpp"
#include "tests/recording_launcher.hpp"

using namespace gvf;
using namespace gvf::tests;

namespace {

struct Step {
  float scale = 2;
};

// Never called: a launcher only takes its address.
void fake_kernel(const float*, std::int64_t, float, bool, const Step) {}
void other_kernel() {}

// Copies the parameters out while they are valid.
class ArgumentReader : public Launcher {
 public:
  const float* pointer = nullptr;
  std::int64_t n = 0;
  float value = 0;
  bool flag = false;
  Step step;
  std::size_t count = 0;
  const void* function = nullptr;
  LaunchConfig config;

 protected:
  void submit(const KernelLaunch& launch) override {
    function = launch.function;
    config = launch.config;
    count = launch.argument_count;
    if (count != 5) return;
    pointer = *static_cast<const float**>(launch.arguments[0]);
    n = *static_cast<std::int64_t*>(launch.arguments[1]);
    value = *static_cast<float*>(launch.arguments[2]);
    flag = *static_cast<bool*>(launch.arguments[3]);
    step = *static_cast<Step*>(launch.arguments[4]);
  }
  void submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) override {
    cuda_check(call(nullptr), what, "calling a library");
  }
};

}  // namespace

TEST_CASE("launcher: arguments convert to the kernel's parameter types", "[core][launcher]") {
  ArgumentReader reader;
  float data[4] = {};
  LaunchConfig config;
  config.grid = dim3(7, 2);
  config.block = dim3(96);
  config.shared_bytes = 128;
  const unsigned small = 3000000000U;  // would be negative as an int
  reader.launch(fake_kernel, config, data, small, 2.5, 1, Step{9});
  CHECK(reader.function == reinterpret_cast<const void*>(&fake_kernel));
  CHECK(reader.count == 5);
  CHECK(reader.pointer == data);
  CHECK(reader.n == 3000000000LL);
  CHECK(reader.value == 2.5f);
  CHECK(reader.flag);
  CHECK(reader.step.scale == 9);
  CHECK(reader.config.grid.x == 7);
  CHECK(reader.config.grid.y == 2);
  CHECK(reader.config.block.x == 96);
  CHECK(reader.config.shared_bytes == 128);
  CHECK_FALSE(reader.config.cooperative);
  reader.launch(other_kernel, LaunchConfig{});
  CHECK(reader.count == 0);
  CHECK(reader.function == reinterpret_cast<const void*>(&other_kernel));
}

TEST_CASE("launcher: a library call gets through with its name and its status", "[core][launcher]") {
  ArgumentReader reader;
  int called = 0;
  reader.library("lib::good", [&](cudaStream_t) {
    ++called;
    return cudaSuccess;
  });
  CHECK(called == 1);
  try {
    reader.library("lib::bad", [](cudaStream_t) { return cudaErrorInvalidValue; });
    FAIL("no exception");
  } catch (const CudaError& error) {
    CHECK_THAT(error.what(), Catch::Matchers::ContainsSubstring("lib::bad"));
  }
}

TEST_CASE("launcher: a stream submission enqueues once a submit and counts its calls", "[core][launcher]") {
  int enqueued = 0;
  StreamSubmission submission([&](Launcher&) { ++enqueued; }, nullptr);
  CHECK(enqueued == 0);
  submission.submit();
  submission.submit();
  CHECK(enqueued == 2);
  CHECK(submission.host_submissions(7) == 7);
}

TEST_CASE("device: a described one bounds residency by threads alone", "[core][device]") {
  const Device device = described_device();
  CHECK_FALSE(device.present());
  CHECK(resident_blocks_per_sm(device, nullptr, 512) == 4);
  CHECK(resident_blocks(device, nullptr, 512) == 4 * 132);
  CHECK(resident_blocks(device, nullptr, 1024) == 2 * 132);
  Device tiny = device;
  tiny.sm_count = 1;
  tiny.max_threads_per_sm = 256;
  CHECK(resident_blocks(tiny, nullptr, 512) == 1);  // never 0: a grid of 0 blocks is an error
}

TEST_CASE("device: probing never throws, and says why where there is none", "[core][device]") {
  const auto probed = probe_device();
  if (const auto* missing = std::get_if<NoDevice>(&probed)) {
    CHECK_THAT(missing->reason, Catch::Matchers::ContainsSubstring("no usable GPU: cudaError"));
    CHECK_THAT(missing->reason, Catch::Matchers::ContainsSubstring("; "));
    CHECK(missing->reason.find('\n') == std::string::npos);
  } else {
    CHECK(std::get<Device>(probed).present());
  }
}
