// Implements study/io/output.hpp.
#include "study/io/output.hpp"

#include <fmt/chrono.h>
#include <fmt/format.h>

#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <system_error>

#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"

namespace gvf::study {

void write_file(const std::string& path, std::string_view text) {
  namespace fs = std::filesystem;
  const fs::path target(path);
  std::error_code error;
  if (target.has_parent_path()) fs::create_directories(target.parent_path(), error);
  const fs::path partial = target.string() + ".part";
  std::ofstream out(partial, std::ios::binary);
  out.write(text.data(), static_cast<std::streamsize>(text.size()));
  out.close();
  if (!out) throw BadInput(fmt::format("cannot write {}: choose a folder that you may write to", path));
  fs::rename(partial, target, error);
  if (error) throw BadInput(fmt::format("cannot write {}: {}", path, error.message()));
}

void require_writable_file(const std::string& path) {
  if (path.empty()) return;
  const std::filesystem::path folder = std::filesystem::path(path).parent_path();
  require_writable_folder(folder.empty() ? "." : folder);
}

void write_json(const std::string& path, const nlohmann::ordered_json& json) {
  write_file(path, json.dump(1) + "\n");
}

void note(std::string_view line) {
  std::fprintf(stderr, "gvf: %.*s\n", static_cast<int>(line.size()), line.data());
}

std::string utc_now() {
  return fmt::format("{:%Y-%m-%dT%H:%M:%SZ}", fmt::gmtime(std::time(nullptr)));
}

}  // namespace gvf::study
