// Implements study/measure/step_costs.hpp.
#include "study/measure/step_costs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <memory>
#include <stdexcept>
#include <utility>

#include "core/error.hpp"
#include "core/handles.hpp"
#include "graphs/lifecycle.hpp"
#include "study/io/output.hpp"
#include "study/measure/break_even.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/step_ways.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;

constexpr int few_steps = 64;
constexpr int many_steps = 320;  // as launches they fit behind a closed gate

const std::vector<StepShape>& shapes() {
  static const std::vector<StepShape> all{
      {"a block an SM", {128, 256}, RelayWork::load},
      {"a full chip", {1024, 256}, RelayWork::load},
      {"empty", {128, 32}, RelayWork::empty},
      {"bare", {1, 32}, RelayWork::empty, true},
  };
  return all;
}

// One relay under one way.
class StepTrain final : public Runnable {
 public:
  StepTrain(const StepWay& way, const StepShape& shape, int steps, cudaStream_t stream)
      : name_(fmt::format("{}, {}, {} steps", way.name, shape.name, steps)),
        lanes_(way.lanes),
        one_launch_(way.one_launch),
        words_(shape.grid.words() * static_cast<std::size_t>(way.lanes)),
        arrivals_(1),
        plan_{steps, shape.grid, shape.work, shape.bare, words_.data(), arrivals_.data()},
        stream_(stream) {
    GVF_CUDA(cudaMemset(words_.data(), 0, words_.bytes()), "zeroing a relay's words");
    GVF_CUDA(cudaMemset(arrivals_.data(), 0, arrivals_.bytes()), "zeroing a count of arrivals");
    GVF_CUDA(cudaDeviceSynchronize(), "zeroing a relay's words");
    submission_ = way.make(plan_, stream);
    check();
  }

  void submit() override { submission_->submit(); }
  void synchronize() override { GVF_CUDA(cudaStreamSynchronize(stream_), "waiting for " + name_); }
  [[nodiscard]] cudaStream_t stream() const noexcept override { return stream_; }
  [[nodiscard]] int host_submissions() const override { return one_launch_ ? 1 : plan_.steps; }
  [[nodiscard]] bool as_graph() const noexcept override { return one_launch_; }
  [[nodiscard]] std::string name() const override { return name_; }
  [[nodiscard]] double expected_us() const override { return 10 + 6.0 * plan_.steps; }

 private:
  // Check, then time: every step has counted, in every word.
  void check() {
    submit();
    synchronize();
    if (plan_.work != RelayWork::load) return;
    std::vector<unsigned> counted(words_.size());
    GVF_CUDA(cudaMemcpy(counted.data(), words_.data(), words_.bytes(), cudaMemcpyDeviceToHost),
             "reading a relay's words");
    const auto expected = static_cast<unsigned>(plan_.steps / lanes_);
    const auto wrong = std::find_if(counted.begin(), counted.end(),
                                    [expected](unsigned count) { return count != expected; });
    if (wrong != counted.end()) {
      throw std::runtime_error(fmt::format("{}: a word counts {} steps of {}", name_, *wrong, expected));
    }
  }

  std::string name_;
  int lanes_;
  bool one_launch_;
  DeviceBuffer<unsigned> words_;
  DeviceBuffer<unsigned long long> arrivals_;
  StepPlan plan_;
  cudaStream_t stream_;
  std::unique_ptr<Submission> submission_;
};

// One number for each clock.
struct Clocked {
  double host_us = 0, wall_us = 0, device_us = 0;
};

// A way at one shape: its two relays, and what the rounds have measured.
struct StepRow {
  const StepWay* way = nullptr;
  const StepShape* shape = nullptr;
  std::array<std::unique_ptr<StepTrain>, 2> trains;  // of few steps, of many
  std::vector<Clocked> step, fixed;                  // a round
  std::string missing;
};

Stream make_priority_stream() {
  int lowest = 0, highest = 0;
  GVF_CUDA(cudaDeviceGetStreamPriorityRange(&lowest, &highest), "asking for stream priorities");
  cudaStream_t raw = nullptr;
  GVF_CUDA(cudaStreamCreateWithPriority(&raw, cudaStreamNonBlocking, highest),
           "creating a stream of the highest priority");
  return Stream(raw);
}

Clocked measure(Stopwatch& stopwatch, StepTrain& train) {
  train.submit();  // what ran before left its own data in the caches
  train.synchronize();
  std::vector<double> host, wall, device;
  for (int i = 0; i < 3; ++i) {
    const Latency latency = measure_latency(train);
    host.push_back(latency.host_us);
    wall.push_back(latency.wall_us);
    const Span span = measure_span(stopwatch, train);
    if (!span.reason.empty()) throw std::runtime_error(span.reason);
    device.push_back(span.span_us);
  }
  return {median(host), median(wall), median(device)};
}

void measure_round(Stopwatch& stopwatch, StepRow& row) {
  const Clocked few = measure(stopwatch, *row.trains[0]);
  const Clocked many = measure(stopwatch, *row.trains[1]);
  const auto step = [](double few_us, double many_us) {
    return (many_us - few_us) / (many_steps - few_steps);
  };
  const Clocked one{step(few.host_us, many.host_us), step(few.wall_us, many.wall_us),
                    step(few.device_us, many.device_us)};
  row.step.push_back(one);
  row.fixed.push_back({few.host_us - few_steps * one.host_us, few.wall_us - few_steps * one.wall_us,
                       few.device_us - few_steps * one.device_us});
}

