// lifecycle.json as text to read: a pure function.
#pragma once

#include <nlohmann/json.hpp>
#include <string>

namespace gvf::study {

// Costs by number of nodes and by size of parameters with their fits, memory, and break-even.
[[nodiscard]] std::string lifecycle_tables(const nlohmann::ordered_json& lifecycle);

}  // namespace gvf::study
