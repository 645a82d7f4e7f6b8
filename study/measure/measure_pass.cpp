// The measuring half of study/measure/attribute.hpp: isolated iterations under one instrument.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <optional>

#include "study/exit_code.hpp"
#include "study/measure/attribute.hpp"
#include "study/measure/constants.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/session.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

// Which timelines a pass is taken for; of the others only the wall is kept.
bool keeps_timelines(const std::string& mode, const SubmissionKind& kind) {
  if (mode == "trace") return true;
  return kind.as_graph == (mode == "graph");
}

int iterations_of(const std::string& mode, double expected_us) {
  if (mode == "trace") return 2;
  return static_cast<int>(std::clamp(20000.0 / expected_us, 5.0, 60.0));
}

// At least five iterations and five milliseconds: caches, clocks and the core that the gate's threads have
// left.
void warm_up(Variant& variant) {
  double spent_us = 0;
  for (int i = 0; i < 5 || spent_us < 5000; ++i) spent_us += measure_latency(variant).wall_us;
}

PassRow measure_row(const std::string& mode, std::optional<profiling::ActivitySession>& session,
                    Variant& variant) {
  const PinnedThread pinned;
  PassRow row;
  warm_up(variant);
  const int iterations = iterations_of(mode, variant.expected_us());
  for (int i = 0; i < iterations; ++i) {
    if (session) session->begin_iteration();
    const Latency latency = measure_latency(variant);
    if (session) session->end_iteration();
    row.wall_us.push_back(latency.wall_us);
  }
  if (!session) return row;
  auto collected = session->collect();
  if (!collected) {
    row.reason = collected.reason().text;
  } else if (keeps_timelines(mode, variant.kind())) {
    row.timelines = std::move(collected.value().iterations);
  }
  return row;
}

template <class Entries, class Entry>
bool is_chosen(const Entries& entries, const Entry& entry) {
  return std::find(entries.begin(), entries.end(), entry) != entries.end();
}

}  // namespace

PassFile measure_pass(const std::string& mode, const Pipeline& pipeline, const std::vector<Problem>& problems,
                      const Selection& selection) {
  auto session = start_session(mode);  // before CUDA starts
  Workbench bench(require_device());
  const auto structures = selected_structures(selection);
  const auto kinds = selected_submissions(selection);
  PassFile pass;
  pass.mode = mode;
  if (mode != "trace") {
    const PinnedThread pinned;
    pass.empty_kernels = measure_empty_kernels(mode, session ? &*session : nullptr, bench.stream());
  }
  for (const Problem& problem : problems) {
    for (const Structure structure : structures) {
      for (const SubmissionKind* kind : kinds) {
        // Checked once, in the pass that is timed; the traced ones repeat the same launches.
        PassRow& row = pass.rows[variant_name(pipeline, structure, kind->name, problem)];
        const auto found = mode == "untraced" ? bench.passed(pipeline, problem, structure, *kind)
                                              : bench.built(pipeline, problem, structure, *kind);
        if (found.variant == nullptr) {
          row.reason = found.reason;
        } else {
          row = measure_row(mode, session, *found.variant);
        }
      }
    }
    if (mode == "kernel") {
      // The sweep over slice counts shares the buffers; only the launches differ.
      for (const int slices : slice_sweep(pipeline, problem, bench.device())) {
        Problem sliced = problem;
        sliced.slices = slices;
        const SubmissionKind& stream = find_submission("stream");
        Station& station = bench.station(pipeline, problem);
        Variant variant(pipeline, Structure::sliced, stream, *station.workload, sliced, bench.stream());
        pass.rows[variant.name()] = measure_row(mode, session, variant);
      }
    }
    bench.release(pipeline, problem);
  }
  return pass;
}

}  // namespace gvf::study
