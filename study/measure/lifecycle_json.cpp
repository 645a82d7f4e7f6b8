// The pure half of study/measure/lifecycle.hpp: samples become percentiles, lines and replays to break even.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <set>
#include <string>
#include <string_view>
#include <utility>

#include "study/measure/break_even.hpp"
#include "study/measure/cost_fit.hpp"
#include "study/measure/lifecycle.hpp"

namespace gvf::study {
namespace {

using graphs::Clocks;
using graphs::Costs;
using nlohmann::ordered_json;
namespace cost = graphs::cost;

using Samples = std::vector<double>;

struct Clock {
  const char* name;
  Samples Clocks::*samples;
};
constexpr std::array<Clock, 3> clocks{
    {{"host_us", &Clocks::host_us}, {"wall_us", &Clocks::wall_us}, {"device_us", &Clocks::device_us}}};

ordered_json to_json(const Spread& spread) {
  return {{"p10", spread.p10}, {"p50", spread.p50}, {"p90", spread.p90}};
}

ordered_json to_json(const MeasuredGraph& graph) {
  ordered_json json{{"shape", graphs::to_string(graph.shape)},
                    {"nodes", graph.nodes},
                    {"edges", graphs::edge_count(graph.shape, graph.nodes)},
                    {"parameter_bytes", graph.parameter_bytes},
                    {"repetitions", graph.repetitions}};
  for (const auto& [name, samples] : graph.costs) {
    for (const Clock& clock : clocks) {
      if (const Samples& us = samples.*clock.samples; !us.empty())
        json["costs"][name][clock.name] = to_json(spread_of(us));
    }
  }
  if (graph.memory) {
    json["memory"] = {{"bytes_per_executable", graph.memory->bytes_per_executable},
                      {"resolution_bytes", graph.memory->resolution_bytes},
                      {"instances", graph.memory->instances},
                      {"memory_node_bytes", graph.memory->memory_node_bytes}};
  }
  for (const auto& [what, why] : graph.missing) json["missing"][what] = why;
  return json;
}

// Medians of one cost on one clock along a series of graphs, against what `x_of` says of each.
struct Series {
  Samples x, us;
};
template <class XOf>
Series series_of(const std::vector<const MeasuredGraph*>& graphs, const std::string& name, const Clock& clock,
                 XOf x_of) {
  Series found;
  for (const MeasuredGraph* graph : graphs) {
    const auto samples = graph->costs.find(name);
    if (samples == graph->costs.end() || (samples->second.*clock.samples).empty()) continue;
    found.x.push_back(x_of(*graph));
    found.us.push_back(spread_of(samples->second.*clock.samples).p50);
  }
  return found;
}

// A line for every cost and clock of these graphs; `head` begins each row, `slope` names its b.
template <class XOf>
void add_fits(ordered_json& rows, const std::vector<const MeasuredGraph*>& graphs, const ordered_json& head,
              const char* slope, XOf x_of) {
  std::set<std::string> names;
  for (const MeasuredGraph* graph : graphs) {
    for (const auto& [name, unused] : graph->costs) names.insert(name);
  }
  for (const std::string& name : names) {
    for (const Clock& clock : clocks) {
      const Series points = series_of(graphs, name, clock, x_of);
      if (points.x.empty()) continue;
      ordered_json row = head;
      row["cost"] = name;
      row["clock"] = clock.name;
      if (const auto fit = fit_cost(points.x, points.us)) {
        row["a_us"] = fit->intercept;
        row[slope] = fit->slope;
        row["relative_error"] = fit->relative_error;
      } else {
        row["missing"] = fit.reason().text;
      }
      rows.push_back(std::move(row));
    }
  }
}

std::vector<const MeasuredGraph*> of_shape(const std::vector<MeasuredGraph>& graphs, graphs::Shape shape) {
  std::vector<const MeasuredGraph*> found;
  for (const MeasuredGraph& graph : graphs) {
    if (graph.shape == shape) found.push_back(&graph);
  }
  return found;
}

// Over the sizes whose memory can be told from the pieces that it is taken in.
ordered_json memory_fit(graphs::Shape shape, const std::vector<const MeasuredGraph*>& graphs) {
  Samples nodes, bytes;
  for (const MeasuredGraph* graph : graphs) {
    if (!graph->memory || graph->memory->bytes_per_executable <= graph->memory->resolution_bytes) continue;
    nodes.push_back(graph->nodes);
    bytes.push_back(graph->memory->bytes_per_executable);
  }
  ordered_json row{{"shape", graphs::to_string(shape)}};
  if (const auto fit = fit_cost(nodes, bytes)) {
    row["a_bytes"] = fit->intercept;
    row["b_bytes_per_node"] = fit->slope;
    row["relative_error"] = fit->relative_error;
  } else {
    row["missing"] = fit.reason().text;
  }
  return row;
}

// How a graph is used, against launching the same kernels into a stream.
struct Scenario {
  std::string_view name;
  std::string_view update;   // how parameters change; empty: they do not
  double replays_per_shape;  // 0: one shape for good
  std::vector<const char*> one_off;
  const char* replay;
};

const std::vector<Scenario>& scenarios() {
  static const std::vector<const char*> life{cost::capture, cost::instantiate, cost::upload};
  static const std::vector<const char*> whole_life{cost::capture, cost::instantiate, cost::upload,
                                                   cost::destroy};
  static const std::vector<Scenario> all{
      {"same parameters", "", 0, life, cost::replay},
      {"parameters updated each replay", "node by node", 0, life, cost::replay_update_nodes},
      {"parameters updated each replay", "capture and whole graph", 0, life, cost::replay_update_graph},
      {"parameters updated each replay",
       "from the device",
       0,
       {cost::build_updatable, cost::instantiate_updatable, cost::upload_updatable},
       cost::replay_update_device},
      {"shape changes", "", 10, whole_life, cost::replay},
      {"shape changes", "", 100, whole_life, cost::replay},
      {"shape changes", "", 1000, whole_life, cost::replay},
  };
  return all;
}

// Nullptr where there are none. What is over when its call returns has one time for both clocks.
const Samples* samples_of(const Costs& costs, const char* name, const Clock& clock) {
  const auto found = costs.find(name);
  if (found == costs.end()) return nullptr;
  const Samples& own = found->second.*clock.samples;
  const Samples& us = own.empty() ? found->second.host_us : own;
  return us.empty() ? nullptr : &us;
}

ordered_json replays_or_never(const std::optional<double>& replays) {
  if (!replays) return "never";
  return *replays;
}

void add_break_even(ordered_json& rows, const MeasuredGraph& graph, const Scenario& scenario,
                    const Clock& clock) {
  std::vector<const Samples*> parts;
  for (const char* name : scenario.one_off) parts.push_back(samples_of(graph.costs, name, clock));
  const Samples* stream = samples_of(graph.costs, cost::stream, clock);
  const Samples* replay = samples_of(graph.costs, scenario.replay, clock);
  if (stream == nullptr || replay == nullptr || std::find(parts.begin(), parts.end(), nullptr) != parts.end())
    return;  // "missing" of this graph says why
  const Spread one_off = spread_of(sum_of_samples(parts));
  const Spread without = spread_of(*stream);
  const Spread with = spread_of(*replay);
  const BreakEven found = scenario.replays_per_shape > 0
                              ? break_even_every(scenario.replays_per_shape, one_off, without, with)
                              : break_even(one_off, without, with);
  ordered_json row{{"scenario", scenario.name}};
  if (!scenario.update.empty()) row["update"] = scenario.update;
  if (scenario.replays_per_shape > 0) row["replays_per_shape"] = scenario.replays_per_shape;
  row["clock"] = clock.name;
  row["shape"] = graphs::to_string(graph.shape);
  row["nodes"] = graph.nodes;
  row["replays"] = replays_or_never(found.replays);
  row["low"] = replays_or_never(found.low);
  row["high"] = replays_or_never(found.high);
  row["one_off_us"] = one_off.p50;
  row["stream_us"] = without.p50;
  row["replay_us"] = with.p50;
  rows.push_back(std::move(row));
}

}  // namespace

ordered_json to_json(const LifeCycle& lifecycle) {
  ordered_json json{{"nodes_are", "next to empty: one warp, which stores one word"},
                    {"graphs", ordered_json::array()},
                    {"parameters", ordered_json::array()},
                    {"fits", ordered_json::array()},
                    {"memory_fits", ordered_json::array()},
                    {"parameter_fits", ordered_json::array()},
                    {"break_even", ordered_json::array()}};
  for (const MeasuredGraph& graph : lifecycle.by_nodes) json["graphs"].push_back(to_json(graph));
  for (const MeasuredGraph& graph : lifecycle.by_parameters) json["parameters"].push_back(to_json(graph));
  for (const graphs::Shape shape : graphs::all_shapes) {
    const auto series = of_shape(lifecycle.by_nodes, shape);
    add_fits(json["fits"], series, {{"shape", graphs::to_string(shape)}}, "b_us_per_node",
             [](const MeasuredGraph& graph) { return static_cast<double>(graph.nodes); });
    if (!series.empty()) json["memory_fits"].push_back(memory_fit(shape, series));
    const auto swept = of_shape(lifecycle.by_parameters, shape);
    if (swept.empty()) continue;
    add_fits(json["parameter_fits"], swept,
             {{"shape", graphs::to_string(shape)}, {"nodes", swept.front()->nodes}}, "b_us_per_kib",
             [](const MeasuredGraph& graph) { return static_cast<double>(graph.parameter_bytes) / 1024; });
  }
  for (const Scenario& scenario : scenarios()) {
    for (const Clock& clock : {clocks[0], clocks[1]}) {
      for (const MeasuredGraph& graph : lifecycle.by_nodes)
        add_break_even(json["break_even"], graph, scenario, clock);
    }
  }
  return json;
}

}  // namespace gvf::study
