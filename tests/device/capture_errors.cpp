// Captures that people break: one line that names the call and the remedy, and a stream that is usable
// afterwards.
#include <functional>
#include <string>
#include <thread>

#include "core/handles.hpp"
#include "graphs/capture.hpp"
#include "graphs/topology.hpp"
#include "tests/catch.hpp"

using namespace gvf;
using namespace gvf::graphs;
using Catch::Matchers::ContainsSubstring;

namespace {

constexpr unsigned word = 40;

Stream blocking_stream() {
  cudaStream_t raw = nullptr;
  GVF_CUDA(cudaStreamCreate(&raw), "creating a blocking stream");
  return Stream(raw);
}

// One kernel of one warp that stores `value` into written word 0.
class OneKernel {
 public:
  explicit OneKernel(unsigned value = word) : kernel_(default_parameter_bytes) { kernel_.set_value(value); }
  void launch(cudaStream_t stream) { enqueue(1, kernel_, stream); }

 private:
  ParameterKernel kernel_;
};

// Outside a capture, able to launch, and able to capture and replay.
void check_usable(const Stream& stream) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusActive;
  REQUIRE(cudaStreamIsCapturing(stream.get(), &status) == cudaSuccess);
  CHECK(status == cudaStreamCaptureStatusNone);
  CHECK(cudaGetLastError() == cudaSuccess);
  OneKernel launched(1), replayed(2);
  clear_written_words();
  launched.launch(stream.get());
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a launch");
  CHECK(written_words(1).front() == 1);
  const Graph graph = capture_stream(stream.get(), [&](cudaStream_t s) { replayed.launch(s); });
  const GraphExec executable = instantiate(graph.get());
  GVF_CUDA(cudaGraphLaunch(executable.get(), stream.get()), "launching a graph");
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
  CHECK(written_words(1).front() == 2);
}

// The one line of the CudaError that `action` throws.
struct Line {
  cudaError_t code = cudaSuccess;
  std::string text;
};
Line line_of(const std::function<void()>& action) {
  Line line;
  try {
    action();
  } catch (const CudaError& error) {
    line = {error.code(), error.what()};
  }
  CHECK(line.text.find('\n') == std::string::npos);
  CHECK(cudaGetLastError() == cudaSuccess);
  return line;
}

// What a thread of its own throws.
Line line_of_another_thread(const std::function<void()>& action) {
  Line line;
  std::thread([&] { line = line_of(action); }).join();
  return line;
}

struct Fork {
  Stream side = make_stream();
  Event forked = make_event(cudaEventDisableTiming);

  void begin(cudaStream_t from) {
    GVF_CUDA(cudaEventRecord(forked.get(), from), "forking a stream");
    GVF_CUDA(cudaStreamWaitEvent(side.get(), forked.get()), "forking a stream");
  }
};

}  // namespace

TEST_CASE("capture: work on the legacy stream is an error that says which call", "[device][error][capture]") {
  OneKernel kernel, warm;
  warm.launch(nullptr);
  GVF_CUDA(cudaDeviceSynchronize(), "warming up");
  const std::function<void(cudaStream_t)> strays = [&](cudaStream_t stream) {
    kernel.launch(stream);
    kernel.launch(cudaStreamLegacy);
  };
  const Stream stream = blocking_stream();
  for (const bool own_stream : {false, true}) {
    CAPTURE(own_stream);
    const Line line = line_of([&] {
      static_cast<void>(own_stream ? capture_stream(strays) : capture_stream(stream.get(), strays));
    });
    CHECK(line.code == cudaErrorStreamCaptureImplicit);
    CHECK_THAT(line.text, ContainsSubstring("cudaErrorStreamCaptureImplicit") &&
                              ContainsSubstring("give it the capturing stream"));
    check_usable(stream);
  }
}

TEST_CASE("capture: a synchronisation inside is an error that says which call", "[device][error][capture]") {
  OneKernel kernel;
  const Stream stream = make_stream();
  const Line line = line_of([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t s) {
      kernel.launch(s);
      GVF_CUDA(cudaStreamSynchronize(s), "waiting for a result");
    }));
  });
  CHECK(line.code == cudaErrorStreamCaptureUnsupported);
  CHECK_THAT(line.text, ContainsSubstring("waiting for a result: cudaStreamSynchronize(s) failed") &&
                            ContainsSubstring("move this call before the capture"));
  check_usable(stream);
}

TEST_CASE("capture: a fork that is not joined", "[device][error][capture]") {
  OneKernel kernel;
  const Stream stream = make_stream();
  Fork fork;
  const Line line = line_of([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t s) {
      kernel.launch(s);
      fork.begin(s);
      kernel.launch(fork.side.get());
    }));
  });
  CHECK(line.code == cudaErrorStreamCaptureUnjoined);
  CHECK_THAT(line.text, ContainsSubstring("cudaStreamEndCapture") &&
                            ContainsSubstring("join every forked stream before the capture ends"));
  check_usable(stream);
  check_usable(fork.side);
}

