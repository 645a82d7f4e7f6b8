// Explains an untraced wall time. Tracing disturbs what it traces, so each part comes from the least
// intrusive evidence there is: calls from API-only tracing, kernel durations from kernel-only tracing, a
// graph's span from graph-level tracing, constants from empty kernels; what does not add up is shown as
// residual. Pure functions.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

/// Launch constants of one kind of submission on one machine, measured on empty kernels, never on an
/// attributed row.
struct EdgeConstants {
  Nanoseconds gap_ns = 0;  ///< end of a work to start of the next, host ahead; of traced kernels in a stream
  Nanoseconds launch_to_start_ns = 0;  ///< start of the submitting call to start of its work, device idle
  std::optional<Nanoseconds> busy_launch_to_start_ns;  ///< the same for a launch into a stream in use
  Nanoseconds completion_ns = 0;      ///< end of the last work to return of the synchronisation
  Nanoseconds empty_kernel_ns = 0;    ///< duration of an empty kernel, or of a graph of one
  Nanoseconds span_cost_ns = 0;       ///< what two events behind a gate read around it, less that duration
  Nanoseconds api_trace_cost_ns = 0;  ///< what API tracing adds to each submitting call
  Nanoseconds trace_cost_ns = 0;      ///< what recording the work adds; already off launch_to_start_ns
  bool operator==(const EdgeConstants&) const = default;
};

/// Submitting calls of one iteration, relative to its start, in order; from the API-only pass.
struct CallEvidence {
  Interval at;
  int works = 1;  ///< how many works the call puts on the device
};
using IterationCalls = std::vector<CallEvidence>;

/// Works of one iteration in start order; from the kernel-only pass.
struct WorkEvidence {
  Nanoseconds duration = 0;
  /// How long before its predecessor's end it started (programmatic dependent launch), 0 where it waited.
  Nanoseconds overlap = 0;
};
using IterationWorks = std::vector<WorkEvidence>;

/// Keeps the submitting calls (outermost ones) of a timeline, one work each unless `timeline` has works to
/// count.
Result<IterationCalls> calls_of(const Timeline& timeline);
Result<IterationWorks> works_of(const Timeline& timeline);

/// Builds the untraced iteration that the evidence implies, in nanoseconds from the iteration's start:
/// a work starts at the later of "previous end + gap" and "its call + latency"; the synchronisation returns
/// `completion_ns` after the later of "last end" and "last call's return". Calls are taken
/// back by what tracing them has added so far.
Result<Timeline> reconstruct(const IterationCalls& calls, const IterationWorks& works,
                             const EdgeConstants& constants);

/// Parts of a wall time, µs. Their sum, residual included, is the wall.
struct Parts {
  double launch_latency_us = 0, starved_us = 0, gap_us = 0, busy_us = 0, completion_us = 0, residual_us = 0;
  double sum() const {
    return launch_latency_us + starved_us + gap_us + busy_us + completion_us + residual_us;
  }
  bool operator==(const Parts&) const = default;
};

struct Attribution {
  Parts parts;
  double wall_us = 0;                           ///< median untraced wall
  std::optional<double> wall_iqr_us;            ///< interquartile range of its samples
  std::optional<double> span_us;                ///< untraced, first start to last end with the host ahead
  std::map<std::string, double> passes;         ///< pass ("untraced", "api", ...) -> its median wall, µs
  std::map<std::string, std::string> evidence;  ///< part -> where it comes from
  bool modelled = false;                        ///< the split inside a graph's span is a model
  std::vector<std::string> marks;               ///< what a reader should know before trusting the row
  bool operator==(const Attribution&) const = default;
};

/// What the host and its calls cost a row, by two routes: the account's parts (launch latency, starved and
/// completion, out of traces and constants), and two untraced clocks (the wall less the span that the same
/// kernels take when the host is ahead). Where they disagree, one of them is wrong.
double launch_side_us(const Parts& parts);
std::optional<double> launch_side_by_clocks_us(const Attribution& row);

struct StreamEvidence {
  std::vector<double> untraced_wall_us;  ///< samples
  std::vector<double> gated_span_us;  ///< untraced samples between two events, the host ahead behind a gate
  std::vector<Timeline> api_pass;     ///< calls only
  std::vector<Timeline> kernel_pass;  ///< works only
};
/// Attribution of a row whose every work is submitted by a call of its own. The gap of its edges is what its
/// own untraced span leaves beside its busy time; without spans it is the calibrated one.
Result<Attribution> attribute_stream(const StreamEvidence& evidence, const EdgeConstants& constants);

struct GraphEvidence {
  std::vector<double> untraced_wall_us;  ///< samples
  std::vector<double> gated_span_us;   ///< untraced samples between two events, the host ahead behind a gate
  std::vector<Timeline> graph_pass;    ///< one graph-level work per launch: a second reading of the span
  std::optional<double> twin_busy_us;  ///< busy of the same kernels launched in a stream
  double longer_call_us = 0;           ///< untraced: the launch call, less that of an empty graph
};
/// Attribution of a row submitted as a graph. The span is the untraced one: graph-level tracing makes graphs
/// of many small nodes run faster than they do without it (docs/method.md). Where the launch call takes so
/// much longer than an empty graph's that the device could have run the whole graph meanwhile, what remains
/// of it is starved: a graph of many branches is launched branch by branch. Without `twin_busy_us` the span
/// is not split: all of it is busy, and a mark says so.
Result<Attribution> attribute_graph(const GraphEvidence& evidence, const EdgeConstants& constants);

/// Median busy (union of works) over timelines, µs; what `twin_busy_us` wants.
Result<double> median_busy_us(const std::vector<Timeline>& timelines);

/// Median; the mean of the middle two for an even count. The samples must not be empty.
double median(std::vector<double> samples);

}  // namespace gvf::profiling
