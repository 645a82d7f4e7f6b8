// What is said of an update that was refused, from graphs made up here.
#include <cstdint>
#include <utility>

#include "graphs/executable_update.hpp"
#include "tests/catch.hpp"

using namespace gvf::graphs;

namespace {

// Never looked into: only compared.
cudaGraphNode_t handle(std::size_t node) {
  return reinterpret_cast<cudaGraphNode_t>(std::uintptr_t{0x100} + node);
}

GraphSummary graph(std::vector<std::string> names, std::vector<DependencyEdge> edges) {
  GraphSummary made;
  for (std::size_t node = 0; node < names.size(); ++node) {
    made.shape.nodes.push_back(handle(node));
    made.shape.types.push_back(names[node] == "memset" ? cudaGraphNodeTypeMemset : cudaGraphNodeTypeKernel);
  }
  made.shape.edges = std::move(edges);
  made.names = std::move(names);
  return made;
}

const GraphSummary line = graph({"kernel a", "kernel b", "kernel c"}, {{0, 1}, {1, 2}});

std::string refused(cudaGraphExecUpdateResult result, const GraphSummary& by, cudaGraphNode_t node = nullptr,
                    cudaGraphNode_t from = nullptr) {
  return describe_refusal({result, node, from}, line, by);
}

}  // namespace

TEST_CASE("graph update: of another size, both sizes are told", "[graphs][error]") {
  CHECK(
      refused(cudaGraphExecUpdateErrorTopologyChanged, graph({"kernel a", "kernel b"}, {{0, 1}})) ==
      "updating an executable graph of 3 nodes (3 kernel), 2 edges with one of 2 nodes (2 kernel), 1 edges, "
      "which changes its nodes or edges");
}

TEST_CASE("graph update: of the same size, roots and leaves tell the shape, and the node where it shows",
          "[graphs][error]") {
  const GraphSummary fan = graph({"kernel a", "kernel b", "kernel c"}, {{0, 1}, {0, 2}});
  CHECK(
      refused(cudaGraphExecUpdateErrorTopologyChanged, fan, handle(2), handle(0)) ==
      "updating an executable graph of 3 nodes (3 kernel), 2 edges, roots: 1, leaves: 1 with one of 3 nodes "
      "(3 kernel), 2 edges, roots: 1, leaves: 2, which changes its nodes or edges: node 2 is kernel c "
      "(predecessors: 1) behind node 0");
  const GraphSummary join = graph({"kernel a", "kernel b", "kernel c"}, {{0, 2}, {1, 2}});
  CHECK(
      refused(cudaGraphExecUpdateErrorTopologyChanged, join, handle(2)) ==
      "updating an executable graph of 3 nodes (3 kernel), 2 edges, roots: 1, leaves: 1 with one of 3 nodes "
      "(3 kernel), 2 edges, roots: 2, leaves: 1, which changes its nodes or edges: node 2 is kernel c "
      "(predecessors: 2) and was kernel c (predecessors: 1)");
}

TEST_CASE("graph update: another type or kernel is told with the one that was there", "[graphs][error]") {
  const GraphSummary cleared = graph({"kernel a", "memset", "kernel c"}, {{0, 1}, {1, 2}});
  CHECK(
      refused(cudaGraphExecUpdateErrorNodeTypeChanged, cleared, handle(1)) ==
      "updating an executable graph of 3 nodes (3 kernel), 2 edges with one of 3 nodes (2 kernel, 1 memset), "
      "2 edges, which changes the type of a node: node 1 is memset (predecessors: 1) and was kernel b "
      "(predecessors: 1)");
  const GraphSummary other = graph({"kernel a", "kernel d", "kernel c"}, {{0, 1}, {1, 2}});
  CHECK(
      refused(cudaGraphExecUpdateErrorUnsupportedFunctionChange, other, handle(1)) ==
      "updating an executable graph of 3 nodes (3 kernel), 2 edges, roots: 1, leaves: 1 with one of as many, "
      "which changes a kernel that the new one cannot stand in for: node 1 is kernel d (predecessors: 1) and "
      "was kernel b (predecessors: 1)");
}

TEST_CASE("graph update: a node that looks the same, or is of no graph here, is not made a difference",
          "[graphs][error]") {
  const std::string start =
      "updating an executable graph of 3 nodes (3 kernel), 2 edges, roots: 1, leaves: 1 with one of as many, "
      "which changes ";
  CHECK(refused(cudaGraphExecUpdateErrorParametersChanged, line, handle(1)) ==
        start + "parameters that cannot be taken over: node 1 is kernel b (predecessors: 1)");
  CHECK(refused(cudaGraphExecUpdateErrorNotSupported, line, handle(7)) ==
        start + "a node that takes no update, as no device-updatable node does");
}
