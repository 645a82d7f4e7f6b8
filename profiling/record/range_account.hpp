// Where the time of a recorded process went: for its NVTX ranges, streams, graphs and devices. Pure
// functions; docs/timeline-format.md defines each account.
#pragma once

#include <array>
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "profiling/attribution.hpp"
#include "profiling/record/timeline_file.hpp"

namespace gvf::profiling {

/// The device gap of kernels in one stream where no calibration is given: about what constants.stream.gap_ns
/// of docs/recordings/h200/machine.json says.
inline constexpr Nanoseconds default_stream_gap = 1056;

/// The parts of DESIGN's account, ns, and one more: `queued`, when none of the own works ran because their
/// streams were busy with others. They add up to the wall.
struct RangeParts {
  Nanoseconds launch_latency = 0, queued = 0, starved = 0, gap = 0, busy = 0, completion = 0;

  Nanoseconds wall() const { return launch_latency + queued + starved + gap + busy + completion; }
  /// What an infinitely early host would remove.
  Nanoseconds launch_bound() const { return launch_latency + starved; }
  bool operator==(const RangeParts&) const = default;

  template <class Self, class F>
  static void each(Self& self, F&& part) {
    part("launch_latency", self.launch_latency);
    part("queued", self.queued);
    part("starved", self.starved);
    part("gap", self.gap);
    part("busy", self.busy);
    part("completion", self.completion);
  }
};

/// A work on the streams of what is accounted.
struct Occupation {
  Interval at;
  bool is_own = true;
  std::uint32_t graph_launch = 0;  ///< the graph launch whose node this is, by any id of its own; 0: no node
};

/// Splits [start, wait_return], or [start, last own end] where nothing waited. Needs an own work. Idle time
/// between nodes of one graph launch is all gap, whatever its length: no host is involved.
RangeParts split_wall(Nanoseconds start, std::optional<Nanoseconds> wait_return,
                      std::vector<Occupation> works, Nanoseconds stream_gap);

struct Counts {
  std::size_t calls = 0;                                         ///< submitting calls, outermost ones
  std::size_t kernel_launches = 0, graph_launches = 0;           ///< of those
  std::size_t waits = 0;                                         ///< synchronising calls
  std::size_t kernels = 0, graphs = 0, copies = 0, memsets = 0;  ///< works; graphs: graph-level records
  bool operator==(const Counts&) const = default;
};

/// Works of one name.
struct WorkSum {
  std::string name;  ///< as recorded: a kernel's is mangled; "graph 5", "memcpy", "memset"
  WorkKind kind = WorkKind::kernel;
  bool in_graph = false;  ///< a node of a graph, or a graph as a whole; else brought by a call of its own
  std::size_t count = 0;
  Nanoseconds busy = 0;  ///< sum of durations, overlaps counted twice
  bool operator==(const WorkSum&) const = default;
};

/// All instances of one name.
struct Summary {
  std::string name;
  std::size_t instances = 0;
  std::size_t without_work = 0;  ///< submitted nothing that ran: captured, failed, or only host code
  std::size_t not_waited = 0;    ///< nothing waited for their last work: their wall ends with it
  Counts counts;
  RangeParts total;
  RangeParts median;  ///< each part's own median over instances with work
  Nanoseconds median_wall = 0;
  std::vector<WorkSum> works;  ///< most busy first
  /// What tracing added, about, from the calibration; it is in the parts and not taken off. Nothing where
  /// the nodes of graphs were recorded: what each of them costs is not calibrated.
  std::optional<Nanoseconds> trace_cost;
};

struct ProcessAccount {
  Summary all;                      ///< the whole process as one range over all threads
  std::vector<Summary> ranges;      ///< most launch-bound time first; inclusive of nested ranges
  std::vector<Summary> streams;     ///< "device 0, context 1, stream 7"
  std::vector<Summary> graphs;      ///< an instance is a launch
  std::size_t unmatched_works = 0;  ///< no recorded call has their id; in streams and devices, in no range
  std::size_t failed_calls = 0;     ///< returned an error
};

/// What recording adds, ns: to a call, to a kernel's launch, to a graph's.
struct TraceCost {
  Nanoseconds call = 0, kernel = 0, graph = 0;
};

struct AccountOptions {
  Nanoseconds stream_gap = default_stream_gap;
  std::optional<TraceCost> trace_cost;  ///< where it was calibrated
};

ProcessAccount account_process(const RecordedProcess& process, const AccountOptions& options);

/// One GPU over all processes that used it, from its first work to its last.
struct DeviceAccount {
  std::string name;  ///< of the GPU; its number where the recording does not say
  std::size_t processes = 0, streams = 0, works = 0;
  RangeParts parts;
};
std::vector<DeviceAccount> account_devices(const std::vector<RecordedProcess>& processes,
                                           Nanoseconds stream_gap);

}  // namespace gvf::profiling
