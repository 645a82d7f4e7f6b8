// Implements study/measure/machine.hpp.
#include "study/measure/machine.hpp"

#include <fmt/format.h>

#include <array>
#include <map>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "core/handles.hpp"
#include "profiling/attribution_json.hpp"
#include "profiling/calibration.hpp"
#include "profiling/ceilings.hpp"
#include "profiling/split.hpp"
#include "study/exit_code.hpp"
#include "study/measure/child.hpp"
#include "study/measure/constants.hpp"
#include "study/measure/edges.hpp"
#include "study/measure/instruments.hpp"
#include "study/measure/l2_knee.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/overhead.hpp"
#include "study/measure/pass_file.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/references.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/session.hpp"
#include "study/measure/visit.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;

// 1 gives the span of one node; 32 and 128 more give the slope, within and beyond one batch of the front end.
constexpr std::array<int, 3> chain_lengths = {1, 33, 129};

ordered_json ceilings_pass() {
  const profiling::Ceilings ceilings = profiling::measure_ceilings(require_device());
  ordered_json json{{"read_gbps", ceilings.read_gbps},
                    {"write_gbps", ceilings.write_gbps},
                    {"copy_gbps", ceilings.copy_gbps},
                    {"l2_read_gbps", ceilings.l2_read_gbps},
                    {"ceiling_buffer_bytes", ceilings.bytes}};
  for (const auto& trial : ceilings.trials) {
    json["ceiling_trials"].push_back(
        {{"kind", trial.kind}, {"kernel", trial.kernel}, {"gbps", trial.gbps}, {"spread", trial.spread}});
  }
  return json;
}

// What two events record with nothing between them, µs, behind a gate like every span, of which it is a part.
double event_pair_us(cudaStream_t stream) {
  Stopwatch stopwatch;
  std::vector<double> samples;
  for (int i = 0; i < 51; ++i) {
    stopwatch.gate.close(stream);
    GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), stream), "timing an empty pair of events");
    GVF_CUDA(cudaEventRecord(stopwatch.end.get(), stream), "timing an empty pair of events");
    stopwatch.gate.open();
    GVF_CUDA(cudaStreamSynchronize(stream), "timing an empty pair of events");
    if (stopwatch.gate.timed_out()) throw MachineLacks("the gate timed out: is a tool serialising launches?");
    float ms = 0;
    GVF_CUDA(cudaEventElapsedTime(&ms, stopwatch.begin.get(), stopwatch.end.get()),
             "timing an empty pair of events");
    samples.push_back(1e3 * ms);
  }
  return median(samples);
}

// Device time per kernel or node, host ahead: a check on gap and duration by another route. A slope, so that
// what the events themselves cost drops out. µs
double period_us(std::string_view submission, cudaStream_t stream) {
  Stopwatch stopwatch;
  std::vector<double> counts, spans;
  for (const int kernels : chain_lengths) {
    Reference chain(submission, kernels, stream);
    std::vector<double> samples;
    for (int i = 0; i < 51; ++i) {
      const Span span = measure_span(stopwatch, chain);
      if (!span.reason.empty()) throw MachineLacks(span.reason);
      samples.push_back(span.span_us);
    }
    counts.push_back(kernels);
    spans.push_back(median(std::move(samples)));
  }
  const auto fit = profiling::fit_line(counts, spans);
  if (!fit) throw MachineLacks(fit.reason().text);
  return fit->slope;
}

// "overhead:kernel": the cost of that instrument.
constexpr std::string_view overhead_prefix = "overhead:";

// The references of a machine have no problem beside them.
const std::string no_problem = "machine";

// Chains of empty nodes, from graph-level records.
profiling::Result<profiling::GraphNodes> graph_nodes(const PassFile& graph) {
  std::map<int, std::vector<profiling::Timeline>> chains;
  const auto& rows = graph.references.at(no_problem);
  for (const int kernels : chain_lengths) {
    chains[kernels] = rows.at(reference_name("graph", kernels)).timelines;
  }
  return profiling::reduce_graph_nodes(chains);
}

ordered_json to_json(const profiling::EmptyKernelFigures& figures) {
  ordered_json json{{"wall_us", figures.wall_us},
                    {"span_us", figures.span_us},
                    {"traced_launch_to_start_ns", figures.traced.launch_to_start_ns},
                    {"traced_duration_ns", figures.traced.duration_ns},
                    {"traced_completion_ns", figures.traced.completion_ns}};
  if (figures.call_us) json["call_us"] = *figures.call_us;
  if (figures.traced_call_us) json["traced_call_us"] = *figures.traced_call_us;
  if (figures.edges) json["traced_gap_ns"] = figures.edges->gap_ns;
  return json;
}

