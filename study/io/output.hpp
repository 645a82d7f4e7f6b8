// Where results go: files that are complete or absent, and one clear line on stderr for what is not a result.
#pragma once

#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gvf::study {

// Writes `text` beside `path` and renames it into place, so that an interrupted run leaves no half file.
// Creates missing folders. Throws BadInput naming the path.
void write_file(const std::string& path, std::string_view text);

// Proves that `path` can be written, before the work whose result goes there. An empty path asks for no file.
void require_writable_file(const std::string& path);

void write_json(const std::string& path, const nlohmann::ordered_json& json);

// "gvf: <line>" on stderr.
void note(std::string_view line);

// Now, as "2026-01-31T12:00:00Z".
[[nodiscard]] std::string utc_now();

}  // namespace gvf::study
