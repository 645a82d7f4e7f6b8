// The words of the timeline file, for its writer and its reader. docs/timeline-format.md describes them.
#pragma once

#include <cstddef>

namespace gvf::profiling {

/// Raised when a reader of the old version would misread a file of the new one.
inline constexpr int timeline_version = 1;

/// First elements of the records.
namespace tag {
inline constexpr char text = 's', device = 'd', kernel = 'k', copy = 'c', memset = 'm', graph = 'g',
                      call = 'a', wait = 'w', range_begin = 'b', range_end = 'e', mark = 'i';
}

/// What could not be recorded. Each is excluded from the records and counted here.
struct LostRecords {
  std::size_t dropped = 0;         ///< CUPTI had no buffer or no device memory for them
  std::size_t starved = 0;         ///< requests for a buffer that found all in use
  std::size_t without_times = 0;   ///< unfinished at the last flush, or CUPTI could not take the time
  std::size_t reversed = 0;        ///< ended before they began
  std::size_t zero_length = 0;     ///< device work of no duration
  std::size_t broken_buffers = 0;  ///< buffers that could not be read to their end
  bool operator==(const LostRecords&) const = default;

  template <class Self, class F>
  static void each(Self& self, F&& field) {
    field("dropped", self.dropped);
    field("starved", self.starved);
    field("without_times", self.without_times);
    field("reversed", self.reversed);
    field("zero_length", self.zero_length);
    field("broken_buffers", self.broken_buffers);
  }
};

}  // namespace gvf::profiling
