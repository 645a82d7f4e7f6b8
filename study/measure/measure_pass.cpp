// The measuring half of study/measure/attribute.hpp: isolated iterations under one instrument.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <memory>
#include <optional>
#include <vector>

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

// A pass visits its variants in turn, several times: what comes and goes on the machine meanwhile meets all
// of them.
constexpr int visits = 6;

int iterations_per_visit(const std::string& mode, double expected_us) {
  if (mode == "trace") return 1;
  return static_cast<int>(std::clamp(20000.0 / visits / expected_us, 1.0, 12.0));
}

int visits_of(const std::string& mode) {
  return mode == "trace" ? 2 : visits;
}

// Two iterations that do not count (the variant before this one left its own data in the caches), then those
// that do.
void visit(const std::string& mode, std::optional<profiling::ActivitySession>& session, Variant& variant,
           PassRow& row) {
  for (int warm_up = 0; warm_up < 2; ++warm_up) measure_latency(variant);
  const int iterations = iterations_per_visit(mode, variant.expected_us());
  for (int i = 0; i < iterations; ++i) {
    if (session) session->begin_iteration();
    const Latency latency = measure_latency(variant);
    if (session) session->end_iteration();
    row.wall_us.push_back(latency.wall_us);
  }
  if (!session) return;
  auto collected = session->collect();
  if (!collected) {
    row.reason = collected.reason().text;
  } else if (keeps_timelines(mode, variant.kind())) {
    for (auto& timeline : collected.value().iterations) row.timelines.push_back(std::move(timeline));
  }
}

// A process that has just started is slow, and its instrument slower still, for some tenths of a second: the
// first problem must not pay for that. Iterations in no session's mark are recorded and dropped.
void settle(Variant& variant) {
  constexpr std::chrono::milliseconds long_enough(400);
  const auto end = std::chrono::steady_clock::now() + long_enough;
  while (std::chrono::steady_clock::now() < end) measure_latency(variant);
}

// Variants to measure at one problem; what cannot be measured has its reason in the pass already.
std::vector<Variant*> find_variants(Workbench& bench, const Pipeline& pipeline, const Problem& problem,
                                    const Selection& selection, PassFile& pass) {
  std::vector<Variant*> variants;
  for (const Structure structure : selected_structures(selection)) {
    for (const SubmissionKind* kind : selected_submissions(selection)) {
      // Checked once, in the pass that is timed; the traced ones repeat the same launches.
      const auto found = pass.mode == "untraced" ? bench.passed(pipeline, problem, structure, *kind)
                                                 : bench.built(pipeline, problem, structure, *kind);
      if (found.variant != nullptr) {
        variants.push_back(found.variant);
      } else {
        pass.rows[variant_name(pipeline, structure, kind->name, problem)].reason = found.reason;
      }
    }
  }
  return variants;
}

// The sweep over slice counts, on the problem's own buffers: only the launches differ.
std::vector<std::unique_ptr<Variant>> make_sweep(Workbench& bench, const Pipeline& pipeline,
                                                 const Problem& problem) {
  std::vector<std::unique_ptr<Variant>> sweep;
  for (const int slices : slice_sweep(pipeline, problem, bench.device())) {
    Problem sliced = problem;
    sliced.slices = slices;
    sweep.push_back(std::make_unique<Variant>(pipeline, Structure::sliced, find_submission("stream"),
                                              *bench.station(pipeline, problem).workload, sliced,
                                              bench.stream()));
  }
  return sweep;
}

}  // namespace

PassFile measure_pass(const std::string& mode, const Pipeline& pipeline, const std::vector<Problem>& problems,
                      const Selection& selection) {
  auto session = start_session(mode);  // before CUDA starts
  Workbench bench(require_device());
  PassFile pass;
  pass.mode = mode;
  for (const Problem& problem : problems) {
    std::vector<Variant*> variants = find_variants(bench, pipeline, problem, selection, pass);
    std::vector<std::unique_ptr<Variant>> sweep;
    if (mode == "kernel" && !variants.empty()) sweep = make_sweep(bench, pipeline, problem);
    for (const auto& variant : sweep) variants.push_back(variant.get());

    const PinnedThread pinned;
    if (&problem == &problems.front() && !variants.empty()) settle(*variants.front());
    if (mode != "trace") {
      pass.empty_kernels[problem_name(pipeline, problem)] =
          measure_empty_kernels(mode, session ? &*session : nullptr, bench.device(), bench.stream());
    }
    for (int round = 0; round < visits_of(mode); ++round) {
      for (Variant* variant : variants) visit(mode, session, *variant, pass.rows[variant->name()]);
    }
    sweep.clear();
    bench.release(pipeline, problem);
  }
  return pass;
}

}  // namespace gvf::study
