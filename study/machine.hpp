// machine.json: ceilings and launch constants of this machine, and how to take them.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

#include "profiling/attribution.hpp"

namespace gvf::study {

// Measures in this process what `pass` names: "ceilings", "untraced", "api", "stream" or "graph". Each but
// the first belongs in a process of its own. Throws MachineLacks where the pass needs what is not here.
[[nodiscard]] nlohmann::ordered_json measure_machine_pass(const std::string& pass);

// All passes, each in a child process. A pass that fails leaves its part out and its reason under "missing".
[[nodiscard]] nlohmann::ordered_json measure_machine();

// The launch constants of a machine.json. Throws BadInput naming `file`; MachineLacks with the recorded
// reason where they could not be measured.
[[nodiscard]] profiling::EdgeConstants constants_of(const nlohmann::ordered_json& machine,
                                                    const std::string& file);

}  // namespace gvf::study
