// The metrics that gvf counts, and CUPTI's host half: which of them a chip has, the config image that
// programs the hardware, and the values behind counter data. Needs no GPU.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "profiling/counters/counter_api.hpp"

namespace gvf::profiling {

/// A quantity, and what it is called: chips differ in spelling (GB20x: dram__bytes_op_read), the first that
/// the chip has is taken.
struct MetricRequest {
  std::string quantity;
  std::vector<std::string> spellings;
};

/// Keys of the values that default_metrics and bandwidth_metrics give.
namespace quantity {
inline constexpr const char* dram_read_bytes = "dram_read_bytes";
inline constexpr const char* dram_write_bytes = "dram_write_bytes";
inline constexpr const char* l2_bytes = "l2_bytes";                  ///< all requests, between L2 halves too
inline constexpr const char* l2_sm_sectors = "l2_sm_sectors";        ///< of 32 bytes, asked for by SMs
inline constexpr const char* l2_read_sectors = "l2_read_sectors";    ///< of 32 bytes
inline constexpr const char* l2_write_sectors = "l2_write_sectors";  ///< of 32 bytes
inline constexpr const char* gpu_time_ns = "gpu_time_ns";            ///< from the range's start to its end
}  // namespace quantity

/// Bytes to and from DRAM, through L2, and the range's duration: one pass on GA100, GH100, GB100 and AD102.
const std::vector<MetricRequest>& default_metrics();
/// DRAM bytes only, for PM sampling, which has one pass.
const std::vector<MetricRequest>& bandwidth_metrics();

/// Metrics scheduled for one chip. Owns CUPTI's host object.
class MetricSchedule {
 public:
  /// `availability` is the device's counter availability image; empty: everything that the chip has. Requests
  /// that cannot be met are left out and named in unavailable(); a problem where none is left. The table must
  /// outlive the schedule.
  static Result<MetricSchedule, CuptiProblem> make(const CounterApi& api, CUpti_ProfilerType profiler,
                                                   const std::string& chip,
                                                   const std::vector<std::uint8_t>& availability,
                                                   const std::vector<MetricRequest>& requests);

  MetricSchedule(MetricSchedule&& other) noexcept;
  MetricSchedule& operator=(MetricSchedule&&) = delete;
  ~MetricSchedule();

  /// Names as CUPTI spells them; the pointers live as long as the schedule, moved or not.
  std::vector<const char*> names() const;
  const std::vector<std::uint8_t>& config_image() const { return config_image_; }
  /// How often the work has to be repeated to collect all of them.
  std::size_t passes() const { return passes_; }
  const std::vector<Reason>& unavailable() const { return unavailable_; }

  /// Values by quantity of one range, or one sample, of decoded counter data. A value that is no count (not
  /// finite, or negative) is a problem.
  Result<std::map<std::string, double>, CuptiProblem> evaluate(const std::vector<std::uint8_t>& counter_data,
                                                               std::size_t index) const;

 private:
  explicit MetricSchedule(const CounterApi& api) : api_(&api) {}
  std::optional<CuptiProblem> program();

  const CounterApi* api_;
  CUpti_Profiler_Host_Object* host_ = nullptr;
  std::vector<std::pair<std::string, std::string>> metrics_;  // quantity, CUPTI's name
  std::vector<Reason> unavailable_;
  std::vector<std::uint8_t> config_image_;
  std::size_t passes_ = 0;
};

}  // namespace gvf::profiling
