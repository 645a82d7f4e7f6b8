// Implements study/measure/overhead.hpp.
#include "study/measure/overhead.hpp"

#include <chrono>
#include <memory>
#include <optional>
#include <string_view>
#include <vector>

#include "study/exit_code.hpp"
#include "study/measure/count_pass.hpp"
#include "study/measure/instruments.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/references.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/session.hpp"
#include "study/measure/visit.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Workload {
  std::string_view what;
  std::string_view submission;
  int kernels;
  std::chrono::microseconds spin;
};

// A launch and a graph, each alone and many; and launches that hide behind the device.
constexpr Workload workloads[] = {
    {"one launch", "stream", 1, {}},
    {"32 launches", "stream", 32, {}},
    {"32 launches of 33 us kernels", "stream", 32, std::chrono::microseconds(33)},
    {"a graph of one node", "graph", 1, {}},
    {"a graph of 20 nodes", "graph", 20, {}},
    {"a graph of 32 nodes", "graph", 32, {}},
};

constexpr int rounds = 40;
constexpr int steady_iterations = 200;
constexpr int steady_repetitions = 9;

std::optional<double> device_us(const PassRow& row) {
  std::vector<double> durations;
  for (const auto& timeline : row.timelines) {
    for (const auto& work : timeline.works) durations.push_back(static_cast<double>(work.at.length()) / 1e3);
  }
  if (durations.empty()) return std::nullopt;
  return median(std::move(durations));
}

// The device's pace with many graphs in flight; as many launches would fill the launch queue. What an
// instrument records meanwhile is dropped.
std::optional<double> period_us(Reference& reference, std::optional<profiling::ActivitySession>& session) {
  if (!reference.as_graph()) return std::nullopt;
  Stopwatch stopwatch;
  std::vector<double> samples;
  for (int i = 0; i < steady_repetitions; ++i) {
    samples.push_back(measure_throughput(stopwatch, reference, steady_iterations).period_us);
    if (session) {
      session->begin_iteration();
      session->end_iteration();
      static_cast<void>(session->collect());
    }
  }
  return median(std::move(samples));
}

using References = std::vector<std::unique_ptr<Reference>>;

// In turn, as a pass visits its rows.
std::vector<PassRow> visit_all(const std::string& instrument,
                               std::optional<profiling::ActivitySession>& session, References& references) {
  Visitor visitor(instrument, session ? &*session : nullptr, Visitor::Keep::all_timelines);
  visitor.settle(*references.front());
  std::vector<PassRow> rows(references.size());
  for (int round = 0; round < rounds; ++round) {
    for (std::size_t i = 0; i < references.size(); ++i) visitor.visit(*references[i], rows[i]);
  }
  return rows;
}

// Isolated iterations inside a counted range.
std::vector<PassRow> count_all(const Device& device, References& references) {
  constexpr int iterations = 200;
  auto session = open_counters(device);
  std::vector<PassRow> rows;
  for (const auto& reference : references) {
    PassRow row;
    const auto timed = [&] {
      const Latency latency = measure_latency(*reference);
      row.wall_us.push_back(latency.wall_us);
      row.host_us.push_back(latency.host_us);
    };
    const auto counts = session.count(reference->name(), iterations, {timed, [] {}});
    if (!counts) row.reason = counts.reason().text;
    rows.push_back(std::move(row));
  }
  return rows;
}

}  // namespace

nlohmann::ordered_json measure_overhead(const std::string& name) {
  const Instrument& instrument = find_instrument(name);
  auto session = start_session(name);  // before CUDA starts
  const Device device = require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  References references;
  for (const Workload& w : workloads) {
    references.push_back(std::make_unique<Reference>(w.submission, w.kernels, stream.get(), w.spin));
  }
  const std::vector<PassRow> rows =
      instrument.counts ? count_all(device, references) : visit_all(name, session, references);

  auto array = nlohmann::ordered_json::array();
  for (std::size_t i = 0; i < references.size(); ++i) {
    const PassRow& row = rows[i];
    if (!row.reason.empty()) throw MachineLacks(row.reason);
    nlohmann::ordered_json object{
        {"workload", references[i]->name()},
        {"what", workloads[i].what},
        {"host_us_per_call", median(row.host_us) / references[i]->host_submissions()},
        {"wall_us", median(row.wall_us)},
        {"wall_p10_us", percentile(row.wall_us, 10)},
        {"wall_p90_us", percentile(row.wall_us, 90)}};
    if (!instrument.counts) {
      if (const auto period = period_us(*references[i], session)) object["period_us"] = *period;
    }
    if (const auto on_device = device_us(row)) object["device_us_per_record"] = *on_device;
    array.push_back(std::move(object));
  }
  return array;
}

}  // namespace gvf::study
