// Launch constants out of records of empty kernels: the pure half of the calibration (calibrate.hpp runs it).
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "profiling/attribution.hpp"

namespace gvf::profiling {

/// What the kernel-only pass over empty kernels recorded.
struct EmptyKernelPass {
  std::vector<Timeline> singles;  ///< one kernel on an idle device each
  std::vector<Timeline> trains;   ///< many kernels behind a gate; the first work is the gate
  std::vector<Timeline>
      host_bound;  ///< many kernels as fast as the host launches; calls = host marks, in order
};

struct StreamConstants {
  Nanoseconds launch_to_start_ns = 0;
  std::optional<Nanoseconds>
      busy_launch_to_start_ns;  ///< only where it differs from the idle one by 5 % or more
  Nanoseconds completion_ns = 0;
  Nanoseconds empty_kernel_ns = 0;
  Nanoseconds stream_gap_ns = 0;
};
/// Medians. The gap is taken between the trains' kernels behind the gate; the busy latency from kernels that
/// started later than the gap after their predecessor, i.e. that waited for the host.
Result<StreamConstants> reduce_stream(const EmptyKernelPass& pass);

struct GraphConstants {
  double node_period_ns = 0;  ///< slope of span over number of empty nodes in a chain
  double first_node_ns = 0;   ///< span of a graph of one node, by the fit
  double fit_relative_error = 0;
  double first_node_wall_ns = 0;  ///< traced wall of one launch of the graph of one node
};
/// From graph-level records: number of nodes -> iterations.
Result<GraphConstants> reduce_graph(const std::map<int, std::vector<Timeline>>& passes);

struct Calibration {
  EdgeConstants constants;
  std::vector<std::string> marks;  ///< e.g. a graph gap that cannot be told from zero
};
/// Host time from the first launch's begin to the last one's end, per launch, over trains of empty kernels as
/// fast as the host goes, from API-only records. Median over the trains, µs.
Result<double> reduce_calls(const std::vector<Timeline>& trains);

/// Empty kernels without any tracing: what the traced ones are compared with.
struct UntracedWalls {
  double stream_us = 0;  ///< wall of one, launched into a stream
  double graph_us = 0;   ///< wall of a graph of one node
  double call_us = 0;    ///< host time per launch of a train
};

/// Tracing lengthens the launch: an empty kernel's traced parts add up to more than its untraced wall. The
/// excess is the instrument's, measured here and taken off launch latency, in a stream (launch_to_start_ns)
/// and for graphs (graph_trace_cost_ns), so that an empty kernel's account closes and a row's residual is the
/// row's own.
///
/// The graph gap is the node period less the empty kernel's duration, and 0, with a mark, where that is
/// negative: a traced duration of an empty kernel is longer than the period at which a graph issues them.
Calibration combine(const StreamConstants& stream, const GraphConstants& graph, double traced_call_us,
                    const UntracedWalls& untraced);

}  // namespace gvf::profiling
