// What a step costs that waits for the step before it, on every clock, in every way: in one run, so that ways
// compare.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pipelines/relay.hpp"

namespace gvf::study {

// The same resident threads for every way. Those without work show what the boundary alone
// costs: their figures are labelled wherever they are shown.
struct StepShape {
  std::string name;
  RelayGrid grid;
  RelayWork work = RelayWork::load;
  bool bare = false;  // not even the wait
};

// In this process, untraced, with progress on stderr: {
//  "steps": [few, many],
//  "shapes": [{"name", "work", "blocks", "threads"}],
//  "rows": [{"way", "group", "shape", "lanes", "one_launch", "rounds",
//    "host_us", "wall_us", "device_us": {"step": {"p10", "p50", "p90"}, "fixed": {...}}} or {.., "missing"}],
//  "calls": [{"what", "host_us": {"p10", "p50", "p90"}}] }
// A step is the difference between a relay of many steps and one of few, divided by the steps between them;
// `fixed` is what is left of the few. Plain graphs come first, as controls in a fresh process, and
// again beside the graphs that the device launches, which come last. host: inside the submitting calls; wall:
// an isolated launch; device: between two events, all of it queued behind a gate. Throws MachineLacks without
// a GPU, std::runtime_error where a way computed something wrong.
[[nodiscard]] nlohmann::ordered_json measure_step_costs(bool quick);

}  // namespace gvf::study
