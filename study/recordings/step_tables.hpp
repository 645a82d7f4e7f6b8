// steps.json as a table: what a step costs in every way.
#pragma once

#include <nlohmann/json.hpp>

#include "study/recordings/render.hpp"

namespace gvf::study {

// Throws nlohmann's exceptions where a field is missing.
[[nodiscard]] Document step_tables(const nlohmann::json& steps);

}  // namespace gvf::study
