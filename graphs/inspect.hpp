// What a graph is made of: read back from the driver, so that a submission's claim about it can be tested.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace gvf::graphs {

struct DependencyEdge {
  std::size_t from = 0;  // indices into Inspection::nodes
  std::size_t to = 0;
  bool programmatic = false;  // PDL; else the whole of `from` is waited for

  [[nodiscard]] bool operator==(const DependencyEdge&) const = default;
};

struct Inspection {
  std::vector<cudaGraphNode_t> nodes;  // a node comes after all that it depends on
  std::vector<cudaGraphNodeType> types;
  std::vector<DependencyEdge> edges;

  [[nodiscard]] std::size_t count(cudaGraphNodeType type) const;
  [[nodiscard]] std::size_t programmatic_edges() const;
  // Each node depends on the one before it and on nothing else.
  [[nodiscard]] bool is_straight_line() const;
  // How many nodes depend on nothing, or nothing depends on.
  [[nodiscard]] std::size_t roots() const;
  [[nodiscard]] std::size_t leaves() const;
};

// Throws CudaError. Children and bodies are not descended into.
[[nodiscard]] Inspection inspect(cudaGraph_t graph);

// "kernel", "memset", "conditional", ...
[[nodiscard]] std::string_view node_type_name(cudaGraphNodeType type) noexcept;

// "17 nodes (16 kernel, 1 memset), 16 edges, 15 of them programmatic"
[[nodiscard]] std::string describe(const Inspection& found);

}  // namespace gvf::graphs
