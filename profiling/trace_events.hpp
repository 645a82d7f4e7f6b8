// Writes Chrome trace events ("Trace Event Format" of the Chromium project), as Perfetto and chrome://tracing
// read them: tracks, slices, arrows and counters. Knows nothing of GPUs.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

/// `time` in µs as it stands in a file. Readers turn it back into ns in several ways: Perfetto has truncated
/// ts * 1000, rounded it, and cut the decimal digits. This double gives `time` in all of them, up to 2^50 ns
/// (13 days).
double trace_us(Nanoseconds time);

/// A row of the viewer: a thread of a process in terms of the format.
struct Track {
  int process = 0;
  int thread = 0;
};

struct Slice {
  std::string name;
  std::string_view category;
  Interval at;
  nlohmann::json args = nlohmann::json::object();
  /// A reserved colour of chrome://tracing; Perfetto ignores it and gives each name a colour of its own.
  std::string_view colour = {};
};

class TraceEvents {
 public:
  /// Times are written from `origin`, which no later time may precede.
  explicit TraceEvents(Nanoseconds origin) : origin_(origin) {}

  /// Tracks appear in the order in which they are added, processes in that of their first track.
  Track add_track(const std::string& process, const std::string& name);
  void add_slice(const Track& track, const Slice& slice);
  /// An arrow between the slices that cover these times; `to` must not be before `from`.
  void add_arrow(const std::string& name, const Track& from_track, Nanoseconds from, const Track& to_track,
                 Nanoseconds to);
  /// A value that holds until the next one of this name; the process must have a track.
  void add_counter(const std::string& process, const std::string& name, const std::string& unit,
                   Nanoseconds at, double value);

  /// All events, in the order in which readers must meet them.
  nlohmann::json events() const;

 private:
  struct Event {
    Nanoseconds at = 0;
    int rank = 0;
    Nanoseconds length = 0;
    nlohmann::json json;
  };
  void add(Nanoseconds at, int rank, Nanoseconds length, const Track& track, nlohmann::json json);
  void add_metadata(const char* what, const Track& track, nlohmann::json args);

  Nanoseconds origin_;
  int tracks_ = 0;
  int arrows_ = 0;
  std::map<std::string, int> process_ids_;
  std::vector<nlohmann::json> metadata_;
  std::vector<Event> events_;
};

}  // namespace gvf::profiling
