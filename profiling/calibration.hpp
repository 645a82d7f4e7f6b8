// Launch constants out of records of empty kernels: the pure half of the calibration (calibrate.hpp runs it).
#pragma once

#include <map>
#include <optional>
#include <vector>

#include "profiling/attribution.hpp"

namespace gvf::profiling {

/// One empty kernel, or a graph of one, launched into an idle stream, as CUPTI sees it.
struct EmptyKernel {
  Nanoseconds launch_to_start_ns = 0;
  Nanoseconds duration_ns = 0;
  Nanoseconds completion_ns = 0;
};
/// Medians over iterations of one empty kernel each.
Result<EmptyKernel> reduce_empty_kernel(const std::vector<Timeline>& iterations);

/// Kernels that follow each other in a stream.
struct StreamEdges {
  Nanoseconds gap_ns = 0;                              ///< end to start, host ahead
  std::optional<Nanoseconds> busy_launch_to_start_ns;  ///< call to start in a stream in use, where any waited
  bool operator==(const StreamEdges&) const = default;
};
/// Medians. `trains`: many kernels behind a gate, which is the first work of each. `host_bound`: many kernels
/// as fast as the host launches them, with a mark in `calls` where each launch began; the busy latency is
/// that of the kernels that started later than a gap after their predecessor, i.e. that waited for the host.
Result<StreamEdges> reduce_stream_edges(const std::vector<Timeline>& trains,
                                        const std::vector<Timeline>& host_bound);

/// Chains of empty nodes in a graph.
struct GraphNodes {
  double node_period_ns = 0;  ///< slope of span over number of empty nodes in a chain
  double first_node_ns = 0;   ///< span of a graph of one node, by the fit
  double fit_relative_error = 0;
};
/// From graph-level records: number of nodes -> iterations.
Result<GraphNodes> reduce_graph_nodes(const std::map<int, std::vector<Timeline>>& chains);

/// Host time from the first launch's begin to the last one's end, per launch, over trains of empty kernels as
/// fast as the host goes, from API-only records. Median over the trains, µs.
Result<double> reduce_calls(const std::vector<Timeline>& trains);

/// Empty kernels under one kind of submission, with and without tracing, all taken at one place and time.
struct EmptyKernelFigures {
  double wall_us = 0;             ///< untraced: one
  double span_us = 0;             ///< untraced: the same between two events behind a gate
  EmptyKernel traced;             ///< under the pass that records this kind of work
  std::optional<double> call_us;  ///< untraced: host time per launch of a train, where each work has its call
  std::optional<double> traced_call_us;  ///< the same under API tracing
  std::optional<StreamEdges> edges;      ///< under kernel tracing, of kernels in a stream
};

/// Tracing lengthens the launch: an empty kernel's traced parts add up to more than its untraced wall. The
/// excess is the instrument's, measured here and taken off launch latency, so that an empty kernel's account
/// closes and a row's residual is the row's own.
EdgeConstants calibrate(const EmptyKernelFigures& figures);

}  // namespace gvf::profiling
