// lifecycle.json as tables: what a graph costs over its life, and when it has paid for itself.
#pragma once

#include <nlohmann/json.hpp>

#include "study/recordings/render.hpp"

namespace gvf::study {

// For each shape, costs by number of nodes with the line through them, and break-even; then costs by size of
// parameters. Throws nlohmann's exceptions where a field is missing.
[[nodiscard]] Document lifecycle_tables(const nlohmann::json& lifecycle);

}  // namespace gvf::study
