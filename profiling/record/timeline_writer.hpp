// From CUPTI's activity buffers to lines of a timeline file. Used by one thread; its memory does not grow
// with the number of records.
#pragma once

#include <fmt/format.h>

#include <cstddef>
#include <cstdint>
#include <functional>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>
#include <unordered_map>

#include "profiling/cupti_api.hpp"
#include "profiling/record/timeline_format.hpp"
#include "profiling/timeline.hpp"

namespace gvf::profiling {

class TimelineWriter {
 public:
  /// Appends to the open file `descriptor`, which stays the caller's. Times are written relative to `epoch`.
  TimelineWriter(const CuptiApi& api, int descriptor, Nanoseconds epoch);

  /// A line that is an object: the header, counts, the end.
  void add_object(const nlohmann::json& object);
  /// Every record of a completed buffer that is fit to be read, as a line each. The others are counted.
  void add_buffer(std::uint8_t* buffer, std::size_t valid_bytes);

  /// Writes what was added. False once the file took no more; then `error()` is its errno, and all further
  /// lines are discarded.
  bool flush();
  int error() const { return error_; }

  LostRecords& lost() { return lost_; }

 private:
  class Line;
  void add(const CUpti_Activity& record);
  bool has_times(std::uint64_t start, std::uint64_t end, bool is_work);
  std::uint32_t intern(const char* text);
  std::uint32_t call_name(CUpti_CallbackDomain domain, CUpti_CallbackId cbid);

  struct Hash {
    using is_transparent = void;
    std::size_t operator()(std::string_view text) const { return std::hash<std::string_view>{}(text); }
  };

  CuptiApi api_;
  int descriptor_;
  Nanoseconds epoch_;
  fmt::memory_buffer text_;
  std::unordered_map<std::string, std::uint32_t, Hash, std::equal_to<>> ids_;
  std::size_t interned_bytes_ = 0;
  std::uint32_t next_id_ = 0;
  std::unordered_map<std::uint64_t, std::string> call_names_;  // by domain and callback id
  LostRecords lost_;
  int error_ = 0;
};

}  // namespace gvf::profiling
