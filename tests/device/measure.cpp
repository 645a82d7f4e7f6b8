// The clocks on a real variant, the gate that holds a stream, the device as it is described, and owners of
// real objects.
#include "study/measure/measure.hpp"

#include <chrono>

#include "study/measure/samples.hpp"
#include "tests/catch.hpp"
#include "tests/device/mutants.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using namespace std::chrono_literals;

TEST_CASE("clocks: positive, the wall holds the host's time, and the period is no longer than the wall",
          "[device][measure]") {
  Rig rig(find_pipeline("chain"), {1 << 26, 16, 0});
  Stopwatch stopwatch;
  for (const Structure structure : {Structure::separate, Structure::fused}) {
    for (const char* submission : {"stream", "graph"}) {
      const auto variant = rig.variant(structure, submission);
      for (int i = 0; i < 20; ++i) measure_latency(*variant);
      std::vector<double> walls;
      std::vector<double> spans;
      CAPTURE(variant->name());
      for (int i = 0; i < 20; ++i) {
        const Latency latency = measure_latency(*variant);
        CHECK(latency.host_us > 0);
        CHECK(latency.wall_us >= latency.host_us);
        walls.push_back(latency.wall_us);
        const Span span = measure_span(stopwatch, *variant);
        CHECK(span.reason.empty());
        CHECK(span.span_us > 0);
        spans.push_back(span.span_us);
      }
      const Throughput throughput = measure_throughput(stopwatch, *variant, 50);
      CHECK(throughput.host_us > 0);
      CHECK(throughput.period_us > 0);
      // A tenth for clocks that move between the three.
      CHECK(throughput.period_us <= 1.1 * median(walls));
      CHECK(median(spans) <= 1.1 * median(walls));
      // Bytes cannot move faster than this: a clock that missed the kernels would read less.
      const double promised_us =
          static_cast<double>(rig.pipeline.bytes_min(rig.problem)) / (1e3 * rig.device.memory_gbps);
      if (rig.device.memory_gbps > 0 && rig.pipeline.bytes_min(rig.problem) > 8 * rig.device.l2_bytes) {
        CHECK(throughput.period_us > 0.9 * promised_us);
        CHECK(median(spans) > 0.9 * promised_us);
      }
    }
  }
}

TEST_CASE("clocks: a span that would not fit behind the gate says so", "[device][measure]") {
  Rig rig(find_pipeline("chain"), {many_blocks, 16, 64});  // 1024 launches
  const auto variant = rig.variant(Structure::blocked, "stream");
  Stopwatch stopwatch;
  const Span span = measure_span(stopwatch, *variant);
  CHECK(span.reason == "1024 launches do not fit behind a gate");
  CHECK(measure_span(stopwatch, *rig.variant(Structure::blocked, "graph")).reason.empty());
}

TEST_CASE("gate: opened in time, it holds until then, and never opened, it gives up and says so",
          "[device][measure]") {
  const Stream stream = make_stream();
  profiling::Gate::preload();
  profiling::Gate gate;
  CHECK_FALSE(gate.timed_out());
  gate.close(stream.get(), 10s);
  CHECK(cudaStreamQuery(stream.get()) == cudaErrorNotReady);
  static_cast<void>(cudaGetLastError());  // not ready counts as an error
  gate.open();
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a gate");
  CHECK_FALSE(gate.timed_out());

  const auto begin = std::chrono::steady_clock::now();
  gate.close(stream.get(), 20ms);
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a gate");
  const auto held = std::chrono::steady_clock::now() - begin;
  CHECK(gate.timed_out());
  CHECK(held >= 19ms);
  CHECK(held < 5s);

  gate.close(stream.get(), 10s);
  gate.open();
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a gate");
  CHECK_FALSE(gate.timed_out());  // the verdict is the last gate's
}

TEST_CASE("gate: destroyed while closed, it opens", "[device][measure]") {
  const Stream stream = make_stream();
  const auto begin = std::chrono::steady_clock::now();
  {
    profiling::Gate gate;
    gate.close(stream.get(), 30s);
  }
  CHECK(std::chrono::steady_clock::now() - begin < 10s);
  CHECK(cudaStreamSynchronize(stream.get()) == cudaSuccess);
}

TEST_CASE("device: the probe describes this GPU", "[device][core]") {
  const Device device = this_device();
  CHECK(device.present());
  CHECK_FALSE(device.name.empty());
  CHECK(device.sm_count > 0);
  CHECK(device.max_threads_per_sm >= 1024);
  CHECK(device.compute_major >= 7);
  CHECK(device.l2_bytes > 0);
  CHECK(device.memory_bytes > 0);
  CHECK((device.memory_gbps > 10 && device.memory_gbps < 100000));
  CHECK((free_device_bytes() > 0 && free_device_bytes() <= device.memory_bytes));
  const CudaVersions versions = cuda_versions();
  CHECK(versions.runtime >= 13000);
  CHECK(versions.driver >= versions.runtime - versions.runtime % 1000);
}

TEST_CASE("device: occupancy on the GPU is within what threads allow", "[device][core]") {
  const Device device = this_device();
  for (const int threads : {32, 256, 512, 1024}) {
    const int per_sm = resident_blocks_per_sm(device, idle_function(), threads);
    CAPTURE(threads, per_sm);
    CHECK(per_sm >= 1);
    CHECK(per_sm * threads <= device.max_threads_per_sm);
    CHECK(resident_blocks(device, idle_function(), threads) == per_sm * device.sm_count);
  }
  CHECK(std::string(kernel_name(idle_function())).find("idle_kernel") != std::string::npos);
}

TEST_CASE("handles: real objects survive a move and are freed once", "[device][core]") {
  Stream first = make_stream();
  const cudaStream_t raw = first.get();
  Stream second(std::move(first));
  CHECK_FALSE(first);  // NOLINT: looking at the moved-from state is the point
  CHECK(second.get() == raw);
  CHECK(cudaStreamSynchronize(second.get()) == cudaSuccess);
  second = make_stream();
  CHECK(cudaStreamSynchronize(second.get()) == cudaSuccess);
  Event event = make_event();
  CHECK(cudaEventRecord(event.get(), second.get()) == cudaSuccess);
  event.reset();
  event.reset();

  constexpr std::size_t elements = std::size_t{64} << 20;  // 256 MiB
  DeviceBuffer<float> buffer(elements);
  CHECK(buffer.bytes() == 4 * elements);
  float* data = buffer.data();
  DeviceBuffer<float> moved(std::move(buffer));
  CHECK(moved.data() == data);
  CHECK(moved.size() == elements);
  CHECK(buffer.size() == 0);  // NOLINT: see above
  CHECK(buffer.data() == nullptr);
  CHECK(cudaMemset(moved.data(), 0, moved.bytes()) == cudaSuccess);
  const std::int64_t held = free_device_bytes();
  moved = DeviceBuffer<float>();
  CHECK(free_device_bytes() > held);  // what was held is free again
  CHECK(cudaGetLastError() == cudaSuccess);
}
