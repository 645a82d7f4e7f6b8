// A program to record on a GPU: two streams, a graph, NVTX ranges that nest, a copy that blocks. With an
// argument it instead times launches of empty kernels, for the cost of recording: ./gvf_record_sample
// LAUNCHES
#include <nvtx3/nvToolsExt.h>

#include <chrono>
#include <cstdio>
#include <cstdlib>

#include "core/error.hpp"

namespace {

constexpr int elements = 1 << 20;
constexpr int threads = 256;
constexpr int iterations = 10;
constexpr int kernels_a_graph = 8;

__global__ void scale(float* x, float factor) {
  const int i = static_cast<int>(blockIdx.x * blockDim.x + threadIdx.x);
  if (i < elements) x[i] *= factor;
}

__global__ void empty() {}

void launch_scale(float* x, cudaStream_t stream) {
  scale<<<elements / threads, threads, 0, stream>>>(x, 1.5F);
  GVF_CUDA(cudaGetLastError(), "launching scale");
}

// Host time a launch, µs, the queue never full.
void time_launches(int launches) {
  constexpr int batch = 256;  // below the depth of the launch queue
  double host_us = 0;
  for (int done = 0; done < launches; done += batch) {
    const auto start = std::chrono::steady_clock::now();
    for (int i = 0; i < batch; ++i) empty<<<1, 32>>>();
    host_us += std::chrono::duration<double, std::micro>(std::chrono::steady_clock::now() - start).count();
    GVF_CUDA(cudaDeviceSynchronize(), "waiting for empty kernels");
  }
  std::printf("%.3f us a launch\n", host_us / launches);
}

cudaGraphExec_t capture(float* x, cudaStream_t stream) {
  cudaGraph_t graph = nullptr;
  cudaGraphExec_t executable = nullptr;
  GVF_CUDA(cudaStreamBeginCapture(stream, cudaStreamCaptureModeThreadLocal), "capturing");
  for (int i = 0; i < kernels_a_graph; ++i) launch_scale(x, stream);
  GVF_CUDA(cudaStreamEndCapture(stream, &graph), "capturing");
  GVF_CUDA(cudaGraphInstantiate(&executable, graph, 0), "instantiating");
  GVF_CUDA(cudaGraphDestroy(graph), "destroying a graph");
  return executable;
}

void run_sample() {
  float *x = nullptr, *y = nullptr;
  cudaStream_t first = nullptr, second = nullptr;
  GVF_CUDA(cudaMalloc(&x, elements * sizeof(float)), "allocating");
  GVF_CUDA(cudaMalloc(&y, elements * sizeof(float)), "allocating");
  GVF_CUDA(cudaStreamCreateWithFlags(&first, cudaStreamNonBlocking), "creating a stream");
  GVF_CUDA(cudaStreamCreateWithFlags(&second, cudaStreamNonBlocking), "creating a stream");
  GVF_CUDA(cudaMemset(x, 0, elements * sizeof(float)), "clearing");
  cudaGraphExec_t graph = capture(x, first);

  nvtxRangePushA("sample");
  for (int i = 0; i < iterations; ++i) {
    nvtxRangePushA("two streams");
    launch_scale(x, first);
    launch_scale(y, second);
    GVF_CUDA(cudaStreamSynchronize(first), "waiting");
    GVF_CUDA(cudaStreamSynchronize(second), "waiting");
    nvtxRangePop();

    nvtxRangePushA("graph");
    GVF_CUDA(cudaGraphLaunch(graph, first), "launching a graph");
    GVF_CUDA(cudaStreamSynchronize(first), "waiting");
    nvtxRangePop();

    nvtxRangePushA("copy");
    float value = 0;
    GVF_CUDA(cudaMemcpy(&value, x, sizeof value, cudaMemcpyDeviceToHost), "copying");
    nvtxRangePop();
  }
  nvtxRangePop();
}

}  // namespace

int main(int argc, char** argv) {
  try {
    if (argc > 1)
      time_launches(std::atoi(argv[1]));
    else
      run_sample();
  } catch (const std::exception& error) {
    std::fprintf(stderr, "record_sample: %s\n", error.what());
    return 1;
  }
  return 0;
}