// What empty kernels cost under each submission, and the constants that follow. What cannot be told leaves
// its part out, with its reason.
void add_constants(const Passes& passes, ordered_json& machine) {
  for (const SubmissionKind& kind : submissions()) {
    const auto figures = empty_kernel_figures(passes, no_problem, kind);
    if (!figures) {
      machine["missing"][fmt::format("constants of {}", kind.name)] = figures.reason().text;
      continue;
    }
    machine["empty_kernel"][std::string(kind.name)] = to_json(*figures);
    machine["constants"][std::string(kind.name)] = profiling::to_json(profiling::calibrate(*figures));
  }
  const auto nodes = graph_nodes(passes.graph);
  if (!nodes) {
    machine["missing"]["graph_chain"] = nodes.reason().text;
    return;
  }
  machine["graph_chain"]["node_period_ns"] = nodes->node_period_ns;
  machine["graph_chain"]["first_node_ns"] = nodes->first_node_ns;
  machine["graph_chain"]["fit_relative_error"] = nodes->fit_relative_error;
}

}  // namespace

ordered_json measure_machine_pass(const std::string& pass) {
  if (pass == "ceilings") return ceilings_pass();
  if (pass == "l2_knee") return measure_l2_knee();
  if (pass.starts_with(overhead_prefix)) return measure_overhead(pass.substr(overhead_prefix.size()));
  auto session = start_session(pass);  // before CUDA starts
  const Device device = require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  PassFile file;
  file.mode = pass;
  if (pass == "kernel") file.edges[no_problem] = measure_edges(*session, device, stream.get());
  auto references = make_references(device, stream.get());
  for (const int kernels : chain_lengths) {
    if (kernels > 1) references.push_back(std::make_unique<Reference>("graph", kernels, stream.get()));
  }
  Visitor visitor(pass, session ? &*session : nullptr);
  visitor.settle(*references.front());
  // As many rounds as a study's passes make over a few problems.
  constexpr int problems = 5;
  for (int round = 0; round < problems * visits_of(pass); ++round) {
    for (const auto& reference : references) {
      visitor.visit(*reference, file.references[no_problem][reference->name()]);
    }
  }
  ordered_json json{{"pass", study::to_json(file)}};
  if (pass == "untraced") {
    json["event_pair_us"] = event_pair_us(stream.get());
    json["stream_period_us"] = period_us("stream", stream.get());
    json["graph_period_us"] = period_us("graph", stream.get());
  }
  return json;
}

void add_passes(const Passes& passes, const nlohmann::json& clocks, ordered_json& machine) {
  if (!clocks.is_null()) machine["clocks"] = clocks;
  if (passes.untraced.mode.empty() || passes.api.mode.empty() || passes.kernel.mode.empty() ||
      passes.graph.mode.empty())
    return;
  add_constants(passes, machine);
}

ordered_json measure_machine() {
  ordered_json machine;
  for (const auto& [key, value] : provenance(describe_device())) machine["provenance"][key] = value;
  const auto child = [&machine](const std::string& pass) -> nlohmann::json {
    try {
      return run_child_for_json({"calibrate", "--pass", pass});
    } catch (const MachineLacks& lacks) {
      machine["missing"][pass] = lacks.what();
      return {};
    }
  };
  const nlohmann::json ceilings = child("ceilings");
  for (const auto& [key, value] : ceilings.items()) machine[key] = value;

  if (const nlohmann::json knee = child("l2_knee"); !knee.is_null()) machine["l2_knee"] = knee;

  Passes passes;
  nlohmann::json clocks;
  for (const auto& [mode, file] : {std::pair{"untraced", &Passes::untraced},
                                   {"api", &Passes::api},
                                   {"kernel", &Passes::kernel},
                                   {"graph", &Passes::graph}}) {
    nlohmann::json measured = child(mode);
    if (measured.is_null()) continue;
    passes.*file = pass_from_json(measured.at("pass"), std::string(mode) + " pass");
    measured.erase("pass");
    if (passes.untraced.mode == mode) clocks = std::move(measured);
  }
  for (const Instrument& instrument : instruments()) {
    const nlohmann::json rows = child(fmt::format("{}{}", overhead_prefix, instrument.name));
    if (rows.is_null()) continue;
    machine["instruments"].push_back(
        {{"name", instrument.name}, {"records", instrument.what}, {"cost", rows}});
  }
  add_passes(passes, clocks, machine);
  return machine;
}

}  // namespace gvf::study
