// Measures for study/measure/lifecycle.hpp.
#include "study/measure/lifecycle.hpp"

#include <fmt/format.h>

#include <stdexcept>

#include "core/device.hpp"
#include "study/io/output.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

using graphs::Shape;

struct Matrix {
  std::vector<int> nodes;
  std::vector<std::size_t> parameter_bytes;
  int parameter_nodes;
};

Matrix matrix(bool quick) {
  if (quick) return {{1, 16, 256, 1024}, {8, 4096, 32764}, 64};
  return {
      {1, 4, 16, 64, 256, 1024, 4096}, {graphs::parameter_sizes.begin(), graphs::parameter_sizes.end()}, 256};
}

// Odd, so that a median is a sample. Large graphs are long, and their costs sums of many calls.
int repetitions(int nodes, bool quick) {
  if (quick) return nodes > 256 ? 9 : 15;
  return nodes > 1024 ? 15 : nodes > 64 ? 31 : 51;
}

// What fails here - device memory, a driver without updates from the device - costs only `what`.
template <class Action>
void attempt(std::map<std::string, std::string>& missing, const std::string& what, Action&& action) {
  try {
    action();
  } catch (const std::runtime_error& error) {
    missing[what] = error.what();
    note(fmt::format("no {}: {}", what, error.what()));
  }
}

MeasuredGraph planned(Shape shape, int nodes, std::size_t parameter_bytes, int repetitions) {
  return {shape, nodes, parameter_bytes, repetitions, {}, std::nullopt, {}};
}

void measure_memory(graphs::MemoryProbe& probe, MeasuredGraph& graph) {
  attempt(graph.missing, "memory",
          [&] { graph.memory = probe.measure(graph.shape, graph.nodes, graph.parameter_bytes); });
}

void measure_life(MeasuredGraph& graph) {
  const graphs::LifeCyclePlan plan{graph.shape, graph.nodes, graph.parameter_bytes, graph.repetitions};
  note(fmt::format("life cycle of {}, {} nodes, {} B of parameters", to_string(plan.shape), plan.nodes,
                   plan.parameter_bytes));
  attempt(graph.missing, "life cycle", [&] { graph.costs.merge(graphs::measure_life_cycle(plan)); });
  attempt(graph.missing, "updates from the device",
          [&] { graph.costs.merge(graphs::measure_device_updates(plan)); });
}

}  // namespace

LifeCycle measure_lifecycle(bool quick) {
  static_cast<void>(require_device());
  const PinnedThread pinned;
  const Matrix sizes = matrix(quick);
  LifeCycle lifecycle;

  for (const Shape shape : graphs::all_shapes) {
    for (const int nodes : sizes.nodes)
      lifecycle.by_nodes.push_back(
          planned(shape, nodes, graphs::default_parameter_bytes, repetitions(nodes, quick)));
  }
  for (const std::size_t bytes : sizes.parameter_bytes)
    lifecycle.by_parameters.push_back(planned(Shape::straight_line, sizes.parameter_nodes, bytes,
                                              repetitions(sizes.parameter_nodes, quick)));

  // Memory first: no graph of this process has been destroyed yet.
  note("memory of executable graphs");
  {
    graphs::MemoryProbe probe;
    for (MeasuredGraph& graph : lifecycle.by_nodes) measure_memory(probe, graph);
    for (MeasuredGraph& graph : lifecycle.by_parameters) measure_memory(probe, graph);
  }
  for (MeasuredGraph& graph : lifecycle.by_nodes) measure_life(graph);
  for (MeasuredGraph& graph : lifecycle.by_parameters) measure_life(graph);
  return lifecycle;
}

}  // namespace gvf::study
