// DRAM bandwidth over time by PM sampling: the hardware writes its counters at a fixed interval, whoever
// runs, and nothing is serialised. For work of many intervals; short rows are counted over a range instead.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "profiling/counters/counter_target.hpp"
#include "profiling/counters/metrics.hpp"

namespace gvf::profiling {

struct PmSamplingOptions {
  int device = 0;  ///< CUDA's ordinal; its context is current in this thread
  /// 10 kHz, which Nsight Systems samples at by default.
  std::uint64_t interval_ns = 100'000;
  std::uint32_t samples_at_a_time = 10'000;  ///< decoded into host memory, when the work has ended
  /// What the GPU's memory holds until then: as much as NVIDIA's own sample takes for 10 000 samples.
  std::size_t hardware_buffer_bytes = std::size_t{512} << 20;
};

/// One interval, in GPU time. GB/s are bytes per ns.
struct PmSample {
  std::uint64_t begin_ns = 0;
  std::uint64_t end_ns = 0;
  std::optional<double> dram_read_gbps, dram_write_gbps;  ///< absent: the chip does not count it
  bool operator==(const PmSample&) const = default;
};

/// One per process at a time, and none while another CUPTI session is open.
class PmSamplingSession {
 public:
  static Result<PmSamplingSession, CuptiProblem> open(const CounterApi& api,
                                                      const PmSamplingOptions& options = {});

  PmSamplingSession(PmSamplingSession&& other) noexcept;
  PmSamplingSession& operator=(PmSamplingSession&&) = delete;
  ~PmSamplingSession();

  /// Samples while `work` runs, which returns when the device has finished it; in order of time, without the
  /// first, whose interval began before `work` did. An exception from `work` ends the sampling and goes on to
  /// the caller.
  Result<std::vector<PmSample>, CuptiProblem> sample(const std::function<void()>& work);

  const std::vector<Reason>& unavailable() const { return schedule_.unavailable(); }

 private:
  PmSamplingSession(std::unique_ptr<const CounterApi> api, CounterTarget target, MetricSchedule schedule,
                    const PmSamplingOptions& options)
      : api_(std::move(api)), target_(std::move(target)), schedule_(std::move(schedule)), options_(options) {}
  std::optional<CuptiProblem> configure();
  std::optional<CuptiProblem> clear_data();
  CUptiResult stop();
  std::optional<CuptiProblem> decode_all(std::vector<PmSample>& samples);
  std::optional<CuptiProblem> read_data(std::vector<PmSample>& samples);
  std::optional<CuptiProblem> check(CUptiResult status, const char* call) const;

  std::unique_ptr<const CounterApi> api_;  // at an address that the others can keep
  CounterTarget target_;
  MetricSchedule schedule_;
  PmSamplingOptions options_;
  CUpti_PmSampling_Object* object_ = nullptr;
  std::vector<std::uint8_t> data_;
};

}  // namespace gvf::profiling
