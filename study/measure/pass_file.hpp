// What one measuring pass hands to the process that asked for it: a JSON file of walls and timelines.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/timeline.hpp"

namespace gvf::study {

// One variant in one pass.
struct PassRow {
  std::vector<double> wall_us;                 // host clock, one a iteration
  std::vector<profiling::Timeline> timelines;  // empty where the pass keeps none
  std::string reason;                          // why there is nothing; else empty
};

struct PassFile {
  std::string mode;
  nlohmann::json empty_kernels;         // by problem name, see measure_empty_kernels; null for "trace"
  std::map<std::string, PassRow> rows;  // by variant name

  // The row, or an empty one whose reason says that the pass does not hold it.
  [[nodiscard]] PassRow row(const std::string& name) const;
};

[[nodiscard]] nlohmann::json to_json(const PassFile& pass);
// Throws BadInput naming `file`.
[[nodiscard]] PassFile pass_from_json(const nlohmann::json& json, const std::string& file);

}  // namespace gvf::study
