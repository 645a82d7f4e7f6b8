// Graphs of three shapes: their nodes and edges, that updates take effect however they are made, and that
// every phase of a life takes time.
#include "graphs/lifecycle.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "graphs/capture.hpp"
#include "graphs/device_update.hpp"
#include "graphs/executable_update.hpp"
#include "tests/catch.hpp"
#include "tests/device/cuda_error.hpp"

using namespace gvf;
using namespace gvf::graphs;
using Catch::Matchers::ContainsSubstring;

namespace {

// Cut short in every way a diamond can be, and larger than the launch queue's usual batch.
const std::vector<int> node_counts{1, 2, 3, 4, 5, 64, 257};

using Edge = std::pair<int, int>;

// By the numbers of nodes, which their parameters hold: so it works on captured graphs too. One kernel node a
// number.
std::set<Edge> edges_of(cudaGraph_t graph, std::size_t expected_nodes) {
  std::size_t count = 0;
  GVF_CUDA(cudaGraphGetEdges(graph, nullptr, nullptr, nullptr, &count), "counting edges");
  std::vector<cudaGraphNode_t> from(count), to(count);
  std::vector<cudaGraphEdgeData> data(count);
  if (count > 0) {
    GVF_CUDA(cudaGraphGetEdges(graph, from.data(), to.data(), data.data(), &count), "reading edges");
  }
  std::size_t nodes = node_count(graph);
  REQUIRE(nodes == expected_nodes);
  std::vector<cudaGraphNode_t> all(nodes);
  GVF_CUDA(cudaGraphGetNodes(graph, all.data(), &nodes), "reading nodes");
  std::map<cudaGraphNode_t, int> numbers;
  std::set<int> seen;
  for (const cudaGraphNode_t node : all) {
    cudaKernelNodeParams parameters{};
    GVF_CUDA(cudaGraphKernelNodeGetParams(node, &parameters), "reading a kernel node");
    const int number = static_cast<int>(*static_cast<const unsigned*>(parameters.kernelParams[0]));
    numbers[node] = number;
    seen.insert(number);
  }
  CHECK(seen.size() == all.size());
  std::set<Edge> edges;
  for (std::size_t i = 0; i < count; ++i) edges.emplace(numbers.at(from[i]), numbers.at(to[i]));
  CHECK(edges.size() == count);
  return edges;
}

std::set<Edge> expected_edges(Shape shape, int nodes) {
  std::set<Edge> edges;
  for (int node = 0; node < nodes; ++node) {
    const Predecessors before = predecessors(shape, node);
    for (int i = 0; i < before.count; ++i) edges.emplace(before.nodes[static_cast<std::size_t>(i)], node);
  }
  return edges;
}

void run(const GraphExec& executable, const Stream& stream) {
  GVF_CUDA(cudaGraphLaunch(executable.get(), stream.get()), "launching a graph");
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
}

// A replay after which every node has stored `value`.
void check_stores(const GraphExec& executable, const Stream& stream, int nodes, unsigned value) {
  clear_written_words();
  run(executable, stream);
  CHECK(written_words(nodes) == std::vector<unsigned>(static_cast<std::size_t>(nodes), value));
}

}  // namespace

TEST_CASE("a shape has its nodes and edges, built and captured", "[device][lifecycle]") {
  ParameterKernel kernel(default_parameter_bytes);
  TopologyCapture capture;
  for (const Shape shape : all_shapes) {
    for (const int nodes : node_counts) {
      CAPTURE(to_string(shape), nodes);
      const auto expected = expected_edges(shape, nodes);
      CHECK(expected.size() == static_cast<std::size_t>(edge_count(shape, nodes)));
      const NumberedGraph built = build(shape, nodes, kernel);
      CHECK(built.nodes.size() == static_cast<std::size_t>(nodes));
      CHECK(edges_of(built.graph.get(), static_cast<std::size_t>(nodes)) == expected);
      const Graph captured = capture.capture(shape, nodes, kernel);
      CHECK(edges_of(captured.get(), static_cast<std::size_t>(nodes)) == expected);
    }
  }
}

TEST_CASE("every node runs, of every shape and without a graph", "[device][lifecycle]") {
  const Stream stream = make_stream();
  ParameterKernel kernel(default_parameter_bytes);
  unsigned value = 10;
  for (const Shape shape : all_shapes) {
    kernel.set_value(++value);
    TopologyCapture capture;
    const Graph graph = capture.capture(shape, 257, kernel);
    check_stores(instantiate(graph.get()), stream, 257, value);
  }
  kernel.set_value(++value);
  clear_written_words();
  enqueue(257, kernel, stream.get());
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for launches");
  CHECK(written_words(257) == std::vector<unsigned>(257, value));
}

TEST_CASE("parameters of every size arrive whole", "[device][lifecycle]") {
  const Stream stream = make_stream();
  for (const std::size_t bytes : parameter_sizes) {
    CAPTURE(bytes);
    ParameterKernel kernel(bytes);
    CHECK(kernel.bytes() == bytes);
    kernel.set_value(7);
    const NumberedGraph built = build(Shape::straight_line, 4, kernel);
    check_stores(instantiate(built.graph.get()), stream, 4, 7);
  }
  CHECK_THROWS_AS(ParameterKernel(12), std::invalid_argument);
}

