// The shapes whose life cycle is measured, of any number of kernel nodes: built node by node, captured from
// streams, and launched without a graph. All three run the same kernels in the same order.
#pragma once

#include <cuda_runtime_api.h>

#include <array>
#include <string_view>
#include <vector>

#include "core/handles.hpp"
#include "graphs/parameter_kernel.hpp"

namespace gvf::graphs {

enum class Shape {
  straight_line,  // 0 -> 1 -> 2 -> ...
  fan_out,        // 0 -> each of the others
  diamond,        // 0 -> {1, 2} -> 3, and 3 -> 4 begins the next; the last one may be cut short
};
inline constexpr std::array<Shape, 3> all_shapes{Shape::straight_line, Shape::fan_out, Shape::diamond};
[[nodiscard]] constexpr std::string_view to_string(Shape shape) {
  return shape == Shape::straight_line ? "straight_line" : shape == Shape::fan_out ? "fan_out" : "diamond";
}

// The nodes that a node waits for, all of them earlier ones.
struct Predecessors {
  int count = 0;
  std::array<int, 2> nodes{};
};
[[nodiscard]] constexpr Predecessors predecessors(Shape shape, int node) {
  if (node == 0) return {};
  if (shape == Shape::straight_line) return {1, {node - 1, 0}};
  if (shape == Shape::fan_out) return {1, {0, 0}};
  switch (node % 4) {
    case 3:
      return {2, {node - 2, node - 1}};
    case 2:
      return {1, {node - 2, 0}};
    default:  // top of the next diamond, or left side of this one
      return {1, {node - 1, 0}};
  }
}

[[nodiscard]] constexpr int edge_count(Shape shape, int nodes) {
  int edges = 0;
  for (int node = 0; node < nodes; ++node) edges += predecessors(shape, node).count;
  return edges;
}

// A graph, with its nodes in the order of their numbers.
struct NumberedGraph {
  Graph graph;
  std::vector<cudaGraphNode_t> nodes;
};

// Explicitly, a call for every node.
[[nodiscard]] NumberedGraph build(Shape shape, int nodes, ParameterKernel& kernel);
// The same behind `head`, a node of the graph already, for which node 0 waits; null: for nothing.
void add_nodes(NumberedGraph& into, Shape shape, int nodes, ParameterKernel& kernel, cudaGraphNode_t head);

// Captures a shape from streams; these, and the events that fork and join them, are made beforehand.
class TopologyCapture {
 public:
  [[nodiscard]] Graph capture(Shape shape, int nodes, ParameterKernel& kernel);

 private:
  void enqueue(Shape shape, int nodes, ParameterKernel& kernel);
  void enqueue_fan_out(int nodes, ParameterKernel& kernel);
  void enqueue_diamonds(int nodes, ParameterKernel& kernel);
  void fork();  // the branch waits for the origin's last node, and for nothing else

  Stream origin_ = make_stream();
  Stream branch_ = make_stream();
  Event forked_ = make_event(cudaEventDisableTiming);
  Event joined_ = make_event(cudaEventDisableTiming);
};

// Without a graph: all nodes into one stream in the order of their numbers, which every shape allows. The
// fewest calls that launch these kernels.
void enqueue(int nodes, ParameterKernel& kernel, cudaStream_t stream);

}  // namespace gvf::graphs