TEST_CASE("capture: one that an earlier call invalidated, whose error was dropped",
          "[device][error][capture]") {
  OneKernel kernel;
  const Stream stream = make_stream();
  const auto breaks = [](cudaStream_t) {
    void* memory = nullptr;
    CHECK(cudaMalloc(&memory, 1 << 20) == cudaErrorStreamCaptureUnsupported);
    static_cast<void>(cudaGetLastError());
  };
  const Line at_end = line_of([&] { static_cast<void>(capture_stream(stream.get(), breaks)); });
  CHECK(at_end.code == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(at_end.text, ContainsSubstring("cudaStreamEndCapture") &&
                              ContainsSubstring("an earlier call broke this capture"));
  check_usable(stream);

  const Line at_launch = line_of([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t s) {
      breaks(s);
      kernel.launch(s);
    }));
  });
  CHECK(at_launch.code == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(at_launch.text, ContainsSubstring("an earlier call broke this capture"));
  check_usable(stream);
}

TEST_CASE("capture: another thread, in global mode and in thread-local mode", "[device][error][capture]") {
  OneKernel kernel, other(7);
  kernel.launch(nullptr);  // loads the kernel: what loads one is not allowed either
  GVF_CUDA(cudaDeviceSynchronize(), "warming up");
  const Stream stream = make_stream();
  const Stream theirs = make_stream();
  const auto allocates = [] {
    void* memory = nullptr;
    GVF_CUDA(cudaMalloc(&memory, 1 << 20), "allocating on another thread");
    GVF_CUDA(cudaFree(memory), "freeing on another thread");
  };
  const auto launches = [&] {
    other.launch(theirs.get());
    GVF_CUDA(cudaStreamSynchronize(theirs.get()), "waiting on another thread");
  };

  // Global mode: the other thread's call fails, and the capture with it. A launch of its own goes through.
  Line their_line;
  const Line our_line = line_of([&] {
    static_cast<void>(capture_stream(
        stream.get(),
        [&](cudaStream_t s) {
          kernel.launch(s);
          CHECK(line_of_another_thread([&] { other.launch(theirs.get()); }).text.empty());
          their_line = line_of_another_thread(allocates);
        },
        cudaStreamCaptureModeGlobal));
  });
  CHECK(their_line.code == cudaErrorStreamCaptureUnsupported);
  CHECK_THAT(their_line.text, ContainsSubstring("allocating on another thread: cudaMalloc") &&
                                  ContainsSubstring("thread-local mode"));
  CHECK(our_line.code == cudaErrorStreamCaptureInvalidated);
  CHECK_THAT(our_line.text, ContainsSubstring("on all threads if its mode is global"));
  check_usable(stream);
  check_usable(theirs);

  // Thread-local mode, the default: neither is disturbed.
  const Graph graph = capture_stream(stream.get(), [&](cudaStream_t s) {
    kernel.launch(s);
    CHECK(line_of_another_thread(launches).text.empty());
    CHECK(line_of_another_thread(allocates).text.empty());
  });
  CHECK(node_count(graph.get()) == 1);
}

TEST_CASE("capture: ended by another thread", "[device][error][capture]") {
  OneKernel kernel;
  const Stream stream = make_stream();
  Line line;
  const Graph graph = capture_stream(stream.get(), [&](cudaStream_t s) {
    kernel.launch(s);
    line = line_of_another_thread([&] {
      cudaGraph_t raw = nullptr;
      GVF_CUDA(cudaStreamEndCapture(s, &raw), "ending a capture");
    });
  });
  CHECK(line.code == cudaErrorStreamCaptureWrongThread);
  CHECK_THAT(line.text, ContainsSubstring("on the thread that began it"));
  CHECK(node_count(graph.get()) == 1);  // and the one who began it can still end it
  check_usable(stream);
}

TEST_CASE("capture: waiting for work outside, and two captures that wait for each other",
          "[device][error][capture]") {
  OneKernel kernel;
  const Stream stream = make_stream();
  const Stream outside = make_stream();
  const Event before = make_event(cudaEventDisableTiming);
  kernel.launch(outside.get());
  GVF_CUDA(cudaEventRecord(before.get(), outside.get()), "recording an event outside");
  const Line isolation = line_of([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t s) {
      kernel.launch(s);
      GVF_CUDA(cudaStreamWaitEvent(s, before.get()), "waiting for work outside");
    }));
  });
  CHECK(isolation.code == cudaErrorStreamCaptureIsolation);
  CHECK_THAT(isolation.text, ContainsSubstring("waiting for work outside: cudaStreamWaitEvent") &&
                                 ContainsSubstring("wait for it before the capture begins"));
  check_usable(stream);

  const Event inside = make_event(cudaEventDisableTiming);
  Line merge;
  const Line first = line_of([&] {
    static_cast<void>(capture_stream(stream.get(), [&](cudaStream_t s) {
      kernel.launch(s);
      GVF_CUDA(cudaEventRecord(inside.get(), s), "recording an event inside");
      merge = line_of([&] {
        static_cast<void>(capture_stream(outside.get(), [&](cudaStream_t other) {
          kernel.launch(other);
          GVF_CUDA(cudaStreamWaitEvent(other, inside.get()), "waiting for another capture");
        }));
      });
    }));
  });
  CHECK(merge.code == cudaErrorStreamCaptureMerge);
  CHECK_THAT(merge.text, ContainsSubstring("capture both into one graph"));
  CHECK((first.code == cudaSuccess || first.code == cudaErrorStreamCaptureInvalidated));
  check_usable(stream);
  check_usable(outside);

  const Line captured =
      line_of([&] { GVF_CUDA(cudaEventSynchronize(inside.get()), "waiting for a captured event"); });
  CHECK(captured.code == cudaErrorCapturedEvent);
  CHECK_THAT(captured.text, ContainsSubstring("record one after the launch"));
}
