// The `graph_fan_out` submission: lanes that do not depend on one another become graphs of their own, which a
// kernel launches from the device.
#pragma once

#include "graphs/graph_submission.hpp"

namespace gvf::graphs {

// The most graphs that one launch may send off so.
inline constexpr int most_fan_out = 120;

// One kernel launches a graph for each lane ("fire and forget"): nothing orders these among each other, and
// what follows in the stream waits for all of them. Throws NotApplicable where the iteration begins fewer
// than two lanes or more than most_fan_out, launches outside of them, or has a node that such a graph may not
// hold; CudaError.
[[nodiscard]] BuiltGraph build_fan_out(const Enqueue& enqueue);

}  // namespace gvf::graphs
