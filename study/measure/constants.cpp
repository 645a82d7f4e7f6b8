// Implements study/measure/constants.hpp.
#include "study/measure/constants.hpp"

#include <fmt/format.h>

#include <cmath>

#include "profiling/calibrate.hpp"
#include "study/exit_code.hpp"
#include "study/measure/samples.hpp"

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

json measure_empty_kernels(const std::string& mode, profiling::ActivitySession* session, const Device& device,
                           cudaStream_t stream) {
  profiling::CalibrationOptions options;
  const int threads = static_cast<int>(options.edge_config.block.x);
  options.edge_config.grid =
      dim3(static_cast<unsigned>(device.sm_count * (device.max_threads_per_sm / threads)));
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
    const auto constants = value_or_lacks(profiling::measure_stream(*session, stream, options));
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

namespace {

json median_figures(const std::vector<const json*>& objects) {
  json medians = json::object();
  for (const json* object : objects) {
    if (!object->is_object()) throw BadInput("a pass holds no figures of empty kernels");
    for (const auto& [key, figure] : object->items()) {
      if (medians.contains(key)) continue;
      std::vector<double> values;
      for (const json* other : objects) {
        const json& value = other->contains(key) ? (*other)[key] : other->at("launch_to_start_ns");
        values.push_back(value.get<double>());
      }
      const double middle = median(std::move(values));
      // Nanoseconds are whole numbers throughout.
      if (figure.is_number_integer()) {
        medians[key] = std::llround(middle);
      } else {
        medians[key] = middle;
      }
    }
  }
  return medians;
}

}  // namespace

EmptyKernels pool(const std::vector<EmptyKernels>& all) {
  if (all.empty()) throw BadInput("there are no figures of empty kernels to pool");
  const auto of = [&all](json EmptyKernels::*mode) {
    std::vector<const json*> objects;
    for (const EmptyKernels& one : all) objects.push_back(&(one.*mode));
    return median_figures(objects);
  };
  try {
    return {of(&EmptyKernels::untraced), of(&EmptyKernels::api), of(&EmptyKernels::kernel),
            of(&EmptyKernels::graph)};
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("the empty kernels' figures are incomplete: {}", error.what()));
  }
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
