// What is said of a graph, from nodes and edges made up here.
#include "graphs/inspect.hpp"

#include "tests/catch.hpp"

using namespace gvf::graphs;

namespace {

Inspection nodes(std::size_t count, std::vector<DependencyEdge> edges) {
  Inspection made;
  made.nodes.resize(count);
  made.types.assign(count, cudaGraphNodeTypeKernel);
  made.edges = std::move(edges);
  return made;
}

}  // namespace

TEST_CASE("inspection: a straight line has one edge from each node to the next", "[graphs]") {
  CHECK(nodes(1, {}).is_straight_line());
  CHECK(nodes(3, {{0, 1}, {1, 2}}).is_straight_line());
  CHECK_FALSE(nodes(0, {}).is_straight_line());
  CHECK_FALSE(nodes(3, {{0, 1}}).is_straight_line());
  CHECK_FALSE(nodes(3, {{0, 1}, {0, 2}}).is_straight_line());
  CHECK_FALSE(nodes(3, {{0, 1}, {1, 2}, {0, 2}}).is_straight_line());
}

TEST_CASE("inspection: roots and leaves", "[graphs]") {
  const Inspection diamond = nodes(4, {{0, 1}, {0, 2}, {1, 3}, {2, 3}});
  CHECK(diamond.roots() == 1);
  CHECK(diamond.leaves() == 1);
  const Inspection apart = nodes(3, {});
  CHECK(apart.roots() == 3);
  CHECK(apart.leaves() == 3);
}

TEST_CASE("inspection: described in a line", "[graphs]") {
  Inspection found = nodes(3, {{0, 1, true}, {1, 2}});
  found.types.front() = cudaGraphNodeTypeMemset;
  CHECK(describe(found) == "3 nodes (2 kernel, 1 memset), 2 edges, 1 of them programmatic");
  CHECK(describe(nodes(1, {})) == "1 nodes (1 kernel), 0 edges");
}
