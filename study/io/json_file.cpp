// Implements study/io/json_file.hpp.
#include "study/io/json_file.hpp"

#include <fmt/format.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <sstream>
#include <system_error>

#include "study/exit_code.hpp"

namespace gvf::study {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// The same text with NaN, Infinity and -Infinity outside strings replaced by null; lines stay where they are.
std::string without_non_finite(const std::string& text) {
  static constexpr std::array<std::string_view, 4> words{"-Infinity", "Infinity", "-NaN", "NaN"};
  std::string clean;
  clean.reserve(text.size());
  bool in_string = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (in_string && c == '\\' && i + 1 < text.size()) {
      clean += c;
      clean += text[++i];
      continue;
    }
    if (c == '"') in_string = !in_string;
    std::size_t word_size = 0;
    if (!in_string && (c == '-' || c == 'I' || c == 'N')) {
      for (const std::string_view word : words) {
        if (text.compare(i, word.size(), word) == 0) {
          word_size = word.size();
          break;
        }
      }
    }
    if (word_size == 0) {
      clean += c;
    } else {
      clean += "null";
      i += word_size - 1;
    }
  }
  return clean;
}

// Line and column of byte `byte` (counted from 1).
std::string place_of(const std::string& text, std::size_t byte) {
  std::size_t line = 1;
  std::size_t column = 1;
  for (std::size_t i = 0; i + 1 < byte && i < text.size(); ++i) {
    ++column;
    if (text[i] == '\n') {
      ++line;
      column = 1;
    }
  }
  return fmt::format("{}:{}", line, column);
}

}  // namespace

json parse_json(const std::string& text, const std::string& file, std::string_view remedy) {
  if (text.find_first_not_of(" \t\r\n") == std::string::npos)
    throw BadInput(fmt::format("{}: the file is empty; {}", file, remedy));
  const std::string clean = without_non_finite(text);
  try {
    return json::parse(clean);
  } catch (const json::parse_error& error) {
    const bool cut = error.byte >= clean.size();
    throw BadInput(fmt::format("{}:{}: {}; {}", file, place_of(clean, error.byte),
                               cut ? "the JSON ends too early, the file was cut off" : "this is not JSON",
                               remedy));
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: {}; {}", file, error.what(), remedy));
  }
}

json read_json(const fs::path& file, std::string_view remedy) {
  std::ifstream in(file, std::ios::binary);
  if (!in || fs::is_directory(file))
    throw BadInput(fmt::format("{}: cannot be read ({}); {}", file.string(), std::strerror(errno), remedy));
  std::ostringstream text;
  text << in.rdbuf();
  return parse_json(text.str(), file.string(), remedy);
}

std::string text_at(const json& object, const char* key, const std::string& file) {
  if (!object.is_object()) throw BadInput(fmt::format("{}: is not a JSON object", file));
  const auto found = object.find(key);
  if (found == object.end())
    throw BadInput(fmt::format("{}: has no '{}'; is it a study.json of gvf?", file, key));
  if (found->is_string()) return found->get<std::string>();
  if (found->is_number()) return found->dump();
  throw BadInput(fmt::format("{}: '{}' is neither text nor a number", file, key));
}

void require_writable_folder(const fs::path& folder) {
  std::error_code error;
  fs::create_directories(folder, error);
  const fs::path probe = folder / ".gvf-probe";
  bool written = false;
  if (!error) {
    std::ofstream out(probe);
    out << "probe";
    out.close();
    written = static_cast<bool>(out);
    if (!written) error = std::error_code(errno, std::generic_category());
  }
  std::error_code ignored;
  fs::remove(probe, ignored);
  if (!written)
    throw BadInput(fmt::format("output folder '{}' cannot be written ({}); choose another with --output",
                               folder.string(), error.message()));
}

}  // namespace gvf::study
