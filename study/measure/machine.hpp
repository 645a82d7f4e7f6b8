// machine.json: ceilings and launch constants of this machine, and how to take them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gvf::study {

// Measures in this process what `pass` names: "ceilings", "l2_knee", "untraced", "api", "kernel", "graph", or
// "overhead:INSTRUMENT" (instruments.hpp). Each but the first belongs in a process of its own. Throws
// MachineLacks where the pass needs what is not here.
[[nodiscard]] nlohmann::ordered_json measure_machine_pass(const std::string& pass);

// All passes, each in a child process. A pass that fails leaves its part out and its reason under "missing".
[[nodiscard]] nlohmann::ordered_json measure_machine();

}  // namespace gvf::study
