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

MeasuredGraph measured(const graphs::LifeCyclePlan& plan) {
  note(fmt::format("life cycle of {}, {} nodes, {} B of parameters", to_string(plan.shape), plan.nodes,
                   plan.parameter_bytes));
  MeasuredGraph graph{
      plan.shape,   plan.nodes, plan.parameter_bytes, plan.repetitions, graphs::measure_life_cycle(plan),
      std::nullopt, {}};
  try {
    graph.costs.merge(graphs::measure_device_updates(plan));
  } catch (const std::runtime_error& error) {  // a driver without them costs only them
    graph.missing["device updates"] = error.what();
    note(fmt::format("no updates from the device: {}", error.what()));
  }
  return graph;
}

}  // namespace

LifeCycle measure_lifecycle(bool quick) {
  static_cast<void>(require_device());
  const PinnedThread pinned;
  const Matrix sizes = matrix(quick);
  LifeCycle lifecycle;

  // Memory first: no graph of this process has been destroyed yet.
  note("memory of executable graphs");
  std::map<std::pair<Shape, int>, graphs::GraphMemory> memory;
  {
    graphs::MemoryProbe probe;
    for (const Shape shape : graphs::all_shapes) {
      for (const int nodes : sizes.nodes)
        memory[{shape, nodes}] = probe.measure(shape, nodes, graphs::default_parameter_bytes);
    }
    for (const std::size_t bytes : sizes.parameter_bytes) {
      MeasuredGraph& graph = lifecycle.by_parameters.emplace_back();
      graph.memory = probe.measure(Shape::straight_line, sizes.parameter_nodes, bytes);
      graph.parameter_bytes = bytes;
    }
  }
  for (const Shape shape : graphs::all_shapes) {
    for (const int nodes : sizes.nodes) {
      lifecycle.by_nodes.push_back(
          measured({shape, nodes, graphs::default_parameter_bytes, repetitions(nodes, quick)}));
      lifecycle.by_nodes.back().memory = memory.at({shape, nodes});
    }
  }
  for (MeasuredGraph& graph : lifecycle.by_parameters) {
    const auto taken = graph.memory;
    graph = measured({Shape::straight_line, sizes.parameter_nodes, graph.parameter_bytes,
                      repetitions(sizes.parameter_nodes, quick)});
    graph.memory = taken;
  }
  return lifecycle;
}

}  // namespace gvf::study
