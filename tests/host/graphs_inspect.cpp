// What is said of a graph, from nodes and edges made up here.
#include "graphs/inspect.hpp"

#include "graphs/executable_update.hpp"
#include "tests/catch.hpp"

using namespace gvf::graphs;
using Catch::Matchers::ContainsSubstring;

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

TEST_CASE("inspection: the first difference of two graphs", "[graphs]") {
  const Inspection line = nodes(3, {{0, 1}, {1, 2}});
  CHECK(first_difference(line, line).empty());
  CHECK(first_difference(line, nodes(4, {{0, 1}, {1, 2}, {2, 3}})) == "node 3 (kernel) is new");
  CHECK(first_difference(line, nodes(2, {{0, 1}})) == "node 2 (kernel) is gone");
  Inspection other = line;
  other.types[1] = cudaGraphNodeTypeMemset;
  CHECK(first_difference(line, other) == "node 1 was kernel and is memset");
  CHECK(first_difference(line, nodes(3, {{0, 1}, {0, 2}})) == "the edge from node 1 to node 2 is gone");
  CHECK(first_difference(line, nodes(3, {{0, 1}, {0, 2}, {1, 2}})) ==
        "the edge from node 0 to node 2 is new");
  CHECK(first_difference(line, nodes(3, {{0, 1}, {1, 2, true}})) ==
        "the edge from node 1 to node 2 is programmatic now");
  CHECK(first_difference(nodes(3, {{0, 1}, {1, 2, true}}), line) ==
        "the edge from node 1 to node 2 is no longer programmatic");
}

TEST_CASE("a refused update shows both graphs and what to do, in one line", "[graphs]") {
  const Inspection line = nodes(3, {{0, 1}, {1, 2}});
  CHECK(describe_refusal(cudaGraphExecUpdateErrorTopologyChanged, line, nodes(3, {{0, 1}, {0, 2}})) ==
        "its nodes or edges are others: it was 3 nodes (3 kernel), 2 edges, the new graph is 3 nodes (3 "
        "kernel), 2 "
        "edges, where the edge from node 1 to node 2 is gone; instantiate the new graph instead");
  for (const auto result :
       {cudaGraphExecUpdateErrorNodeTypeChanged, cudaGraphExecUpdateErrorFunctionChanged,
        cudaGraphExecUpdateErrorParametersChanged, cudaGraphExecUpdateErrorNotSupported,
        cudaGraphExecUpdateErrorUnsupportedFunctionChange, cudaGraphExecUpdateErrorAttributesChanged}) {
    const std::string text = describe_refusal(result, line, line);
    CAPTURE(text);
    CHECK_THAT(text, ContainsSubstring("it was 3 nodes") && !ContainsSubstring("where"));
    CHECK(text.find("; ") != std::string::npos);
    CHECK(text.find('\n') == std::string::npos);
  }
}
