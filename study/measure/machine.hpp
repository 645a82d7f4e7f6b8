// machine.json: ceilings and launch constants of this machine, and how to take them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "study/measure/pass_file.hpp"

namespace gvf::study {

// Measures in this process what `pass` names: "ceilings", "l2_knee", "untraced", "api", "kernel", "graph", or
// "overhead:INSTRUMENT" (instruments.hpp). Each but the first belongs in a process of its own. Throws
// MachineLacks where the pass needs what is not here.
[[nodiscard]] nlohmann::ordered_json measure_machine_pass(const std::string& pass);

// Adds to machine.json what the passes say, pure: `clocks`, of the untraced pass (null: it failed), and,
// where none of the passes is missing, the constants.
void add_passes(const Passes& passes, const nlohmann::json& clocks, nlohmann::ordered_json& machine);

// All passes, each in a child process. A pass that fails leaves its part out and its reason under "missing".
[[nodiscard]] nlohmann::ordered_json measure_machine();

}  // namespace gvf::study
