// The one door between a pipeline and the GPU.
//
// A pipeline enqueues its iteration through a Launcher and never learns how that iteration is submitted: into
// a stream, into a stream that is being captured, as nodes of a graph, or into a list that a test inspects. A
// new submission is a new Launcher (or a new use of one); no pipeline changes.
//
// What a pipeline promises: every kernel that it launches here begins with begin_dependent_kernel()
// (core/programmatic.cuh), so that a Launcher may let it come up early.
#pragma once

#include <cuda_runtime_api.h>

#include <cstddef>
#include <functional>
#include <type_traits>
#include <utility>

#include "core/error.hpp"

namespace gvf {

struct LaunchConfig {
  dim3 grid{1};
  dim3 block{1};
  std::size_t shared_bytes = 0;
  bool cooperative = false;  // needs every block resident at once; allows grid-wide barriers
};

// One launch with its arguments as the runtime takes them: `arguments[i]` points at the i-th parameter's
// value, valid during the call only.
struct KernelLaunch {
  const void* function = nullptr;
  LaunchConfig config;
  void** arguments = nullptr;
  std::size_t argument_count = 0;
};

class Launcher {
 public:
  virtual ~Launcher() = default;

  // Enqueues `kernel<<<config>>>(arguments...)`; arguments convert to the kernel's parameter types.
  template <class... Parameters, class... Arguments>
  void launch(void (*kernel)(Parameters...), const LaunchConfig& config, Arguments&&... arguments) {
    static_assert(sizeof...(Parameters) == sizeof...(Arguments), "one argument for each kernel parameter");
    launch_converted(kernel, config, static_cast<std::remove_cv_t<Parameters>>(arguments)...);
  }

  // Enqueues what a library launches itself. `call` gets the stream, must be asynchronous and capture-safe,
  // and returns the library's status; `what` names it in errors and recordings.
  void library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) {
    submit_library(what, call);
  }

  // Says that what follows, until the next call, depends on nothing that this iteration has enqueued under
  // another `lane`. A launcher may use it to run lanes side by side; most keep everything in order.
  virtual void begin_lane(int /*lane*/) {}

  // Where this iteration keeps an intermediate of `count` elements: `own`, the workload's buffer, unless the
  // launcher brings memory of its own. Asked for once an iteration, before the first launch that uses it.
  template <class T>
  [[nodiscard]] T* intermediate(T* own, std::size_t count) {
    return static_cast<T*>(place_intermediate(own, count * sizeof(T)));
  }

 protected:
  Launcher() = default;
  virtual void submit(const KernelLaunch& launch) = 0;
  virtual void submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) = 0;
  virtual void* place_intermediate(void* own, std::size_t /*bytes*/) { return own; }

 private:
  template <class... Parameters>
  void launch_converted(void (*kernel)(Parameters...), const LaunchConfig& config,
                        std::remove_cv_t<Parameters>... values) {
    void* pointers[] = {static_cast<void*>(&values)..., nullptr};
    submit({reinterpret_cast<const void*>(kernel), config, pointers, sizeof...(Parameters)});
  }
};

// What a kernel waits for: the whole of its predecessor, or only until the device lets it come up (PDL). CUDA
// says nothing of programmatic edges before cooperative launches; an H200 takes them, and a grid barrier
// cannot hang on one: the predecessor's blocks, which the grid waits to replace, depend on nothing that it
// does.
enum class Edge { full, programmatic };

// Launches straight into a stream, which may be capturing.
class StreamLauncher : public Launcher {
 public:
  explicit StreamLauncher(cudaStream_t stream, Edge edge = Edge::full) noexcept
      : stream_(stream), edge_(edge) {}
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_; }

 protected:
  void submit(const KernelLaunch& launch) override;
  void submit_library(const char* what, const std::function<cudaError_t(cudaStream_t)>& call) override;
  // What is submitted from now on goes into another stream.
  void continue_in(cudaStream_t stream) noexcept { stream_ = stream; }

 private:
  cudaStream_t stream_;
  Edge edge_;
};

// The name of a kernel as the runtime knows it; "kernel" where it cannot tell (no driver).
[[nodiscard]] const char* kernel_name(const void* function) noexcept;

}  // namespace gvf
