// Errors that people meet with captures and updates: one line that names the call and the remedy, and a
// stream that is usable afterwards.
#include <functional>
#include <future>
#include <optional>
#include <vector>

#include "graphs/branches.hpp"
#include "graphs/capture.hpp"
#include "graphs/executable_update.hpp"
#include "graphs/topology.hpp"
#include "tests/catch.hpp"
#include "tests/device/cuda_error.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::graphs;
using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// As most programs make theirs: it and the legacy default stream wait for one another.
Stream make_blocking_stream() {
  cudaStream_t raw = nullptr;
  GVF_CUDA(cudaStreamCreate(&raw), "creating a blocking stream");
  return Stream(raw);
}

void count_in(cudaStream_t stream, unsigned* count) {
  StreamLauncher launcher(stream);
  launch_count(launcher, count);
}

// Counts launches of a kernel that adds one.
class Counter {
 public:
  Counter() {
    GVF_CUDA(cudaMemset(count_.data(), 0, count_.bytes()), "clearing a count");
    GVF_CUDA(cudaDeviceSynchronize(), "clearing a count");  // no non-blocking stream waits for it
  }
  [[nodiscard]] unsigned* data() const { return count_.data(); }
  [[nodiscard]] unsigned value() const {
    unsigned value = 0;
    GVF_CUDA(cudaDeviceSynchronize(), "waiting for a count");
    GVF_CUDA(cudaMemcpy(&value, count_.data(), sizeof(value), cudaMemcpyDeviceToHost), "reading a count");
    return value;
  }

 private:
  DeviceBuffer<unsigned> count_{1};
};

// No error is left behind; `stream` is in no capture, runs a launch, captures, and runs what it captured.
void check_usable(cudaStream_t stream) {
  CHECK(cudaGetLastError() == cudaSuccess);
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusInvalidated;
  CHECK(cudaStreamIsCapturing(stream, &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  const Counter counter;
  CHECK_NOTHROW(count_in(stream, counter.data()));
  CHECK(counter.value() == 1);
  const CudaError error = cuda_error([&] {
    const Graph graph =
        capture_stream(stream, [&](cudaStream_t capturing) { count_in(capturing, counter.data()); });
    const GraphExec executable = instantiate(graph.get());
    GVF_CUDA(cudaGraphLaunch(executable.get(), stream), "launching a graph");
    CHECK(counter.value() == 2);
  });
  CHECK(std::string(error.what()).empty());
}

// Rethrows what `action` throws there.
void on_another_thread(const std::function<void()>& action) {
  std::async(std::launch::async, action).get();
}

void check_runs(Rig& rig, Variant& variant) {
  rig.workload->poison();
  variant.submit();
  variant.synchronize();
  CHECK(rig.workload->verify(variant.slices()).passed);
}

}  // namespace

TEST_CASE("a call on the legacy stream during a blocking stream's capture is named", "[device][error]") {
  struct Call {
    const char* said;
    std::function<void(Launcher&)> make;
  };
  const Counter counter;
  unsigned* const count = counter.data();
  const std::vector<Call> calls{
      {"cudaLaunchKernelExC failed with", [&](Launcher&) { count_in(nullptr, count); }},
      {"lib::uses_the_default_stream failed with",
       [&](Launcher& launcher) {
         launcher.library("lib::uses_the_default_stream",
                          [&](cudaStream_t) { return cudaMemsetAsync(count, 0, sizeof(*count), nullptr); });
       }},
      {"cudaMemset(count, 0, sizeof(*count)) failed with",
       [&](Launcher&) { GVF_CUDA(cudaMemset(count, 0, sizeof(*count)), "clearing a count"); }},
      {"cudaStreamSynchronize(cudaStreamLegacy) failed with",
       [](Launcher&) { GVF_CUDA(cudaStreamSynchronize(cudaStreamLegacy), "waiting"); }},
  };
  const Stream stream = make_blocking_stream();
  check_usable(stream.get());
  for (const Call& call : calls) {
    CAPTURE(call.said);
    const CudaError error = cuda_error([&] {
      static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t capturing) {
        StreamLauncher launcher(capturing);
        launch_count(launcher, count);
        call.make(launcher);
      }));
    });
    CHECK(error.code() == cudaErrorStreamCaptureImplicit);
    CHECK_THAT(error.what(), ContainsSubstring(call.said) &&
                                 ContainsSubstring("cudaErrorStreamCaptureImplicit") &&
                                 ContainsSubstring("; the call used the legacy default stream"));
    check_usable(stream.get());
  }
  CHECK(counter.value() == 0);  // nothing of it ran
}

