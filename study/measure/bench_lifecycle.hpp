// Rows of gvf-bench about graphs of no pipeline: each cost in a graph's life.
#pragma once

#include "study/measure/matrix.hpp"

namespace gvf::study {

// Registers lifecycle/COST/SHAPE/nodes:N for every cost of graphs/lifecycle.hpp. Its time is the cost on the
// wall clock where it has one, else on the host's; the other clocks are counters, in microseconds. Sets
// `something_failed`, which must outlive the benchmarks, where a row is an error.
void register_lifecycle_rows(Depth depth, bool& something_failed);

}  // namespace gvf::study
