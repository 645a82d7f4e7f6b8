// The gate's kernel and its host side: see gate.hpp for what can go wrong with it.
#include <cuda_runtime.h>

#include <atomic>

#include "profiling/gate.hpp"

namespace gvf::profiling {

namespace {

__device__ unsigned long long device_clock_ns() {
  unsigned long long ns;
  asm volatile("mov.u64 %0, %%globaltimer;" : "=l"(ns));
  return ns;
}

// One thread that polls host memory. It never waits longer than `time_out_ns`, whatever the host does.
__global__ void hold_gate(volatile unsigned* opened, volatile unsigned* timed_out, unsigned gate,
                          unsigned long long time_out_ns) {
  const unsigned long long start = device_clock_ns();
  while (*opened < gate) {
    if (device_clock_ns() - start > time_out_ns) {
      *timed_out = gate;
      __threadfence_system();
      return;
    }
  }
}

}  // namespace

Gate::Gate() {
  void* raw = nullptr;
  GVF_CUDA(cudaHostAlloc(&raw, sizeof(Flags), cudaHostAllocMapped), "allocating the gate's flags");
  memory_ = Handle<void*, cudaFreeHost>(raw);
  host_ = static_cast<volatile Flags*>(raw);
  host_->opened = 0;
  host_->timed_out = 0;
  GVF_CUDA(cudaHostGetDevicePointer(&device_, raw, 0), "mapping the gate's flags");
}

Gate::~Gate() {
  if (gate_ == 0) return;
  open();
  GVF_CUDA_NOEXCEPT(cudaStreamSynchronize(stream_));
}

void Gate::preload() {
  cudaFuncAttributes attributes;
  GVF_CUDA(cudaFuncGetAttributes(&attributes, hold_gate), "loading the gate's kernel");
}

void Gate::close(cudaStream_t stream, std::chrono::milliseconds time_out) {
  stream_ = stream;
  ++gate_;
  const auto time_out_ns = static_cast<unsigned long long>(std::chrono::nanoseconds(time_out).count());
  auto* flags = static_cast<Flags*>(device_);
  hold_gate<<<1, 1, 0, stream>>>(&flags->opened, &flags->timed_out, gate_, time_out_ns);
  GVF_CUDA(cudaGetLastError(), "closing a gate");
}

void Gate::open() noexcept {
  std::atomic_thread_fence(std::memory_order_seq_cst);
  host_->opened = gate_;
}

bool Gate::timed_out() const noexcept {
  return gate_ != 0 && host_->timed_out == gate_;
}

}  // namespace gvf::profiling
