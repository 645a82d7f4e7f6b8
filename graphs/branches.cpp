// Implements graphs/branches.hpp.
#include "graphs/branches.hpp"

#include <map>

#include "core/error.hpp"
#include "graphs/capture.hpp"

namespace gvf::graphs {
namespace {

// A stream a lane, forked from where the iteration began.
class BranchLauncher final : public StreamLauncher {
 public:
  explicit BranchLauncher(cudaStream_t origin) : StreamLauncher(origin), origin_(origin) {
    GVF_CUDA(cudaEventRecord(fork_.get(), origin), "forking branches");
  }

  void begin_lane(int lane) override {
    const auto [position, is_new] = lanes_.try_emplace(lane);
    const cudaStream_t stream = position->second.stream.get();
    if (is_new) GVF_CUDA(cudaStreamWaitEvent(stream, fork_.get(), 0), "forking a branch");
    continue_in(stream);
  }

  // A capture ends in the stream that it began in: a branch that is not joined to it invalidates it.
  void join() {
    for (const auto& [number, lane] : lanes_) {
      GVF_CUDA(cudaEventRecord(lane.end.get(), lane.stream.get()), "joining a branch");
      GVF_CUDA(cudaStreamWaitEvent(origin_, lane.end.get(), 0), "joining a branch");
    }
    continue_in(origin_);
  }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }

 private:
  struct Lane {
    Stream stream = make_stream();
    Event end = make_event(cudaEventDisableTiming);
  };
  cudaStream_t origin_;
  Event fork_ = make_event(cudaEventDisableTiming);
  std::map<int, Lane> lanes_;
};

}  // namespace

BuiltGraph build_branches(const Enqueue& enqueue) {
  return {capture_stream([&](cudaStream_t stream) {
    BranchLauncher launcher(stream);
    enqueue(launcher);
    launcher.join();
    if (launcher.lanes() < 2) throw NotApplicable("no launch is independent of the one before it");
  })};
}

}  // namespace gvf::graphs
