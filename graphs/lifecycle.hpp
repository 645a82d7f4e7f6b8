// What a graph costs over its life, phase by phase, beside launching the same kernels into a stream. Nodes
// are next to empty: figures are those of launching, not of computing.
#pragma once

#include <array>
#include <cstddef>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "graphs/topology.hpp"

namespace gvf::graphs {

// Names of what is measured; every cost has its own.
namespace cost {
// Once in a graph's life.
inline constexpr const char* capture = "capture";
inline constexpr const char* build = "build";              // the same graph, a call for every node
inline constexpr const char* instantiate = "instantiate";  // out of the captured graph
inline constexpr const char* reinstantiate =
    "reinstantiate";  // destroy the executable, instantiate the same graph again
inline constexpr const char* upload = "upload";
inline constexpr const char* first_launch = "first_launch";  // after the upload
inline constexpr const char* destroy = "destroy";            // executable and graph
// Each time. replay_* contain the update before the launch.
inline constexpr const char* stream = "stream";  // no graph: a launch call for every kernel, one stream
inline constexpr const char* replay = "replay";
inline constexpr const char* update_nodes = "update_nodes";  // cudaGraphExecKernelNodeSetParams on every node
inline constexpr const char* replay_update_nodes = "replay_update_nodes";
inline constexpr const char* update_graph = "update_graph";  // cudaGraphExecUpdate alone
inline constexpr const char* replay_update_graph =
    "replay_update_graph";  // with the capture that it takes, and its destruction
// A graph whose first node updates all others on the device, and its twin whose first node updates none.
inline constexpr const char* build_updatable = "build_updatable";
inline constexpr const char* instantiate_updatable = "instantiate_updatable";
inline constexpr const char* upload_updatable = "upload_updatable";
inline constexpr const char* first_launch_updatable = "first_launch_updatable";
inline constexpr const char* replay_update_device = "replay_update_device";
inline constexpr const char* replay_twin = "replay_twin";
inline constexpr const char* destroy_updatable = "destroy_updatable";
// In the order of a life.
inline constexpr std::array all{capture,
                                build,
                                instantiate,
                                upload,
                                first_launch,
                                replay,
                                stream,
                                update_nodes,
                                replay_update_nodes,
                                update_graph,
                                replay_update_graph,
                                reinstantiate,
                                destroy,
                                build_updatable,
                                instantiate_updatable,
                                upload_updatable,
                                first_launch_updatable,
                                replay_update_device,
                                replay_twin,
                                destroy_updatable};
}  // namespace cost

// Samples in microseconds, one a repetition; those with one index belong to one repetition. Empty: not on
// this clock.
struct Clocks {
  std::vector<double> host_us;  // inside the calls
  std::vector<double> wall_us;  // from the first call's start, GPU idle, to the synchronisation's return
  std::vector<double>
      device_us;  // a replay between two events, many in flight: bound by the host where that is slower
};
using Costs = std::map<std::string, Clocks>;

struct LifeCyclePlan {
  Shape shape = Shape::straight_line;
  int nodes = 1;
  std::size_t parameter_bytes = default_parameter_bytes;
  int repetitions =
      15;  // one more runs first and is dropped: it loads the kernels and fills the driver's pools
};

// Throws CudaError, and std::logic_error where an update did not arrive.
[[nodiscard]] Costs measure_life_cycle(const LifeCyclePlan& plan);

// The *_updatable, replay_update_device and replay_twin of the same plan. Throws std::runtime_error, as
// CudaError is, where the device refused updates, and std::logic_error where one did not arrive.
[[nodiscard]] Costs measure_device_updates(const LifeCyclePlan& plan);

// Device memory that an executable graph takes once it is uploaded.
struct GraphMemory {
  int instances = 0;
  double bytes_per_executable = 0;
  double resolution_bytes = 0;  // memory is taken in pieces of 2 MiB, spread over the instances
  std::int64_t memory_node_bytes =
      0;  // cudaGraphMemAttrReservedMemCurrent: for allocation nodes, of which there are none
};

// Instantiates many and keeps them, since the driver hands what is destroyed to the next graph. Measure
// before any other graph is destroyed in this process; what other processes allocate meanwhile counts too.
class MemoryProbe {
 public:
  [[nodiscard]] GraphMemory measure(Shape shape, int nodes, std::size_t parameter_bytes);

 private:
  Stream stream_ = make_stream();
  std::vector<NumberedGraph> graphs_;
  std::vector<GraphExec> executables_;
};

}  // namespace gvf::graphs
