// Implements study/measure/constants.hpp.
#include "study/measure/constants.hpp"

#include <fmt/format.h>

#include "profiling/calibrate.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

using nlohmann::json;
using profiling::Nanoseconds;

template <class T, class Why>
T value_or_lacks(profiling::Result<T, Why> result) {
  if (!result) throw MachineLacks(result.reason().text);
  return std::move(result).value();
}

}  // namespace

json measure_empty_kernels(const std::string& mode, profiling::ActivitySession* session,
                           cudaStream_t stream) {
  if (mode == "untraced") {
    const auto empty = value_or_lacks(profiling::measure_untraced(stream));
    return {{"wall_us", empty.walls.stream_us},
            {"graph_wall_us", empty.walls.graph_us},
            {"call_us", empty.walls.call_us},
            {"stream_period_us", empty.stream_period_us},
            {"graph_period_us", empty.graph_period_us}};
  }
  if (mode == "api") return {{"call_us", value_or_lacks(profiling::measure_calls(*session, stream))}};
  if (mode == "kernel") {
    const auto constants = value_or_lacks(profiling::measure_stream(*session, stream));
    json object{{"launch_to_start_ns", constants.launch_to_start_ns},
                {"completion_ns", constants.completion_ns},
                {"empty_kernel_ns", constants.empty_kernel_ns},
                {"stream_gap_ns", constants.stream_gap_ns}};
    if (constants.busy_launch_to_start_ns)
      object["busy_launch_to_start_ns"] = *constants.busy_launch_to_start_ns;
    return object;
  }
  if (mode == "graph") {
    const auto constants = value_or_lacks(profiling::measure_graph(*session, stream));
    return {{"node_period_ns", constants.node_period_ns},
            {"first_node_ns", constants.first_node_ns},
            {"fit_relative_error", constants.fit_relative_error},
            {"first_node_wall_ns", constants.first_node_wall_ns}};
  }
  throw BadInput(fmt::format("no empty kernels in mode '{}'; there are: untraced, api, kernel, graph", mode));
}

profiling::Calibration calibration_of(const EmptyKernels& round) {
  try {
    profiling::StreamConstants stream;
    stream.launch_to_start_ns = round.kernel.at("launch_to_start_ns");
    stream.completion_ns = round.kernel.at("completion_ns");
    stream.empty_kernel_ns = round.kernel.at("empty_kernel_ns");
    stream.stream_gap_ns = round.kernel.at("stream_gap_ns");
    if (round.kernel.contains("busy_launch_to_start_ns")) {
      stream.busy_launch_to_start_ns = round.kernel["busy_launch_to_start_ns"].get<Nanoseconds>();
    }
    profiling::GraphConstants graph;
    graph.node_period_ns = round.graph.at("node_period_ns");
    graph.first_node_ns = round.graph.at("first_node_ns");
    graph.fit_relative_error = round.graph.at("fit_relative_error");
    graph.first_node_wall_ns = round.graph.at("first_node_wall_ns");
    return profiling::combine(
        stream, graph, round.api.at("call_us"),
        {round.untraced.at("wall_us"), round.untraced.at("graph_wall_us"), round.untraced.at("call_us")});
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("the empty kernels' figures are incomplete: {}", error.what()));
  }
}

}  // namespace gvf::study
