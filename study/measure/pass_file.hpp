// What one measuring pass hands to the process that asked for it: a JSON file of walls and timelines.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "profiling/calibration.hpp"
#include "profiling/timeline.hpp"

namespace gvf::study {

// One variant in one pass.
struct PassRow {
  std::vector<double> wall_us;                 // host clock, one an iteration
  std::vector<double> host_us;                 // of that, inside the submitting calls
  std::vector<double> span_us;                 // between two events behind a gate; of the untraced pass
  std::string no_span;                         // why there is none of those
  std::map<std::string, double> counts;        // an iteration, by quantity; of the counters pass
  std::vector<profiling::Timeline> timelines;  // empty where the pass keeps none
  std::string reason;                          // why there is nothing; else empty
};

struct PassFile {
  std::string mode;
  std::map<std::string, std::map<std::string, PassRow>> references;  // by problem and reference name
  std::map<std::string, profiling::StreamEdges> edges;               // by problem; of the kernel pass
  std::map<std::string, PassRow> rows;                               // by variant name

  // The row, or an empty one whose reason says that the pass does not hold it.
  [[nodiscard]] PassRow row(const std::string& name) const;
};

// One round of passes over one pipeline, by mode.
struct Passes {
  PassFile untraced;
  PassFile api;
  PassFile kernel;
  PassFile graph;
  PassFile counters;        // of one round only: counts do not differ between processes
  std::string no_counters;  // why there are none

  // Those that hold anything.
  [[nodiscard]] std::vector<const PassFile*> taken() const;
};

// Adds to `whole` what another process has taken of the same pass: rows of other submissions. References and
// edges beside a problem that both have stay those of `whole`.
void add(PassFile& whole, PassFile part);

[[nodiscard]] nlohmann::json to_json(const PassFile& pass);
// Throws BadInput naming `file`.
[[nodiscard]] PassFile pass_from_json(const nlohmann::json& json, const std::string& file);

}  // namespace gvf::study
