// The life-cycle study: what graphs cost at each phase of their life, by number of nodes, shape and size of
// parameters, and after how many replays they have paid for themselves.
#pragma once

#include <cstddef>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "graphs/lifecycle.hpp"

namespace gvf::study {

// One shape at one number of nodes and one size of parameters.
struct MeasuredGraph {
  graphs::Shape shape = graphs::Shape::straight_line;
  int nodes = 1;
  std::size_t parameter_bytes = graphs::default_parameter_bytes;
  int repetitions = 0;
  graphs::Costs costs;
  std::optional<graphs::GraphMemory> memory;
  std::map<std::string, std::string> missing;  // what could not be measured -> why
};

struct LifeCycle {
  std::vector<MeasuredGraph> by_nodes;       // every shape at default_parameter_bytes
  std::vector<MeasuredGraph> by_parameters;  // one shape and number of nodes
};

// In this process, untraced, with progress on stderr. `quick`: fewer sizes and repetitions. Throws
// MachineLacks without a GPU.
[[nodiscard]] LifeCycle measure_lifecycle(bool quick);

// lifecycle.json, all of it a function of the samples: {
//  "nodes_are": what the kernels do,
//  "graphs", "parameters": [{"shape", "nodes", "edges", "parameter_bytes", "repetitions",
//    "costs": {NAME: {"host_us" | "wall_us" | "device_us": {"p10", "p50", "p90"}}}, "memory", "missing"}],
//  "fits": [{"shape", "cost", "clock", "a_us", "b_us_per_node", "relative_error"}],
//  "memory_fits": [{"shape", "a_bytes", "b_bytes_per_node", "relative_error"}],
//  "parameter_fits": [{"shape", "nodes", "cost", "clock", "a_us", "b_us_per_kib", "relative_error"}],
//  "break_even": [{"scenario", "update" | "replays_per_shape", "clock", "shape", "nodes", "replays", "low",
//    "high", "one_off_us", "stream_us", "replay_us"}] }
// replays, low and high are numbers or "never". docs/method.md defines the words.
[[nodiscard]] nlohmann::ordered_json to_json(const LifeCycle& lifecycle);

}  // namespace gvf::study
