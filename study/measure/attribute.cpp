// The pure half of study/measure/attribute.hpp: passes in, rows out.
#include "study/measure/attribute.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "study/measure/constants.hpp"
#include "study/measure/count_pass.hpp"
#include "study/measure/references.hpp"
#include "study/measure/samples.hpp"

namespace gvf::study {
namespace {

using profiling::AttributionRow;
using profiling::Reason;
using profiling::Result;

// The stream submission of the same structure: the same kernels, each brought by its own call.
constexpr std::string_view stream_twin = "stream";

std::optional<double> busy_us(const PassFile& kernel_pass, const std::string& name) {
  const PassRow row = kernel_pass.row(name);
  if (row.timelines.empty()) return std::nullopt;
  const auto busy = profiling::median_busy_us(row.timelines);
  if (!busy) return std::nullopt;
  return busy.value();
}

// How much longer the launch call of this row takes than that of an empty graph, both untraced.
double longer_call_us(const PassRow& untraced, const Passes& passes, const std::string& beside,
                      const SubmissionKind& kind) {
  const auto references = passes.untraced.references.find(beside);
  if (untraced.host_us.empty() || references == passes.untraced.references.end()) return 0;
  const auto empty = references->second.find(reference_name(kind.name, 1));
  if (empty == references->second.end() || empty->second.host_us.empty()) return 0;
  return std::max(0.0, median(untraced.host_us) - median(empty->second.host_us));
}

// The account of one submission.
Result<profiling::Attribution> attribute_one(const std::string& name, const std::string& twin,
                                             const SubmissionKind& kind, const std::string& beside,
                                             int iterations, const Passes& passes) {
  const auto constants = constants_of(passes, beside, kind);
  const PassRow untraced = passes.untraced.row(name);
  if (untraced.wall_us.empty()) return Reason{untraced.reason};
  if (kind.as_graph) {
    if (untraced.span_us.empty()) return Reason{untraced.no_span};
    if (!constants) return constants.reason();
    auto twin_busy_us = busy_us(passes.kernel, twin);
    if (twin_busy_us) *twin_busy_us *= iterations;
    return attribute_graph({untraced.wall_us, untraced.span_us, passes.graph.row(name).timelines,
                            twin_busy_us, longer_call_us(untraced, passes, beside, kind)},
                           *constants);
  }
  const PassRow api = passes.api.row(name);
  const PassRow kernel = passes.kernel.row(name);
  if (api.timelines.empty()) return Reason{api.reason};
  if (kernel.timelines.empty()) return Reason{kernel.reason};
  if (!constants) return constants.reason();
  return attribute_stream({untraced.wall_us, untraced.span_us, api.timelines, kernel.timelines}, *constants);
}

// From the account of one submission to that of one of its iterations.
void divide(profiling::Attribution& row, int iterations) {
  profiling::Parts& parts = row.parts;
  for (double* value : {&parts.launch_latency_us, &parts.starved_us, &parts.gap_us, &parts.busy_us,
                        &parts.completion_us, &parts.residual_us, &row.wall_us}) {
    *value /= iterations;
  }
  if (row.wall_iqr_us) *row.wall_iqr_us /= iterations;
  if (row.span_us) *row.span_us /= iterations;
  for (auto& [pass, wall] : row.passes) wall /= iterations;
  row.evidence["wall"] = fmt::format("a launch of {} iterations, divided by their number", iterations);
}

// The wall that each pass saw, so that a reader sees what each instrument disturbs.
void add_walls(profiling::Attribution& attribution, const std::string& name, const Passes& passes) {
  for (const PassFile* pass : {&passes.untraced, &passes.api, &passes.kernel, &passes.graph}) {
    const PassRow row = pass->row(name);
    if (!row.wall_us.empty()) attribution.passes[pass->mode] = median(row.wall_us);
  }
}

// A stream row's calls are taken from the api pass: by how much it lengthens them is a disturbance of its
// own.
void mark_longer_calls(profiling::Attribution& attribution, const std::string& name, const Passes& passes) {
  const PassRow untraced = passes.untraced.row(name);
  const PassRow api = passes.api.row(name);
  if (untraced.host_us.empty() || api.host_us.empty()) return;
  constexpr double worth_a_mark = 0.10;
  const double longer = median(api.host_us) / median(untraced.host_us) - 1;
  if (std::abs(longer) > worth_a_mark) {
    attribution.marks.push_back(fmt::format("api pass disturbs calls by {:+.0f}%", 100 * longer));
  }
}

// The crossed split at one size; its arms are the kernels of the stream submission, which all submissions
// share.
Result<profiling::Split> split_of(const Pipeline& pipeline, const Problem& problem, const Passes& passes,
                                  const Device& device) {
  const auto busy = [&](Structure structure, int slices = 0) {
    Problem sliced = problem;
    sliced.slices = slices;
    return busy_us(passes.kernel, variant_name(pipeline, structure, stream_twin, sliced));
  };
  profiling::CrossedBusy arms;
  arms.fused_us = busy(Structure::fused);
  arms.separate_us = busy(Structure::separate);
  arms.separate_kernels =
      pipeline.byte_model(Structure::separate, resolve(pipeline, Structure::separate, problem, device))
          .launches();
  for (const int slices : slice_sweep(pipeline, problem, device)) {
    if (const auto point = busy(Structure::sliced, slices)) {
      arms.sweep.push_back({slices, *point, pipeline.waves_per_slice(problem, slices, device)});
    }
  }
  const auto span = [&](Structure structure) -> std::optional<double> {
    const PassRow row = passes.untraced.row(variant_name(pipeline, structure, stream_twin, problem));
    if (row.span_us.empty()) return std::nullopt;
    return median(row.span_us);
  };
  if (resolve(pipeline, Structure::sliced, problem, device).slices == arms.separate_kernels) {
    arms.separate_span_us = span(Structure::separate);
    arms.sliced_span_us = span(Structure::sliced);
  }
  arms.persistent_us = busy(Structure::persistent);
  return profiling::crossed_split(arms);
}

// Counted bytes beside the model's. Blocked's intermediates are meant to stay in L2: how many of them DRAM
// sees is not for a model to know.
profiling::CounterBytes counters_of_row(const Pipeline& pipeline, Structure structure, const Problem& problem,
                                        const std::string& name, const Passes& passes, const Device& device) {
  profiling::CounterBytes counters;
  counters.missing = passes.no_counters;
  if (passes.counters.mode.empty()) return counters;
  const ByteModel model = pipeline.byte_model(structure, resolve(pipeline, structure, problem, device));
  profiling::DramModel to_dram{model.bytes(), model.bytes()};
  if (structure == Structure::blocked) to_dram.least -= model.intermediate_bytes();
  const std::int64_t working_set = std::min(model.bytes(), pipeline.device_bytes(problem));
  return counters_of(passes.counters.row(name), to_dram, working_set, device.l2_bytes);
}

}  // namespace

std::vector<AttributionRow> attribute(const Pipeline& pipeline, const std::vector<Problem>& problems,
                                      const Passes& passes, const Device& device) {
  std::vector<AttributionRow> rows;
  for (const Problem& problem : problems) {
    const std::string beside = problem_name(pipeline, problem);
    const auto split = split_of(pipeline, problem, passes, device);
    for (const Structure structure : all_structures) {
      const std::string twin = variant_name(pipeline, structure, stream_twin, problem);
      for (const SubmissionKind& kind : submissions()) {
        const std::string name = variant_name(pipeline, structure, kind.name, problem);
        if (!is_basic(kind) && !passes.untraced.rows.contains(name)) continue;
        const int iterations = kind.repeats(problem);
        auto attribution = attribute_one(name, twin, kind, beside, iterations, passes);
        if (attribution) add_walls(attribution.value(), name, passes);
        if (attribution && !kind.as_graph) mark_longer_calls(attribution.value(), name, passes);
        if (attribution && iterations > 1) divide(attribution.value(), iterations);
        AttributionRow row = profiling::make_row(name, attribution);
        if (structure == Structure::separate) profiling::set_split(row, split);
        row.counters = counters_of_row(pipeline, structure, problem, name, passes, device);
        rows.push_back(std::move(row));
      }
    }
  }
  return rows;
}

}  // namespace gvf::study