void measure_round_unless_missing(Stopwatch& stopwatch, StepRow& row) {
  if (!row.missing.empty()) return;
  try {
    measure_round(stopwatch, row);
  } catch (const std::runtime_error& error) {
    row.missing = error.what();
  }
}

ordered_json spread_json(std::vector<double> samples) {
  const Spread spread = spread_of(samples);
  return {{"p10", spread.p10}, {"p50", spread.p50}, {"p90", spread.p90}};
}

ordered_json to_json(const StepRow& row) {
  ordered_json json{{"way", row.way->name},
                    {"group", row.way->group},
                    {"shape", row.shape->name},
                    {"lanes", row.way->lanes},
                    {"one_launch", row.way->one_launch}};
  if (!row.missing.empty()) {
    json["missing"] = row.missing;
    return json;
  }
  json["rounds"] = row.step.size();
  const std::pair<const char*, double Clocked::*> clocks[] = {
      {"host_us", &Clocked::host_us}, {"wall_us", &Clocked::wall_us}, {"device_us", &Clocked::device_us}};
  const auto spread_on = [](const std::vector<Clocked>& rounds, double Clocked::*clock) {
    std::vector<double> samples;
    for (const Clocked& round : rounds) samples.push_back(round.*clock);
    return spread_json(std::move(samples));
  };
  for (const auto& [name, clock] : clocks)
    json[name] = {{"step", spread_on(row.step, clock)}, {"fixed", spread_on(row.fixed, clock)}};
  return json;
}

std::vector<StepRow> make_rows(const std::vector<StepWay>& ways, Stage stage, cudaStream_t stream,
                               cudaStream_t high_priority) {
  std::vector<StepRow> rows;
  for (const StepShape& shape : shapes()) {
    for (const StepWay& way : ways) {
      if (way.stage != stage) continue;
      StepRow& row = rows.emplace_back();
      row.way = &way;
      row.shape = &shape;
      try {
        const cudaStream_t own = way.high_priority ? high_priority : stream;
        row.trains = {std::make_unique<StepTrain>(way, shape, few_steps, own),
                      std::make_unique<StepTrain>(way, shape, many_steps, own)};
      } catch (const NotApplicable& reason) {
        row.missing = reason.what();
      } catch (const CudaError& error) {  // this chip or driver refuses it: the other ways are measured
        row.missing = error.what();
        note(fmt::format("no figure of {}, {}: {}", way.name, shape.name, error.what()));
      }
    }
  }
  return rows;
}

// Calls on whole graphs, which steps have no part in.
ordered_json measure_calls(bool quick) {
  ordered_json calls = ordered_json::array();
  for (const int nodes : {1, 32, 1024}) {
    const graphs::Costs costs = graphs::measure_life_cycle(
        {graphs::Shape::straight_line, nodes, graphs::default_parameter_bytes, quick ? 9 : 31});
    calls.push_back({{"what", fmt::format("launching a graph of {} nodes", nodes)},
                     {"host_us", spread_json(costs.at(graphs::cost::replay).host_us)}});
    std::vector<double> a_node = costs.at(graphs::cost::update_nodes).host_us;
    for (double& us : a_node) us /= nodes;
    calls.push_back(
        {{"what", fmt::format("updating a node of {}", nodes)}, {"host_us", spread_json(std::move(a_node))}});
  }
  return calls;
}

ordered_json shapes_json() {
  ordered_json json = ordered_json::array();
  for (const StepShape& shape : shapes()) {
    json.push_back({{"name", shape.name},
                    {"work", shape.bare ? "bare" : to_string(shape.work)},
                    {"blocks", shape.grid.blocks},
                    {"threads", shape.grid.threads}});
  }
  return json;
}

}  // namespace

ordered_json measure_step_costs(bool quick) {
  const Device device = require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  const Stream high_priority = make_priority_stream();
  Stopwatch stopwatch;
  const std::vector<StepWay> ways = step_ways(device);
  const int rounds = quick ? 5 : 21;
  const auto measure_rows = [&](Stage stage, const char* what) {
    std::vector<StepRow> rows = make_rows(ways, stage, stream.get(), high_priority.get());
    for (int round = 0; round < rounds; ++round) {
      note(fmt::format("{}: round {} of {}", what, round + 1, rounds));
      for (StepRow& row : rows) measure_round_unless_missing(stopwatch, row);
    }
    ordered_json measured = ordered_json::array();
    for (const StepRow& row : rows) measured.push_back(to_json(row));
    return measured;
  };
  const ordered_json controls = measure_rows(Stage::fresh, "a fresh process");
  const ordered_json calls = measure_calls(quick);
  ordered_json rows = measure_rows(Stage::host, "launched from the host");
  for (const ordered_json& more : {measure_rows(Stage::device, "launched from the device"), controls})
    rows.insert(rows.end(), more.begin(), more.end());
  return {{"steps", {few_steps, many_steps}}, {"shapes", shapes_json()}, {"rows", rows}, {"calls", calls}};
}

}  // namespace gvf::study
