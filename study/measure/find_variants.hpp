// The variants of one problem that a pass measures.
#pragma once

#include <vector>

#include "study/commands/selection.hpp"
#include "study/measure/pass_file.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {

// Selected ones, built; what cannot be measured has its reason in the pass's rows.
[[nodiscard]] std::vector<Variant*> find_variants(Workbench& bench, const Pipeline& pipeline,
                                                  const Problem& problem, const Selection& selection,
                                                  PassFile& pass);

}  // namespace gvf::study
