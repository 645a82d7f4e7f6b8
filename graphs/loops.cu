// Implements graphs/loops.hpp. Compiled with relocatable device code: what launches or steers graphs from the
// device lives in the device runtime library.
#include "graphs/loops.hpp"

#include <cuda_runtime.h>

#include <optional>
#include <string>
#include <utility>

#include "core/error.hpp"
#include "core/programmatic.cuh"
#include "graphs/branches.hpp"
#include "graphs/capture.hpp"
#include "graphs/inspect.hpp"

namespace gvf::graphs {
namespace {

constexpr LaunchConfig one_thread{};

// Leaves the count at zero for the next launch of the graph.
__device__ bool is_last_round(unsigned* count, unsigned rounds) {
  const unsigned done = *count + 1;
  *count = done < rounds ? done : 0;
  return done >= rounds;
}

__global__ void continue_while_kernel(cudaGraphConditionalHandle handle, unsigned* count, unsigned rounds) {
  begin_dependent_kernel();
  cudaGraphSetConditional(handle, is_last_round(count, rounds) ? 0 : 1);
}

__global__ void relaunch_kernel(unsigned* count, unsigned rounds) {
  begin_dependent_kernel();
  if (!is_last_round(count, rounds)) cudaGraphLaunch(cudaGetCurrentGraphExec(), cudaStreamGraphTailLaunch);
}

std::shared_ptr<DeviceBuffer<unsigned>> zero_count() {
  auto count = std::make_shared<DeviceBuffer<unsigned>>(1);
  GVF_CUDA(cudaMemset(count->data(), 0, count->bytes()), "setting a count of rounds to zero");
  GVF_CUDA(cudaDeviceSynchronize(), "setting a count of rounds to zero");
  return count;
}

void preload(const void* kernel) {
  cudaFuncAttributes attributes;
  GVF_CUDA(cudaFuncGetAttributes(&attributes, kernel), "loading a kernel that steers a graph");
}

// One round: what `enqueue` launches, and `count`, which launches the kernel that counts. `branch` is made
// where that runs beside the round.
void capture_round(cudaStream_t stream, const Enqueue& enqueue, const Enqueue& count,
                   const LoopOptions& options, std::optional<ForkedStream>& branch) {
  StreamLauncher launcher(stream, options.edge);
  if (options.counting == Counting::behind) {
    enqueue(launcher);
    count(launcher);
    return;
  }
  branch.emplace(stream);
  StreamLauncher beside(branch->get());
  count(beside);
  enqueue(launcher);
  branch->join();
}

}  // namespace

BuiltGraph build_unrolled(const Enqueue& enqueue, int iterations) {
  Graph graph = capture([&](Launcher& launcher) {
    for (int i = 0; i < iterations; ++i) enqueue(launcher);
  });
  return {std::move(graph), iterations};
}

BuiltGraph build_while(const Enqueue& enqueue, int iterations, LoopOptions options) {
  preload(reinterpret_cast<const void*>(&continue_while_kernel));
  cudaGraph_t raw = nullptr;
  GVF_CUDA(cudaGraphCreate(&raw, 0), "creating a graph");
  BuiltGraph built{Graph(raw), iterations};
  const auto count = zero_count();
  built.memory = count;
  cudaGraphConditionalHandle handle{};
  GVF_CUDA(cudaGraphConditionalHandleCreate(&handle, raw, 1, cudaGraphCondAssignDefault),
           "creating a conditional handle");
  cudaGraphNodeParams params{};
  params.type = cudaGraphNodeTypeConditional;
  params.conditional.handle = handle;
  params.conditional.type = cudaGraphCondTypeWhile;
  params.conditional.size = 1;
  cudaGraphNode_t node = nullptr;
  GVF_CUDA(cudaGraphAddNode(&node, raw, nullptr, nullptr, 0, &params), "adding a WHILE node");
  const Enqueue enqueue_count = [&](Launcher& launcher) {
    launcher.launch(continue_while_kernel, one_thread, handle, count->data(),
                    static_cast<unsigned>(iterations));
  };
  std::optional<ForkedStream> branch;
  capture_into(params.conditional.phGraph_out[0],
               [&](cudaStream_t stream) { capture_round(stream, enqueue, enqueue_count, options, branch); });
  return built;
}

void require_device_launchable(cudaGraph_t graph) {
  for (const cudaGraphNodeType type : inspect(graph).types) {
    if (type != cudaGraphNodeTypeKernel && type != cudaGraphNodeTypeMemcpy &&
        type != cudaGraphNodeTypeMemset && type != cudaGraphNodeTypeGraph) {
      throw NotApplicable("a graph launched from the device may not hold a node of type " +
                          std::string(node_type_name(type)));
    }
  }
}

BuiltGraph build_relaunching(const Enqueue& enqueue, int iterations, LoopOptions options) {
  preload(reinterpret_cast<const void*>(&relaunch_kernel));
  const auto count = zero_count();
  const Enqueue enqueue_count = [&](Launcher& launcher) {
    launcher.launch(relaunch_kernel, one_thread, count->data(), static_cast<unsigned>(iterations));
  };
  std::optional<ForkedStream> branch;
  Graph graph = capture_stream(
      [&](cudaStream_t stream) { capture_round(stream, enqueue, enqueue_count, options, branch); });
  require_device_launchable(graph.get());
  return {std::move(graph), iterations, cudaGraphInstantiateFlagDeviceLaunch, count};
}

}  // namespace gvf::graphs
