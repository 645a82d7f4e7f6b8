// JSON files read whole, and written so that a reader never sees half a file. What is damaged or foreign is
// reported as BadInput with the file, the place in it and what to do.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

namespace gvf::study {

// `remedy` ends the message. Google Benchmark writes NaN and Infinity, which are no JSON: they read as null.
[[nodiscard]] nlohmann::json read_json(const std::filesystem::path& file, std::string_view remedy);
[[nodiscard]] nlohmann::json parse_json(const std::string& text, const std::string& file,
                                        std::string_view remedy);

// The text of object[key]; numbers are accepted, since versions are written both ways. Throws BadInput.
[[nodiscard]] std::string text_at(const nlohmann::json& object, const char* key, const std::string& file);

// Makes `folder` and proves that a file can be written there. Throws BadInput.
void require_writable_folder(const std::filesystem::path& folder);

}  // namespace gvf::study
