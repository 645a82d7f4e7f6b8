// The measuring half of study/measure/attribute.hpp: isolated iterations under one instrument.
#include <memory>
#include <vector>

#include "study/measure/attribute.hpp"
#include "study/measure/count_pass.hpp"
#include "study/measure/edges.hpp"
#include "study/measure/find_variants.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/references.hpp"
#include "study/measure/session.hpp"
#include "study/measure/visit.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

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
  if (mode == "counters") return count_pass(pipeline, problems, selection);
  auto session = start_session(mode);  // before CUDA starts
  Workbench bench(require_device(), selection);
  PassFile pass;
  pass.mode = mode;
  auto references = make_references(bench.device(), bench.stream());
  Visitor visitor(mode, session ? &*session : nullptr);
  visitor.settle(*references.front());
  if (mode == "trace") references.clear();  // to look at, never for a figure
  for (const Problem& problem : problems) {
    std::vector<Variant*> variants = find_variants(bench, pipeline, problem, selection, pass);
    std::vector<std::unique_ptr<Variant>> sweep;
    if (mode == "kernel" && !variants.empty()) sweep = make_sweep(bench, pipeline, problem);
    for (const auto& variant : sweep) variants.push_back(variant.get());

    const PinnedThread pinned;
    const std::string name = problem_name(pipeline, problem);
    if (mode == "kernel") pass.edges[name] = measure_edges(*session, bench.device(), bench.stream());
    for (int round = 0; round < visits_of(mode); ++round) {
      for (const auto& reference : references) {
        visitor.visit(*reference, pass.references[name][reference->name()]);
      }
      for (Variant* variant : variants) visitor.visit(*variant, pass.rows[variant->name()]);
    }
    sweep.clear();
    bench.release(pipeline, problem);
  }
  return pass;
}

}  // namespace gvf::study
