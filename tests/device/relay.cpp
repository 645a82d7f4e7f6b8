// Relays: every step counts, in each way to separate steps, and barriers that do not hold are noticed.
#include "pipelines/relay.hpp"

#include "core/handles.hpp"
#include "graphs/branches.hpp"
#include "graphs/inspect.hpp"
#include "graphs/loops.hpp"
#include "study/measure/step_ways.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;

namespace {

// Words and arrivals for a plan of any way.
class Words {
 public:
  explicit Words(RelayGrid grid, int lanes = 1)
      : grid_(grid), words_(grid.words() * static_cast<std::size_t>(lanes)), arrivals_(1) {
    GVF_CUDA(cudaMemset(words_.data(), 0, words_.bytes()), "zeroing words");
    GVF_CUDA(cudaMemset(arrivals_.data(), 0, arrivals_.bytes()), "zeroing arrivals");
    GVF_CUDA(cudaDeviceSynchronize(), "zeroing words");
  }
  [[nodiscard]] StepPlan plan(int steps) {
    return {steps, grid_, RelayWork::load, false, words_.data(), arrivals_.data()};
  }
  [[nodiscard]] std::vector<unsigned> read() const {
    std::vector<unsigned> counted(words_.size());
    GVF_CUDA(cudaMemcpy(counted.data(), words_.data(), words_.bytes(), cudaMemcpyDeviceToHost), "reading");
    return counted;
  }

 private:
  RelayGrid grid_;
  DeviceBuffer<unsigned> words_;
  DeviceBuffer<unsigned long long> arrivals_;
};

constexpr RelayGrid small_grid{32, 64};

}  // namespace

TEST_CASE("every way to separate steps runs each of them once a launch", "[device][relay]") {
  const Stream stream = make_stream();
  for (const StepWay& way : step_ways(this_device())) {
    for (const int steps : {largest_round, 4 * largest_round}) {
      CAPTURE(way.name, steps);
      Words words(small_grid, way.lanes);
      const auto submission = way.make(words.plan(steps), stream.get());
      for (int launch = 0; launch < 3; ++launch) submission->submit();
      GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a relay");
      const std::vector<unsigned> counted = words.read();
      const auto expected = static_cast<unsigned>(3 * steps / way.lanes);
      CHECK(counted == std::vector<unsigned>(counted.size(), expected));
    }
  }
}

TEST_CASE("grid barriers hold over 1000 launches of a full chip", "[device][relay]") {
  const Device device = this_device();
  if (!device.cooperative_launch) GVF_SKIP("this GPU has no cooperative launch");
  const Stream stream = make_stream();
  StreamLauncher launcher(stream.get());
  constexpr RelayGrid grid{256, 128};
  for (const Barrier barrier : all_barriers) {
    if (cluster_size(barrier) > 1 && device.compute_major < 9) continue;
    CAPTURE(to_string(barrier));
    Words words(grid);
    const StepPlan plan = words.plan(8);
    for (int launch = 0; launch < 1000; ++launch)
      enqueue_relay_in_one_kernel(launcher, plan.steps, grid, plan.work, plan.words, plan.arrivals, barrier);
    GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a relay");
    const std::vector<unsigned> counted = words.read();
    CHECK(counted == std::vector<unsigned>(counted.size(), 8000));
  }
}

TEST_CASE("a loop's counting kernel stands where it was put", "[device][relay][graph]") {
  const Stream stream = make_stream();
  Words words(small_grid);
  const StepPlan plan = words.plan(1);
  const Enqueue enqueue = [&](Launcher& launcher) {
    enqueue_relay(launcher, 4, plan.grid, plan.work, plan.words);
  };
  StreamLauncher launcher(stream.get());
  enqueue(launcher);  // loads the kernel
  GVF_CUDA(cudaStreamSynchronize(stream.get()), "waiting for a relay");
  using graphs::Counting;
  const auto behind = graphs::build_relaunching(enqueue, 3, {Counting::behind, Edge::full});
  CHECK(graphs::inspect(behind.graph.get()).is_straight_line());
  const auto beside = graphs::build_relaunching(enqueue, 3, {Counting::beside, Edge::full});
  const graphs::Inspection found = graphs::inspect(beside.graph.get());
  CAPTURE(graphs::describe(found));
  CHECK(found.nodes.size() == 5);
  CHECK(found.roots() == 2);
  CHECK(found.edges.size() == 3);
}
