// Implements study/measure/find_variants.hpp.
#include "study/measure/find_variants.hpp"

namespace gvf::study {

std::vector<Variant*> find_variants(Workbench& bench, const Pipeline& pipeline, const Problem& problem,
                                    const Selection& selection, PassFile& pass) {
  std::vector<Variant*> variants;
  for (const Structure structure : selected_structures(selection)) {
    for (const SubmissionKind* kind : submissions_for(selection, problem)) {
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

}  // namespace gvf::study