TEST_CASE("an update from the host takes effect, node by node and as a whole", "[device][lifecycle]") {
  const Stream stream = make_stream();
  for (const std::size_t bytes : parameter_sizes) {
    for (const Shape shape : all_shapes) {
      CAPTURE(bytes, to_string(shape));
      constexpr int nodes = 9;
      ParameterKernel kernel(bytes);
      kernel.set_value(1);
      const NumberedGraph built = build(shape, nodes, kernel);
      const GraphExec executable = instantiate(built.graph.get());
      check_stores(executable, stream, nodes, 1);

      kernel.set_value(2);
      check_stores(executable, stream, nodes, 1);  // else the next lines prove nothing
      for (int node = 0; node < nodes; ++node)
        update_node(executable.get(), built.nodes[static_cast<std::size_t>(node)], kernel.for_node(node));
      check_stores(executable, stream, nodes, 2);

      kernel.set_value(3);
      const NumberedGraph changed = build(shape, nodes, kernel);
      update_executable(executable.get(), built.graph.get(), changed.graph.get());
      check_stores(executable, stream, nodes, 3);

      // Captured graphs too, which have their own order of nodes.
      TopologyCapture capture;
      kernel.set_value(4);
      const Graph first = capture.capture(shape, nodes, kernel);
      const GraphExec captured = instantiate(first.get());
      kernel.set_value(5);
      const Graph second = capture.capture(shape, nodes, kernel);
      update_executable(captured.get(), first.get(), second.get());
      check_stores(captured, stream, nodes, 5);
    }
  }
}

TEST_CASE("an update from the device takes effect in the replay that makes it", "[device][lifecycle]") {
  const Stream stream = make_stream();
  for (const std::size_t bytes : parameter_sizes) {
    for (const Shape shape : all_shapes) {
      CAPTURE(bytes, to_string(shape));
      constexpr int nodes = 130;  // more than a block of the kernel that updates
      ParameterKernel kernel(bytes);
      kernel.set_value(1);
      DeviceUpdateGraph graph(shape, nodes, kernel, Updatable::yes);
      graph.build();
      CHECK(node_count(graph.graph()) == nodes + 1);
      graph.instantiate();
      graph.upload(stream.get());
      for (const unsigned value : {20U, 21U}) {
        graph.set_value(value, stream.get());
        clear_written_words();
        graph.launch(stream.get());
        GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
        CHECK(graph.failures(stream.get()) == 0);
        CHECK(written_words(nodes) == std::vector<unsigned>(nodes, value));
      }
    }
  }
}

TEST_CASE("the twin of an updatable graph runs the same nodes and updates none", "[device][lifecycle]") {
  const Stream stream = make_stream();
  ParameterKernel kernel(default_parameter_bytes);
  kernel.set_value(5);
  DeviceUpdateGraph twin(Shape::diamond, 33, kernel, Updatable::twin);
  twin.build();
  CHECK(node_count(twin.graph()) == 34);
  twin.instantiate();
  twin.upload(stream.get());
  twin.set_value(6, stream.get());
  clear_written_words();
  twin.launch(stream.get());
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
  CHECK(written_words(33) == std::vector<unsigned>(33, 5U));
}

TEST_CASE("device-updatable graphs refuse a whole-graph update and a second instantiation",
          "[device][lifecycle]") {
  const Stream stream = make_stream();
  ParameterKernel kernel(default_parameter_bytes);
  DeviceUpdateGraph graph(Shape::straight_line, 8, kernel, Updatable::yes);
  graph.build();
  graph.instantiate();
  graph.upload(stream.get());
  DeviceUpdateGraph other(Shape::straight_line, 8, kernel, Updatable::yes);
  other.build();
  const CudaError refused =
      tests::cuda_error([&] { update_executable(graph.executable(), graph.graph(), other.graph()); });
  CHECK_THAT(refused.what(), ContainsSubstring("updating an executable graph of 9 nodes") &&
                                 ContainsSubstring("device-updatable"));
  CHECK_THROWS_AS(graphs::instantiate(graph.graph()), CudaError);
  CHECK(cudaGetLastError() == cudaSuccess);
  graph.set_value(3, stream.get());
  clear_written_words();
  graph.launch(stream.get());  // what was refused left the graph as it was
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a graph");
  CHECK(written_words(8) == std::vector<unsigned>(8, 3U));
}

TEST_CASE("every phase of a life takes time, on every clock that it has", "[device][lifecycle]") {
  for (const Shape shape : all_shapes) {
    const LifeCyclePlan plan{shape, 16, default_parameter_bytes, 5};
    Costs costs = measure_life_cycle(plan);
    CHECK(costs.size() == 13);
    costs.merge(measure_device_updates(plan));
    CHECK(costs.size() == 20);
    for (const auto& [name, clocks] : costs) {
      CAPTURE(to_string(shape), name);
      CHECK(clocks.host_us.size() == 5);
      for (const auto* samples : {&clocks.host_us, &clocks.wall_us, &clocks.device_us}) {
        CHECK((samples->empty() || samples->size() == 5));
        CHECK(std::all_of(samples->begin(), samples->end(), [](double us) { return us > 0; }));
      }
      for (std::size_t i = 0; i < clocks.wall_us.size(); ++i) CHECK(clocks.wall_us[i] >= clocks.host_us[i]);
    }
    for (const char* timed : {cost::replay, cost::replay_twin, cost::replay_update_device})
      CHECK(costs.at(timed).device_us.size() == 5);
  }
}

TEST_CASE("executable graphs take memory, more of it for more nodes", "[device][lifecycle]") {
  MemoryProbe probe;
  const GraphMemory small = probe.measure(Shape::straight_line, 64, default_parameter_bytes);
  const GraphMemory large = probe.measure(Shape::straight_line, 1024, default_parameter_bytes);
  CHECK(large.bytes_per_executable > small.bytes_per_executable);
  CHECK(large.bytes_per_executable > large.resolution_bytes);
  CHECK(small.memory_node_bytes == 0);
}
