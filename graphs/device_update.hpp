// A graph whose first node, a kernel, gives new parameters to all the others: updates without the host.
//
// Its nodes are device-updatable, which costs what other graphs can do: no update as a whole, no second
// instantiation, and no launch before an upload. So it is a graph of its own, beside a twin of the same nodes
// that updates nothing.
#pragma once

#include <cuda_runtime_api.h>

#include "core/handles.hpp"
#include "graphs/topology.hpp"

namespace gvf::graphs {

enum class Updatable { yes, twin };

class DeviceUpdateGraph {
 public:
  // `nodes` nodes of this shape behind the one that updates them. Device memory is allocated here, nowhere
  // below.
  DeviceUpdateGraph(Shape shape, int nodes, ParameterKernel& kernel, Updatable updatable);

  // Each a phase of its life, in this order.
  void build();
  void instantiate();
  void upload(cudaStream_t stream);
  void launch(cudaStream_t stream);
  void destroy() noexcept;  // both forms; build() may follow

  // What the nodes store from the next launch on; written to device memory, where the first node finds it.
  // The twin's nodes keep the value that they were built with.
  void set_value(unsigned value, cudaStream_t stream);

  // Updates that the device refused so far; waits for `stream`.
  [[nodiscard]] unsigned failures(cudaStream_t stream);

  [[nodiscard]] cudaGraph_t graph() const noexcept { return built_.graph.get(); }
  [[nodiscard]] cudaGraphExec_t executable() const noexcept { return executable_.get(); }

 private:
  void add_updater();
  void make_updatable();

  Shape shape_;
  int count_;
  ParameterKernel* kernel_;
  Updatable updatable_;
  DeviceBuffer<cudaGraphDeviceNode_t> handles_;
  DeviceBuffer<unsigned> values_;  // the payload without its first word, which is the node's number
  DeviceBuffer<unsigned> failures_;
  NumberedGraph built_;
  cudaGraphNode_t updater_ = nullptr;
  GraphExec executable_;
};

}  // namespace gvf::graphs
