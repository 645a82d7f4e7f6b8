// Implements graphs/branches.hpp.
#include "graphs/branches.hpp"

#include <map>
#include <optional>

#include "core/error.hpp"
#include "graphs/capture.hpp"

namespace gvf::graphs {

ForkedStream::ForkedStream(cudaStream_t origin) : origin_(origin) {
  GVF_CUDA(cudaEventRecord(event_.get(), origin_), "forking a branch");
  GVF_CUDA(cudaStreamWaitEvent(stream_.get(), event_.get(), 0), "forking a branch");
}

void ForkedStream::join() {
  GVF_CUDA(cudaEventRecord(event_.get(), stream_.get()), "joining a branch");
  GVF_CUDA(cudaStreamWaitEvent(origin_, event_.get(), 0), "joining a branch");
}

namespace {

// A stream a lane, forked from where the iteration began: `origin` itself captures nothing.
class BranchLauncher final : public StreamLauncher {
 public:
  explicit BranchLauncher(cudaStream_t origin) : StreamLauncher(origin), origin_(origin) {}

  void begin_lane(int lane) override { continue_in(lanes_.try_emplace(lane, origin_).first->second.get()); }

  void join() {
    for (auto& [number, lane] : lanes_) lane.join();
    continue_in(origin_);
  }
  [[nodiscard]] std::size_t lanes() const noexcept { return lanes_.size(); }

 private:
  cudaStream_t origin_;
  std::map<int, ForkedStream> lanes_;
};

}  // namespace

BuiltGraph build_branches(const Enqueue& enqueue) {
  std::optional<BranchLauncher> launcher;  // outlives the capture, as its lanes have to
  return {capture_stream([&](cudaStream_t stream) {
    launcher.emplace(stream);
    enqueue(*launcher);
    launcher->join();
    if (launcher->lanes() < 2) throw NotApplicable("no launch is independent of the one before it");
  })};
}

}  // namespace gvf::graphs
