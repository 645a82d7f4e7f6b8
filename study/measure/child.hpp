// Runs a part of this program in a process of its own, which every instrument needs: CUPTI stays in a process
// once it was there, and a timing must not share one with it.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

namespace gvf::study {

// Runs this executable with `arguments` plus `--output FILE` and returns what it wrote there. What it says on
// stderr is handed on when it has ended, and its last line is the reason of the error: MachineLacks when it
// exits 3, BadInput when 2, std::runtime_error otherwise.
[[nodiscard]] nlohmann::json run_child_for_json(const std::vector<std::string>& arguments);

// For a pass that the rest can do without: why `pass` failed, or nothing. An interrupt ends the rest too and
// is let through.
[[nodiscard]] std::optional<std::string> failure_of(const std::function<void()>& pass);

}  // namespace gvf::study
