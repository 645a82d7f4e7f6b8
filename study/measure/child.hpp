// Runs a part of this program in a process of its own, which every instrument needs: CUPTI stays in a process
// once it was there, and a timing must not share one with it.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gvf::study {

// Runs this executable with `arguments` plus `--output FILE` and returns what it wrote there. What it says on
// stderr is handed on when it has ended, and its last line is the reason of the error: MachineLacks when it
// exits 3, BadInput when 2, std::runtime_error otherwise.
[[nodiscard]] nlohmann::json run_child_for_json(const std::vector<std::string>& arguments);

}  // namespace gvf::study
