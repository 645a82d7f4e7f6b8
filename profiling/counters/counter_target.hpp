// The device side that both profilers share: the current context, the chip's name, whether it can be counted,
// and the claim on CUPTI that keeps a second session out.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "profiling/counters/counter_api.hpp"

namespace gvf::profiling {

class CounterTarget {
 public:
  /// `device` is CUDA's ordinal, whose context is current in this thread. Asks every question that needs no
  /// profiler running: a problem here (no context, device or environment unsupported, no permission) is
  /// final. The table must outlive the target.
  static Result<CounterTarget, CuptiProblem> open(const CounterApi& api, int device,
                                                  CUpti_Profiler_API profiler);

  CounterTarget(CounterTarget&& other) noexcept;
  CounterTarget& operator=(CounterTarget&&) = delete;
  ~CounterTarget();

  CUcontext context() const { return context_; }
  std::size_t device() const { return device_; }
  const std::string& chip() const { return chip_; }  ///< "GH100"
  const std::vector<std::uint8_t>& availability() const { return availability_; }

 private:
  explicit CounterTarget(const CounterApi& api) : api_(&api), owner_(true) {}
  std::optional<CuptiProblem> probe(int device, CUpti_Profiler_API profiler);
  std::optional<CuptiProblem> read_availability(CUpti_Profiler_API profiler);

  const CounterApi* api_;
  bool owner_;  // of CUPTI in this process
  bool initialised_ = false;
  CUcontext context_ = nullptr;
  std::size_t device_ = 0;
  std::string chip_;
  std::vector<std::uint8_t> availability_;
};

}  // namespace gvf::profiling