TEST_CASE("a pipeline that strays onto the legacy stream is not captured without it", "[device][error]") {
  const Counter counter;
  const Enqueue strays = [&](Launcher& launcher) {
    launch_count(launcher, counter.data());
    launcher.library("lib::strays", [&](cudaStream_t) {
      return cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), cudaStreamLegacy);
    });
  };
  for (int attempt = 0; attempt < 2; ++attempt) {
    const CudaError error = cuda_error([&] { static_cast<void>(capture(strays)); });
    CHECK(error.code() == cudaErrorStreamCaptureImplicit);
    CHECK_THAT(error.what(), ContainsSubstring("lib::strays failed with") &&
                                 ContainsSubstring("; the call used the legacy default stream"));
    check_usable(make_stream().get());
  }
}

TEST_CASE("beside a non-blocking stream's capture the legacy stream runs, and is not captured",
          "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  const Graph graph = capture_stream(stream.get(), [&](cudaStream_t capturing) {
    count_in(capturing, counter.data());
    count_in(nullptr, counter.data());
  });
  CHECK(node_count(graph.get()) == 1);
  CHECK(counter.value() == 1);
  check_usable(stream.get());
}

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
    const CudaError error = cuda_error([&] { static_cast<void>(capture(allocates)); });
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

TEST_CASE("an error on a forked lane is told as it is, and the next capture works", "[device][error]") {
  const Counter counter;
  bool allocates = true;
  const Enqueue enqueue = [&](Launcher& launcher) {
    for (int lane = 0; lane < 2; ++lane) {
      launcher.begin_lane(lane);
      launch_count(launcher, counter.data());
    }
    if (!allocates) return;
    launcher.library("lib::allocates", [](cudaStream_t) {
      void* memory = nullptr;
      return cudaMalloc(&memory, 1 << 20);
    });
  };
  const CudaError error = cuda_error([&] { static_cast<void>(build_branches(enqueue)); });
  CHECK(error.code() == cudaErrorStreamCaptureUnsupported);
  CHECK_THAT(error.what(), ContainsSubstring("lib::allocates failed with"));
  CHECK(cudaGetLastError() == cudaSuccess);
  allocates = false;
  CHECK(node_count(build_branches(enqueue).graph.get()) == 2);
}

TEST_CASE("a fork that is not joined is named, and leaves both streams usable", "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  std::optional<ForkedStream> forked;
  const CudaError error = cuda_error([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t capturing) {
      count_in(capturing, counter.data());
      forked.emplace(capturing);
      count_in(forked->get(), counter.data());
    }));
  });
  CHECK(error.code() == cudaErrorStreamCaptureUnjoined);
  CHECK_THAT(error.what(), ContainsSubstring("ending a stream capture: cudaStreamEndCapture failed with") &&
                               ContainsSubstring("; join every forked stream before the capture ends"));
  check_usable(stream.get());
  check_usable(forked->get());
  CHECK(counter.value() == 0);
}

TEST_CASE("a capture that an ignored error broke says so, and which where that can be told",
          "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  const auto breaks = [] {
    void* memory = nullptr;
    static_cast<void>(cudaMalloc(&memory, 1 << 20));
  };
  const auto error_of = [&](const std::function<void()>& behind) {
    return cuda_error([&] {
      static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t capturing) {
        count_in(capturing, counter.data());
        breaks();
        behind();
      }));
    });
  };
  const auto has_remedy = [](const CudaError& error) {
    CHECK_THAT(error.what(), ContainsSubstring("; an earlier call broke the capture") &&
                                 ContainsSubstring("cudaStreamIsCapturing behind each"));
  };

  const CudaError unread = error_of([] {});
  CHECK(unread.code() == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(unread.what(),
             ContainsSubstring("ending a stream capture with cudaErrorStreamCaptureUnsupported "
                               "unread: cudaStreamEndCapture failed with"));
  has_remedy(unread);
  check_usable(stream.get());

  const CudaError cleared = error_of([] { static_cast<void>(cudaGetLastError()); });
  CHECK(cleared.code() == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(cleared.what(), ContainsSubstring("ending a stream capture: cudaStreamEndCapture failed with"));
  has_remedy(cleared);
  check_usable(stream.get());

  // The next checked call says it first.
  const CudaError launch = error_of([&] { count_in(stream.get(), counter.data()); });
  CHECK(launch.code() == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(launch.what(), ContainsSubstring("count_kernel") && ContainsSubstring("cudaLaunchKernelExC"));
  has_remedy(launch);
  check_usable(stream.get());
  CHECK(counter.value() == 0);
}

TEST_CASE("another thread's unsafe call breaks a global capture, and not a thread-local one",
          "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  DeviceBuffer<unsigned> memory;
  CudaError theirs(cudaSuccess, "");
  const auto work = [&](cudaStream_t capturing) {
    count_in(capturing, counter.data());
    theirs = cuda_error([&] { on_another_thread([&] { memory = DeviceBuffer<unsigned>(1024); }); });
  };
  const CudaError ours =
      cuda_error([&] { static_cast<void>(capture_stream(stream.get(), work, cudaStreamCaptureModeGlobal)); });
  CHECK(theirs.code() == cudaErrorStreamCaptureUnsupported);
  CHECK_THAT(theirs.what(),
             ContainsSubstring("allocating device memory: cudaMalloc") &&
                 ContainsSubstring("begin that capture with cudaStreamCaptureModeThreadLocal"));
  CHECK(ours.code() == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(ours.what(), ContainsSubstring("perhaps on another thread"));
  check_usable(stream.get());

  CHECK(node_count(capture_stream(stream.get(), work).get()) == 1);
  CHECK(std::string(theirs.what()).empty());
  CHECK(memory.size() == 1024);
  check_usable(stream.get());
}

TEST_CASE("what another thread launches into a captured stream is captured, but ending is not its to do",
          "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  const Graph graph = capture_stream(stream.get(), [&](cudaStream_t capturing) {
    count_in(capturing, counter.data());
    on_another_thread([&] { count_in(capturing, counter.data()); });
  });
  CHECK(node_count(graph.get()) == 2);
  CHECK(counter.value() == 0);

  CudaError theirs(cudaSuccess, "");
  const CudaError ours = cuda_error([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t capturing) {
      count_in(capturing, counter.data());
      theirs = cuda_error([&] {
        on_another_thread([&] {
          cudaGraph_t ended = nullptr;
          GVF_CUDA(cudaStreamEndCapture(capturing, &ended), "ending another thread's capture");
        });
      });
    }));
  });
  CHECK(theirs.code() == cudaErrorStreamCaptureWrongThread);
  CHECK_THAT(theirs.what(),
             ContainsSubstring("ending another thread's capture: cudaStreamEndCapture(capturing, &ended) "
                               "failed with") &&
                 ContainsSubstring("; end the capture on the thread that began it"));
  // Whether the attempt breaks the capture CUDA does not say; the stream is out of it in both cases.
  CAPTURE(ours.what());
  CHECK((ours.code() == cudaSuccess || ours.code() == cudaErrorStreamCaptureInvalidated ||
         ours.code() == cudaErrorIllegalState));  // the last on driver 580
  check_usable(stream.get());
}

