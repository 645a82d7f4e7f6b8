// Implements study/measure/bench_lifecycle.hpp.
#include "study/measure/bench_lifecycle.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <array>
#include <memory>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "graphs/lifecycle.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/samples.hpp"

namespace gvf::study {
namespace {

using graphs::Clocks;
using graphs::Costs;

constexpr int samples_a_repetition = 5;

// The lives of one graph, one for each repetition: the rows of all its costs share them, so that the costs of
// one repetition belong together, and each is measured once.
class Lives {
 public:
  explicit Lives(const graphs::LifeCyclePlan& plan) : plan_(plan) {}

  const Costs& at(std::size_t repetition) {
    while (lives_.size() <= repetition) {
      const PinnedThread pinned;
      lives_.push_back(graphs::measure_life_cycle(plan_));
      try {
        lives_.back().merge(graphs::measure_device_updates(plan_));
      } catch (const std::runtime_error& error) {  // a driver without them has the other costs
        no_updates_ = error.what();
      }
    }
    return lives_[repetition];
  }
  [[nodiscard]] const std::string& no_updates() const { return no_updates_; }

 private:
  graphs::LifeCyclePlan plan_;
  std::vector<Costs> lives_;
  std::string no_updates_;
};

void run_row(benchmark::State& state, const Clocks& cost) {
  constexpr std::array<std::pair<const char*, std::vector<double> Clocks::*>, 3> clocks{
      {{"wall_us", &Clocks::wall_us}, {"host_us", &Clocks::host_us}, {"device_us", &Clocks::device_us}}};
  for (const auto& [name, samples] : clocks) {
    if (const std::vector<double>& us = cost.*samples; !us.empty()) state.counters[name] = median(us);
  }
  const std::vector<double>& time = cost.wall_us.empty() ? cost.host_us : cost.wall_us;
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(median(time) * 1e-6);
}

}  // namespace

void register_lifecycle_rows(Depth depth, bool& something_failed) {
  const std::vector<int> sizes = depth == Depth::quick ? std::vector{16} : std::vector{1, 16, 256};
  for (const graphs::Shape shape : graphs::all_shapes) {
    for (const int nodes : sizes) {
      const auto lives = std::make_shared<Lives>(
          graphs::LifeCyclePlan{shape, nodes, graphs::default_parameter_bytes, samples_a_repetition});
      for (const char* cost : graphs::cost::all) {
        const std::string name =
            fmt::format("lifecycle/{}/{}/nodes:{}", cost, graphs::to_string(shape), nodes);
        const auto run = [lives, cost, &something_failed,
                          repetition = std::size_t{0}](benchmark::State& state) mutable {
          try {
            const Costs& costs = lives->at(repetition++);
            const auto found = costs.find(cost);
            if (found == costs.end()) throw std::runtime_error(lives->no_updates());
            run_row(state, found->second);
          } catch (const std::exception& error) {
            something_failed = true;
            state.SkipWithError(error.what());
          }
        };
        benchmark::RegisterBenchmark(name.c_str(), run)
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond)
            ->Iterations(1);
      }
    }
  }
}

}  // namespace gvf::study
