// Implements graphs/inspect.hpp.
#include "graphs/inspect.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <utility>

#include "core/error.hpp"
#include "graphs/capture.hpp"

namespace gvf::graphs {
namespace {

// Sorts by "depends on": repeatedly takes the nodes whose dependencies are all placed. Returns old index ->
// new.
std::vector<std::size_t> topological_order(std::size_t nodes, const std::vector<DependencyEdge>& edges) {
  std::vector<std::size_t> waiting(nodes, 0);
  std::vector<std::vector<std::size_t>> successors(nodes);
  for (const DependencyEdge& edge : edges) {
    ++waiting[edge.to];
    successors[edge.from].push_back(edge.to);
  }
  std::vector<std::size_t> ready;
  for (std::size_t i = 0; i < nodes; ++i)
    if (waiting[i] == 0) ready.push_back(i);
  std::vector<std::size_t> position(nodes, 0);
  for (std::size_t placed = 0; placed < ready.size(); ++placed) {
    position[ready[placed]] = placed;
    for (const std::size_t successor : successors[ready[placed]])
      if (--waiting[successor] == 0) ready.push_back(successor);
  }
  return position;
}

}  // namespace

std::size_t Inspection::count(cudaGraphNodeType type) const {
  return static_cast<std::size_t>(std::count(types.begin(), types.end(), type));
}

std::size_t Inspection::programmatic_edges() const {
  return static_cast<std::size_t>(std::count_if(
      edges.begin(), edges.end(), [](const DependencyEdge& edge) { return edge.programmatic; }));
}

bool Inspection::is_straight_line() const {
  if (nodes.empty() || edges.size() != nodes.size() - 1) return false;
  return std::all_of(edges.begin(), edges.end(),
                     [](const DependencyEdge& edge) { return edge.to == edge.from + 1; });
}

std::size_t Inspection::roots() const {
  std::vector<bool> depends(nodes.size(), false);
  for (const DependencyEdge& edge : edges) depends[edge.to] = true;
  return static_cast<std::size_t>(std::count(depends.begin(), depends.end(), false));
}

std::size_t Inspection::leaves() const {
  std::vector<bool> followed(nodes.size(), false);
  for (const DependencyEdge& edge : edges) followed[edge.from] = true;
  return static_cast<std::size_t>(std::count(followed.begin(), followed.end(), false));
}

Inspection inspect(cudaGraph_t graph) {
  std::size_t count = node_count(graph);
  std::vector<cudaGraphNode_t> nodes(count);
  if (count > 0) GVF_CUDA(cudaGraphGetNodes(graph, nodes.data(), &count), "reading the nodes of a graph");

  std::size_t edge_count = 0;
  GVF_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &edge_count), "counting the edges of a graph");
  std::vector<cudaGraphNode_t> from(edge_count), to(edge_count);
  std::vector<cudaGraphEdgeData> data(edge_count);
  if (edge_count > 0) {
    GVF_CUDA(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &edge_count),
             "reading the edges of a graph");
  }
  std::map<cudaGraphNode_t, std::size_t> index;
  for (std::size_t i = 0; i < count; ++i) index[nodes[i]] = i;
  std::vector<DependencyEdge> edges;
  for (std::size_t e = 0; e < edge_count; ++e) {
    edges.push_back(
        {index.at(from[e]), index.at(to[e]), data[e].type == cudaGraphDependencyTypeProgrammatic});
  }

  const std::vector<std::size_t> position = topological_order(count, edges);
  Inspection found;
  found.nodes.resize(count);
  found.types.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    found.nodes[position[i]] = nodes[i];
    GVF_CUDA(cudaGraphNodeGetType(nodes[i], &found.types[position[i]]), "reading a node's type");
  }
  for (const DependencyEdge& edge : edges) {
    found.edges.push_back({position[edge.from], position[edge.to], edge.programmatic});
  }
  std::sort(found.edges.begin(), found.edges.end(), [](const DependencyEdge& a, const DependencyEdge& b) {
    return std::pair(a.from, a.to) < std::pair(b.from, b.to);
  });
  return found;
}

std::string_view node_type_name(cudaGraphNodeType type) noexcept {
  switch (type) {
    case cudaGraphNodeTypeKernel:
      return "kernel";
    case cudaGraphNodeTypeMemcpy:
      return "memcpy";
    case cudaGraphNodeTypeMemset:
      return "memset";
    case cudaGraphNodeTypeHost:
      return "host";
    case cudaGraphNodeTypeGraph:
      return "child graph";
    case cudaGraphNodeTypeEmpty:
      return "empty";
    case cudaGraphNodeTypeWaitEvent:
      return "event wait";
    case cudaGraphNodeTypeEventRecord:
      return "event record";
    case cudaGraphNodeTypeMemAlloc:
      return "memory allocation";
    case cudaGraphNodeTypeMemFree:
      return "memory free";
    case cudaGraphNodeTypeConditional:
      return "conditional";
    default:
      return "other";
  }
}

std::string describe(const Inspection& found) {
  std::map<std::string_view, std::size_t> kinds;
  for (const cudaGraphNodeType type : found.types) ++kinds[node_type_name(type)];
  std::vector<std::string> parts;
  for (const auto& [name, number] : kinds) parts.push_back(fmt::format("{} {}", number, name));
  std::string text =
      fmt::format("{} nodes ({}), {} edges", found.nodes.size(), fmt::join(parts, ", "), found.edges.size());
  if (const std::size_t programmatic = found.programmatic_edges())
    text += fmt::format(", {} of them programmatic", programmatic);
  return text;
}

}  // namespace gvf::graphs
