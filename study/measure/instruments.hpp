// The instruments that a process can be measured under, and what each costs.
#pragma once

#include <optional>
#include <string_view>
#include <vector>

#include "profiling/activity.hpp"

namespace gvf::study {

struct Instrument {
  std::string_view name;
  std::string_view what;                              // what it records
  std::optional<profiling::ActivityOptions> options;  // none: nothing is recorded
  bool counts = false;                                // hardware counters, over ranges
};

// "untraced", "api", "kernel" and "graph" are the passes of an attribution and "trace" the one to look at;
// the others are there to be compared with them.
[[nodiscard]] const std::vector<Instrument>& instruments();

// Throws BadInput that lists what there is.
[[nodiscard]] const Instrument& find_instrument(std::string_view name);

}  // namespace gvf::study
