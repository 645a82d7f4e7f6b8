// Implements study/machine.hpp.
#include "study/machine.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <chrono>

#include "core/error.hpp"
#include "core/handles.hpp"
#include "profiling/activity.hpp"
#include "profiling/attribution_json.hpp"
#include "profiling/calibrate.hpp"
#include "profiling/ceilings.hpp"
#include "study/child.hpp"
#include "study/exit_code.hpp"
#include "study/provenance.hpp"
#include "study/samples.hpp"
#include "study/workbench.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;

template <class T, class Why>
T value_or_lacks(profiling::Result<T, Why> result) {
  if (!result) throw MachineLacks(result.reason().text);
  return std::move(result).value();
}

ordered_json ceilings_pass() {
  const profiling::Ceilings ceilings = profiling::measure_ceilings(require_device());
  ordered_json json{{"read_gbps", ceilings.read_gbps},
                    {"write_gbps", ceilings.write_gbps},
                    {"copy_gbps", ceilings.copy_gbps},
                    {"l2_read_gbps", ceilings.l2_read_gbps},
                    {"ceiling_buffer_bytes", ceilings.bytes}};
  for (const auto& trial : ceilings.trials) {
    json["ceiling_trials"].push_back(
        {{"kind", trial.kind}, {"kernel", trial.kernel}, {"gbps", trial.gbps}, {"spread", trial.spread}});
  }
  return json;
}

// What two events record with nothing between them, µs: part of every span.
double event_pair_us(cudaStream_t stream) {
  const Event begin = make_event();
  const Event end = make_event();
  std::vector<double> samples;
  for (int i = 0; i < 51; ++i) {
    GVF_CUDA(cudaEventRecord(begin.get(), stream), "timing an empty pair of events");
    GVF_CUDA(cudaEventRecord(end.get(), stream), "timing an empty pair of events");
    GVF_CUDA(cudaStreamSynchronize(stream), "timing an empty pair of events");
    float ms = 0;
    GVF_CUDA(cudaEventElapsedTime(&ms, begin.get(), end.get()), "timing an empty pair of events");
    samples.push_back(1e3 * ms);
  }
  return median(samples);
}

ordered_json untraced_pass() {
  require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  const auto empty = value_or_lacks(profiling::measure_untraced(stream.get()));
  return {{"empty_kernel",
           {{"wall_us", empty.walls.stream_us},
            {"graph_wall_us", empty.walls.graph_us},
            {"call_us", empty.walls.call_us},
            {"stream_period_us", empty.stream_period_us},
            {"graph_period_us", empty.graph_period_us}}},
          {"event_pair_us", event_pair_us(stream.get())}};
}

profiling::ActivitySession start_session(profiling::ActivityMode mode) {
  const auto api = value_or_lacks(profiling::load_cupti());
  profiling::ActivityOptions options;
  options.mode = mode;
  options.api_scope = profiling::ApiScope::submitting;
  return value_or_lacks(profiling::ActivitySession::start(api, options));
}

ordered_json stream_pass() {
  auto session = start_session(profiling::ActivityMode::kernel);
  require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  const auto constants = value_or_lacks(profiling::measure_stream(session, stream.get()));
  ordered_json json{{"launch_to_start_ns", constants.launch_to_start_ns},
                    {"completion_ns", constants.completion_ns},
                    {"empty_kernel_ns", constants.empty_kernel_ns},
                    {"stream_gap_ns", constants.stream_gap_ns}};
  if (constants.busy_launch_to_start_ns) json["busy_launch_to_start_ns"] = *constants.busy_launch_to_start_ns;
  return json;
}

ordered_json api_pass() {
  auto session = start_session(profiling::ActivityMode::api);
  require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  return {{"call_us", value_or_lacks(profiling::measure_calls(session, stream.get()))}};
}

