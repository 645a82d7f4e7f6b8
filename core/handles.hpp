// Move-only owners of what CUDA hands out. Nothing outside core/ calls cuda*Destroy or cudaFree.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <source_location>
#include <utility>

#include "core/error.hpp"

namespace gvf {

// Owns one handle; the moved-from state is empty and safe to destroy, test and assign to.
template <class T, cudaError_t (*Destroy)(T)>
class Handle {
 public:
  Handle() = default;
  explicit Handle(T raw) noexcept : raw_(raw) {}
  Handle(Handle&& other) noexcept : raw_(std::exchange(other.raw_, nullptr)) {}
  Handle& operator=(Handle&& other) noexcept {
    if (this != &other) {
      reset();
      raw_ = std::exchange(other.raw_, nullptr);
    }
    return *this;
  }
  ~Handle() { reset(); }

  [[nodiscard]] T get() const noexcept { return raw_; }
  explicit operator bool() const noexcept { return raw_ != nullptr; }
  void reset() noexcept {
    if (raw_ == nullptr) return;
    // The function's name spells out the template's arguments, and with them which destroy call this is.
    cuda_report(Destroy(std::exchange(raw_, nullptr)), std::source_location::current().function_name());
  }

 private:
  T raw_ = nullptr;
};

using Stream = Handle<cudaStream_t, cudaStreamDestroy>;
using Event = Handle<cudaEvent_t, cudaEventDestroy>;
using Graph = Handle<cudaGraph_t, cudaGraphDestroy>;
using GraphExec = Handle<cudaGraphExec_t, cudaGraphExecDestroy>;

// A stream that never waits for the legacy default stream (whose use breaks a capture).
[[nodiscard]] inline Stream make_stream() {
  cudaStream_t raw = nullptr;
  GVF_CUDA(cudaStreamCreateWithFlags(&raw, cudaStreamNonBlocking), "creating a stream");
  return Stream(raw);
}

[[nodiscard]] inline Event make_event(unsigned flags = cudaEventDefault) {
  cudaEvent_t raw = nullptr;
  GVF_CUDA(cudaEventCreateWithFlags(&raw, flags), "creating an event");
  return Event(raw);
}

// `size()` elements of T in device memory, uninitialised; empty when default-constructed or moved from.
template <class T>
class DeviceBuffer {
 public:
  DeviceBuffer() = default;
  explicit DeviceBuffer(std::size_t size) : size_(size) {
    void* raw = nullptr;
    if (size > 0) GVF_CUDA(cudaMalloc(&raw, size * sizeof(T)), "allocating device memory");
    data_ = static_cast<T*>(raw);
  }
  DeviceBuffer(DeviceBuffer&& other) noexcept
      : data_(std::exchange(other.data_, nullptr)), size_(std::exchange(other.size_, 0)) {}
  DeviceBuffer& operator=(DeviceBuffer&& other) noexcept {
    if (this != &other) {
      release();
      data_ = std::exchange(other.data_, nullptr);
      size_ = std::exchange(other.size_, 0);
    }
    return *this;
  }
  ~DeviceBuffer() { release(); }

  [[nodiscard]] T* data() const noexcept { return data_; }
  [[nodiscard]] std::size_t size() const noexcept { return size_; }
  [[nodiscard]] std::size_t bytes() const noexcept { return size_ * sizeof(T); }
  explicit operator bool() const noexcept { return data_ != nullptr; }

 private:
  void release() noexcept {
    if (data_ != nullptr) GVF_CUDA_NOEXCEPT(cudaFree(std::exchange(data_, nullptr)));
    size_ = 0;
  }

  T* data_ = nullptr;
  std::size_t size_ = 0;
};

}  // namespace gvf
