// Implements graphs/device_update.hpp. The device runtime that it calls needs relocatable device code and
// cudadevrt.
#include "graphs/device_update.hpp"

#include <cuda_runtime.h>

#include <vector>

#include "core/error.hpp"
#include "core/programmatic.cuh"
#include "graphs/capture.hpp"
#include "graphs/explicit_graph.hpp"

namespace gvf::graphs {
namespace {

constexpr int threads_per_block = 128;

// A thread a node.
__global__ void update_nodes(const cudaGraphDeviceNode_t* nodes, int count, std::size_t offset,
                             const unsigned* values, std::size_t bytes, unsigned* failures) {
  begin_dependent_kernel();
  const int node = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (node >= count) return;
  if (cudaGraphKernelNodeSetParam(nodes[node], offset, values, bytes) != cudaSuccess) atomicAdd(failures, 1u);
}

// Where the first parameter's second word lies among a kernel's parameters.
std::size_t second_word_offset(const void* function) {
  std::size_t offset = 0;
  GVF_CUDA(cudaFuncGetParamInfo(function, 0, &offset, nullptr), "asking for the place of a parameter");
  return offset + sizeof(unsigned);
}

}  // namespace

DeviceUpdateGraph::DeviceUpdateGraph(Shape shape, int nodes, ParameterKernel& kernel, Updatable updatable)
    : shape_(shape),
      count_(nodes),
      kernel_(&kernel),
      updatable_(updatable),
      handles_(static_cast<std::size_t>(nodes)),
      values_(kernel.payload().size() - 1),
      failures_(1) {
  GVF_CUDA(cudaMemset(values_.data(), 0, values_.bytes()), "clearing parameters");
  GVF_CUDA(cudaMemset(failures_.data(), 0, failures_.bytes()), "clearing a count");
  // A memset may return before it is done, and non-blocking streams do not wait for it.
  GVF_CUDA(cudaDeviceSynchronize(), "clearing parameters");
}

void DeviceUpdateGraph::add_updater() {
  const cudaGraphDeviceNode_t* nodes = handles_.data();
  int count = updatable_ == Updatable::yes ? count_ : 0;
  std::size_t offset = second_word_offset(kernel_->for_node(0).function);
  const unsigned* values = values_.data();
  std::size_t bytes = values_.bytes();
  unsigned* failures = failures_.data();
  void* arguments[] = {&nodes, &count, &offset, &values, &bytes, &failures};
  LaunchConfig config;
  config.grid = dim3(static_cast<unsigned>((count_ + threads_per_block - 1) / threads_per_block));
  config.block = dim3(threads_per_block);
  const cudaKernelNodeParams parameters =
      node_parameters({reinterpret_cast<const void*>(&update_nodes), config, arguments, 6});
  GVF_CUDA(cudaGraphAddKernelNode(&updater_, built_.graph.get(), nullptr, 0, &parameters),
           "adding the node that updates the others");
}

void DeviceUpdateGraph::make_updatable() {
  std::vector<cudaGraphDeviceNode_t> handles;
  handles.reserve(built_.nodes.size());
  for (const cudaGraphNode_t node : built_.nodes) {
    // CUDA writes the handle into the value, though the call takes it as const.
    cudaKernelNodeAttrValue value{};
    value.deviceUpdatableKernelNode.deviceUpdatable = 1;
    GVF_CUDA(cudaGraphKernelNodeSetAttribute(node, cudaLaunchAttributeDeviceUpdatableKernelNode, &value),
             "making a node device-updatable");
    handles.push_back(value.deviceUpdatableKernelNode.devNode);
  }
  GVF_CUDA(cudaMemcpy(handles_.data(), handles.data(), handles_.bytes(), cudaMemcpyHostToDevice),
           "copying the handles of nodes to the device");
}

void DeviceUpdateGraph::build() {
  cudaGraph_t raw = nullptr;
  GVF_CUDA(cudaGraphCreate(&raw, 0), "creating a graph");
  built_ = {Graph(raw), {}};
  add_updater();
  add_nodes(built_, shape_, count_, *kernel_, updater_);
  if (updatable_ == Updatable::yes) make_updatable();
}

void DeviceUpdateGraph::instantiate() {
  executable_ = graphs::instantiate(built_.graph.get());
}

void DeviceUpdateGraph::upload(cudaStream_t stream) {
  GVF_CUDA(cudaGraphUpload(executable_.get(), stream), "uploading a graph");
}

void DeviceUpdateGraph::launch(cudaStream_t stream) {
  GVF_CUDA(cudaGraphLaunch(executable_.get(), stream), "launching a graph that updates itself");
}

void DeviceUpdateGraph::destroy() noexcept {
  executable_.reset();
  built_.graph.reset();
  built_.nodes.clear();
}

void DeviceUpdateGraph::set_value(unsigned value, cudaStream_t stream) {
  const std::vector<unsigned> values(values_.size(), value);
  GVF_CUDA(cudaMemcpyAsync(values_.data(), values.data(), values_.bytes(), cudaMemcpyHostToDevice, stream),
           "writing parameters for the device to pass on");
  GVF_CUDA(cudaStreamSynchronize(stream), "writing parameters for the device to pass on");
}

unsigned DeviceUpdateGraph::failures(cudaStream_t stream) {
  unsigned failures = 0;
  GVF_CUDA(cudaMemcpyAsync(&failures, failures_.data(), sizeof failures, cudaMemcpyDeviceToHost, stream),
           "reading how many updates failed");
  GVF_CUDA(cudaStreamSynchronize(stream), "reading how many updates failed");
  return failures;
}

}  // namespace gvf::graphs