ordered_json graph_pass() {
  auto session = start_session(profiling::ActivityMode::graph);
  require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  const auto constants = value_or_lacks(profiling::measure_graph(session, stream.get()));
  return {{"node_period_ns", constants.node_period_ns},
          {"first_node_ns", constants.first_node_ns},
          {"fit_relative_error", constants.fit_relative_error},
          {"first_node_wall_ns", constants.first_node_wall_ns}};
}

// The constants that attribution uses, from the traced passes and the untraced one.
void add_constants(ordered_json& machine, const ordered_json& api, const ordered_json& stream,
                   const ordered_json& graph, const ordered_json& untraced) {
  profiling::StreamConstants from_stream;
  from_stream.launch_to_start_ns = stream.at("launch_to_start_ns");
  from_stream.completion_ns = stream.at("completion_ns");
  from_stream.empty_kernel_ns = stream.at("empty_kernel_ns");
  from_stream.stream_gap_ns = stream.at("stream_gap_ns");
  if (stream.contains("busy_launch_to_start_ns")) {
    from_stream.busy_launch_to_start_ns = stream["busy_launch_to_start_ns"].get<profiling::Nanoseconds>();
  }
  profiling::GraphConstants from_graph;
  from_graph.node_period_ns = graph.at("node_period_ns");
  from_graph.first_node_ns = graph.at("first_node_ns");
  from_graph.fit_relative_error = graph.at("fit_relative_error");
  from_graph.first_node_wall_ns = graph.at("first_node_wall_ns");
  const ordered_json& walls = untraced.at("empty_kernel");
  const profiling::Calibration calibration =
      profiling::combine(from_stream, from_graph, api.at("call_us"),
                         {walls.at("wall_us"), walls.at("graph_wall_us"), walls.at("call_us")});
  machine["constants"] = profiling::to_json(calibration.constants);
  machine["traced_empty_calls"] = api;
  machine["traced_empty_kernel"] = stream;
  machine["traced_empty_graph"] = graph;
  if (!calibration.marks.empty()) machine["marks"] = calibration.marks;
}

}  // namespace

ordered_json measure_machine_pass(const std::string& pass) {
  if (pass == "ceilings") return ceilings_pass();
  if (pass == "untraced") return untraced_pass();
  if (pass == "api") return api_pass();
  if (pass == "stream") return stream_pass();
  if (pass == "graph") return graph_pass();
  throw BadInput(fmt::format("unknown pass '{}'; there are: ceilings, untraced, api, stream, graph", pass));
}

ordered_json measure_machine() {
  ordered_json machine;
  for (const auto& [key, value] : provenance(describe_device())) machine["provenance"][key] = value;
  const auto child = [&machine](const char* pass) -> ordered_json {
    try {
      return run_child_for_json({"calibrate", "--pass", pass});
    } catch (const MachineLacks& lacks) {
      machine["missing"][pass] = lacks.what();
      return {};
    }
  };
  const ordered_json ceilings = child("ceilings");
  const ordered_json untraced = child("untraced");
  for (const ordered_json* part : {&ceilings, &untraced}) {
    for (const auto& [key, value] : part->items()) machine[key] = value;
  }
  const ordered_json api = child("api");
  const ordered_json stream = child("stream");
  const ordered_json graph = child("graph");
  if (!api.empty() && !stream.empty() && !graph.empty() && !untraced.empty()) {
    add_constants(machine, api, stream, graph, untraced);
  }
  return machine;
}

profiling::EdgeConstants constants_of(const ordered_json& machine, const std::string& file) {
  if (!machine.contains("constants")) {
    if (machine.contains("missing")) {
      throw MachineLacks(fmt::format("{} has no launch constants: {}", file, machine["missing"].dump()));
    }
    throw BadInput(fmt::format("{}: no key \"constants\"; make it with gvf calibrate --output FILE", file));
  }
  auto constants = profiling::constants_from_json(machine["constants"]);
  if (!constants) throw BadInput(fmt::format("{}: {}", file, constants.reason().text));
  return std::move(constants).value();
}

}  // namespace gvf::study
