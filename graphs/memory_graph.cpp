// Implements graphs/memory_graph.hpp.
#include "graphs/memory_graph.hpp"

#include <vector>

#include "core/error.hpp"
#include "graphs/capture.hpp"

namespace gvf::graphs {
namespace {

// An allocation in stream order becomes an allocation node while the stream is being captured.
class AllocatingLauncher final : public StreamLauncher {
 public:
  using StreamLauncher::StreamLauncher;

  // Frees what was handed out, in stream order as well.
  void free_all() {
    for (void* memory : allocated_) {
      GVF_CUDA(cudaFreeAsync(memory, stream()), "adding a free node for an intermediate");
    }
  }
  [[nodiscard]] bool has_allocated() const noexcept { return !allocated_.empty(); }

 protected:
  void* place_intermediate(void* /*own*/, std::size_t bytes) override {
    void* memory = nullptr;
    GVF_CUDA(cudaMallocAsync(&memory, bytes, stream()), "adding an allocation node for an intermediate");
    allocated_.push_back(memory);
    return memory;
  }

 private:
  std::vector<void*> allocated_;
};

}  // namespace

BuiltGraph build_with_memory(const Enqueue& enqueue) {
  return {capture_stream([&](cudaStream_t stream) {
    AllocatingLauncher launcher(stream);
    enqueue(launcher);
    if (!launcher.has_allocated()) throw NotApplicable("there is no intermediate to allocate");
    launcher.free_all();
  })};
}

}  // namespace gvf::graphs