TEST_CASE("an update to another shape is refused with both shapes", "[device][error]") {
  ParameterKernel kernel(default_parameter_bytes);
  const Stream stream = make_stream();
  const NumberedGraph line = build(Shape::straight_line, 8, kernel);
  const GraphExec executable = instantiate(line.graph.get());
  const auto refused = [&](Shape shape, int nodes) {
    const NumberedGraph other = build(shape, nodes, kernel);
    const CudaError error =
        cuda_error([&] { update_executable(executable.get(), line.graph.get(), other.graph.get()); });
    CHECK(error.code() == cudaErrorGraphExecUpdateFailure);
    CHECK_THAT(error.what(), ContainsSubstring(": cudaGraphExecUpdate failed with") &&
                                 ContainsSubstring("; instantiate the new graph"));
    check_usable(stream.get());
    return error;
  };
  CHECK_THAT(refused(Shape::straight_line, 9).what(),
             ContainsSubstring("an executable graph of 8 nodes (8 kernel), 7 edges with one of 9 nodes (9 "
                               "kernel), 8 edges, which changes its nodes or edges"));
  CHECK_THAT(
      refused(Shape::fan_out, 8).what(),
      ContainsSubstring("8 nodes (8 kernel), 7 edges, roots: 1, leaves: 1 with one of 8 nodes (8 "
                        "kernel), 7 edges, roots: 1, leaves: 7, which changes its nodes or edges: node ") &&
          ContainsSubstring("store_parameter"));
  CHECK(cudaGraphLaunch(executable.get(), stream.get()) == cudaSuccess);  // it is as it was
  CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
}

TEST_CASE("an update to another type of node is refused with both types", "[device][error]") {
  const Stream stream = make_stream();
  const Counter counter;
  const auto captured = [&](bool clears_first) {
    return capture_stream(stream.get(), [&](cudaStream_t capturing) {
      const auto clear = [&] {
        GVF_CUDA(cudaMemsetAsync(counter.data(), 0, sizeof(unsigned), capturing), "clearing a count");
      };
      if (clears_first) clear();
      count_in(capturing, counter.data());
      if (!clears_first) clear();
    });
  };
  const Graph graph = captured(true);
  const Graph swapped = captured(false);
  const GraphExec executable = instantiate(graph.get());
  const CudaError error =
      cuda_error([&] { update_executable(executable.get(), graph.get(), swapped.get()); });
  CHECK(error.code() == cudaErrorGraphExecUpdateFailure);
  CHECK_THAT(error.what(),
             ContainsSubstring("with one of as many, which changes the type of a node: node ") &&
                 ContainsSubstring("count_kernel") && ContainsSubstring(" and was ") &&
                 ContainsSubstring("memset (predecessors: "));
  check_usable(stream.get());
  CHECK(cudaGraphLaunch(executable.get(), stream.get()) == cudaSuccess);
  CHECK(counter.value() == 1);
}
