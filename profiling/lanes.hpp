// Lanes for intervals that overlap: a track of a trace viewer holds slices that nest or follow each other,
// and drops or misplaces others (with programmatic dependent launch, kernels of one stream do overlap).
#pragma once

#include <cstddef>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::profiling {

enum class Overlap {
  nests,  ///< one inside the other may share a lane: calls inside calls
  never,  ///< any overlap goes to another lane: kernels contain no kernels
};

/// The lane of each interval, from 0, the lowest that is free. Intervals must have end >= begin.
std::vector<std::size_t> assign_lanes(const std::vector<Interval>& intervals, Overlap overlap);

}  // namespace gvf::profiling
