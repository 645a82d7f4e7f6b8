// CUDA errors: what they say, and that success says nothing. That the runtime's last error is cleared is
// tested on a device: without a driver the runtime repeats the same error for ever.
#include "core/error.hpp"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <set>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf;
using Catch::Matchers::ContainsSubstring;

namespace {

cudaError_t out_of_memory() {
  return cudaErrorMemoryAllocation;
}

// Fails on every machine: there is no such device, or no device at all.
cudaError_t a_real_failure() {
  return cudaSetDevice(1 << 20);
}

// What `action` writes to stderr.
template <class Action>
std::string stderr_of(Action&& action) {
  const tests::ScratchFolder folder;
  const std::string file = folder.path() / "err";
  std::fflush(stderr);
  const int kept = dup(STDERR_FILENO);
  const int target = open(file.c_str(), O_WRONLY | O_CREAT, 0600);
  dup2(target, STDERR_FILENO);
  action();
  std::fflush(stderr);
  dup2(kept, STDERR_FILENO);
  close(target);
  close(kept);
  return tests::read_text(file);
}

static_assert(noexcept(cuda_report(cudaSuccess, "")));

}  // namespace

TEST_CASE("cuda error: names the call, what was being done, the place, the code and the remedy",
          "[core][error]") {
  const auto here = std::source_location::current();
  try {
    GVF_CUDA(out_of_memory(), "allocating the input of sum_abs");
    FAIL("no exception");
  } catch (const CudaError& error) {
    const std::string text = error.what();
    CAPTURE(text);
    CHECK(error.code() == cudaErrorMemoryAllocation);
    CHECK_THAT(text, ContainsSubstring("allocating the input of sum_abs: out_of_memory() failed with"));
    CHECK_THAT(text, ContainsSubstring("cudaErrorMemoryAllocation"));
    CHECK_THAT(text, ContainsSubstring(" at core_error.cpp:" + std::to_string(here.line() + 2)));
    CHECK_THAT(text, ContainsSubstring("; choose a smaller n"));
    CHECK(text.find('\n') == std::string::npos);
    CHECK(text.find('/') == std::string::npos);  // the file's name, not somebody's folders
  }
}

TEST_CASE("cuda error: without a remedy the line ends at the place", "[core][error]") {
  const auto here = std::source_location::current();
  const std::string text = describe_cuda_error(cudaErrorInvalidValue, "cudaMemcpy", "", here);
  CHECK(text.rfind("cudaMemcpy failed with cudaErrorInvalidValue (", 0) == 0);
  CHECK_THAT(text, Catch::Matchers::EndsWith("core_error.cpp:" + std::to_string(here.line())));
}

TEST_CASE("cuda error: every code that people meet has a remedy", "[core][error]") {
  for (const cudaError_t code : {cudaErrorNoDevice, cudaErrorInsufficientDriver, cudaErrorMemoryAllocation,
                                 cudaErrorNoKernelImageForDevice, cudaErrorCooperativeLaunchTooLarge,
                                 cudaErrorIllegalAddress, cudaErrorLaunchFailure}) {
    CAPTURE(cudaGetErrorName(code));
    CHECK_FALSE(cuda_remedy(code).empty());
  }
  CHECK(cuda_remedy(cudaSuccess).empty());
}

TEST_CASE("cuda error: each that a capture or an update meets has a remedy of its own, in the same line",
          "[core][error]") {
  std::set<std::string_view> remedies;
  for (const cudaError_t code :
       {cudaErrorStreamCaptureUnsupported, cudaErrorStreamCaptureInvalidated, cudaErrorStreamCaptureMerge,
        cudaErrorStreamCaptureUnmatched, cudaErrorStreamCaptureUnjoined, cudaErrorStreamCaptureIsolation,
        cudaErrorStreamCaptureImplicit, cudaErrorCapturedEvent, cudaErrorStreamCaptureWrongThread,
        cudaErrorGraphExecUpdateFailure}) {
    CAPTURE(cudaGetErrorName(code));
    const std::string_view remedy = cuda_remedy(code);
    CHECK_FALSE(remedy.empty());
    CHECK(remedies.insert(remedy).second);
    const std::string text = describe_cuda_error(code, "call", "doing", std::source_location::current());
    CHECK_THAT(text, Catch::Matchers::EndsWith("; " + std::string(remedy)));
    CHECK(text.find('\n') == std::string::npos);
  }
}

TEST_CASE("cuda check: success passes, and clears nothing that is not its own", "[core][error]") {
  CHECK_NOTHROW(cuda_check(cudaSuccess, "call", "doing"));
  CHECK_NOTHROW(GVF_CUDA(cudaSuccess, "doing nothing"));
}

TEST_CASE("cuda check: a real failure throws and reports on any machine", "[core][error]") {
  CHECK_THROWS_AS(GVF_CUDA(a_real_failure(), "choosing a device"), CudaError);
  const std::string said = stderr_of([] { CHECK_FALSE(GVF_CUDA_NOEXCEPT(a_real_failure())); });
  CHECK_THAT(said, ContainsSubstring("a_real_failure() failed with"));
}

TEST_CASE("cuda report: one line on stderr for a failure, none for success", "[core][error]") {
  bool reported = false;
  const std::string said = stderr_of([&] { reported = cuda_report(cudaErrorInvalidValue, "cudaFree"); });
  CHECK_FALSE(reported);
  CHECK(said.rfind("gvf: cudaFree failed with cudaErrorInvalidValue", 0) == 0);
  CHECK(std::count(said.begin(), said.end(), '\n') == 1);
  CHECK(stderr_of([&] { reported = cuda_report(cudaSuccess, "cudaFree"); }).empty());
  CHECK(reported);
}
