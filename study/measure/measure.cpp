// Implements study/measure/measure.hpp.
#include "study/measure/measure.hpp"

#include <fmt/format.h>

#include <chrono>

#include "core/error.hpp"

namespace gvf::study {
namespace {

using SteadyClock = std::chrono::steady_clock;

double microseconds(SteadyClock::duration duration) {
  return std::chrono::duration<double, std::micro>(duration).count();
}

double elapsed_us(const Event& begin, const Event& end) {
  float ms = 0;
  GVF_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()), "reading elapsed time");
  return 1e3 * ms;
}

// Launches that fit behind a closed gate with room to spare: a full queue would block the host before it can
// open the gate. Current drivers queue 1024.
constexpr int queue_room = 500;

}  // namespace

Latency measure_latency(Runnable& runnable) {
  const auto begin = SteadyClock::now();
  runnable.submit();
  const auto submitted = SteadyClock::now();
  runnable.synchronize();
  const auto end = SteadyClock::now();
  return {microseconds(submitted - begin), microseconds(end - begin)};
}

Throughput measure_throughput(Stopwatch& stopwatch, Runnable& runnable, int iterations) {
  GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), runnable.stream()), "timing " + runnable.name());
  const auto begin = SteadyClock::now();
  for (int i = 0; i < iterations; ++i) runnable.submit();
  const auto submitted = SteadyClock::now();
  GVF_CUDA(cudaEventRecord(stopwatch.end.get(), runnable.stream()), "timing " + runnable.name());
  runnable.synchronize();
  return {microseconds(submitted - begin) / iterations,
          elapsed_us(stopwatch.begin, stopwatch.end) / iterations};
}

Span measure_span(Stopwatch& stopwatch, Runnable& runnable) {
  if (runnable.host_submissions() > queue_room) {
    return {0, fmt::format("{} launches do not fit behind a gate", runnable.host_submissions())};
  }
  stopwatch.gate.close(runnable.stream());
  GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), runnable.stream()), "timing " + runnable.name());
  runnable.submit();
  GVF_CUDA(cudaEventRecord(stopwatch.end.get(), runnable.stream()), "timing " + runnable.name());
  stopwatch.gate.open();
  runnable.synchronize();
  if (stopwatch.gate.timed_out()) return {0, "the gate timed out: is a tool serialising launches?"};
  return {elapsed_us(stopwatch.begin, stopwatch.end), {}};
}

}  // namespace gvf::study
