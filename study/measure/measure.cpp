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

Latency measure_latency(Variant& variant) {
  const auto begin = SteadyClock::now();
  variant.submit();
  const auto submitted = SteadyClock::now();
  variant.synchronize();
  const auto end = SteadyClock::now();
  return {microseconds(submitted - begin), microseconds(end - begin)};
}

Throughput measure_throughput(Stopwatch& stopwatch, Variant& variant, int iterations) {
  GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), variant.stream()), "timing " + variant.name());
  const auto begin = SteadyClock::now();
  for (int i = 0; i < iterations; ++i) variant.submit();
  const auto submitted = SteadyClock::now();
  GVF_CUDA(cudaEventRecord(stopwatch.end.get(), variant.stream()), "timing " + variant.name());
  variant.synchronize();
  return {microseconds(submitted - begin) / iterations,
          elapsed_us(stopwatch.begin, stopwatch.end) / iterations};
}

Span measure_span(Stopwatch& stopwatch, Variant& variant) {
  if (variant.host_submissions() > queue_room) {
    return {0, fmt::format("{} launches do not fit behind a gate", variant.host_submissions())};
  }
  stopwatch.gate.close(variant.stream());
  GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), variant.stream()), "timing " + variant.name());
  variant.submit();
  GVF_CUDA(cudaEventRecord(stopwatch.end.get(), variant.stream()), "timing " + variant.name());
  stopwatch.gate.open();
  variant.synchronize();
  if (stopwatch.gate.timed_out()) return {0, "the gate timed out: is a tool serialising launches?"};
  return {elapsed_us(stopwatch.begin, stopwatch.end), {}};
}

}  // namespace gvf::study
