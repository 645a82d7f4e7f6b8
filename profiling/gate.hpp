// A gate in a stream: a kernel that holds everything behind it until the host opens it. With the gate closed
// the host gets ahead; what runs after opening shows the device alone.
//
// Hazard: a tool that serialises launches (compute-sanitizer, ncu, a debugger, CUDA_LAUNCH_BLOCKING=1) waits
// for the gate's kernel to end before the host may open it: a deadlock, but for the kernel's own time-out.
// So: no gate under a profiler, and whoever closes one asks timed_out() after synchronising; if true, the row
// is void.
#pragma once

#include <cuda_runtime_api.h>

#include <chrono>

#include "core/handles.hpp"

namespace gvf::profiling {

class Gate {
 public:
  /// Throws gvf::CudaError.
  Gate();
  Gate(const Gate&) = delete;
  Gate& operator=(const Gate&) = delete;
  /// Opens the gate and waits for its stream: the kernel reads memory that is freed here.
  ~Gate();

  /// Loads the gate's kernel, so that nothing is loaded lazily behind a closed one.
  static void preload();

  /// Enqueues the kernel into `stream`. It ends when open() is called, or after `time_out`.
  void close(cudaStream_t stream, std::chrono::milliseconds time_out = std::chrono::milliseconds(500));
  void open() noexcept;
  /// Whether the last gate ended by its time-out. Ask after the stream was synchronised.
  [[nodiscard]] bool timed_out() const noexcept;

 private:
  struct Flags {
    unsigned opened;     ///< written by the host: gates up to this one may pass
    unsigned timed_out;  ///< written by the device: the last gate that gave up
  };
  Handle<void*, cudaFreeHost> memory_;
  volatile Flags* host_ = nullptr;
  void* device_ = nullptr;
  cudaStream_t stream_ = nullptr;
  unsigned gate_ = 0;  // counts gates, so that no flag is ever reset while a kernel may read it
};

}  // namespace gvf::profiling
