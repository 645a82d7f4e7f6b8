// Recordings for the tests of the study room: a copy of tests/data/recording that a test may damage, and rows
// in memory.
#pragma once

#include <atomic>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string>

#include <unistd.h>

#include "study/exit_code.hpp"
#include "study/recordings/recording.hpp"

namespace gvf::tests {

namespace fs = std::filesystem;

inline fs::path synthetic_recording() {
  return fs::path(GVF_SOURCE_DIR) / "tests" / "data" / "recording";
}

// A folder of its own, removed with this object.
class ScratchFolder {
 public:
  ScratchFolder() {
    static std::atomic<int> counter{0};
    path_ = fs::temp_directory_path() /
            ("gvf-test-" + std::to_string(getpid()) + "-" + std::to_string(counter++));
    fs::create_directories(path_);
  }
  ScratchFolder(const ScratchFolder&) = delete;
  ScratchFolder& operator=(const ScratchFolder&) = delete;
  ~ScratchFolder() {
    std::error_code ignored;
    fs::remove_all(path_, ignored);
  }
  const fs::path& path() const { return path_; }

 private:
  fs::path path_;
};

inline void write_text(const fs::path& file, const std::string& text) {
  fs::create_directories(file.parent_path());
  std::ofstream(file, std::ios::binary) << text;
}

inline std::string read_text(const fs::path& file) {
  std::ostringstream text;
  text << std::ifstream(file, std::ios::binary).rdbuf();
  return text.str();
}

inline void replace_in(const fs::path& file, const std::string& what, const std::string& by) {
  std::string text = read_text(file);
  const std::size_t at = text.find(what);
  if (at == std::string::npos) throw std::runtime_error("fixture: '" + what + "' is not in " + file.string());
  write_text(file, text.replace(at, what.size(), by));
}

struct RecordingCopy : ScratchFolder {
  RecordingCopy() { fs::copy(synthetic_recording(), path(), fs::copy_options::recursive); }
};

// The message of the BadInput that `action` throws; empty when it throws none.
template <class Action>
std::string bad_input(Action&& action) {
  try {
    action();
  } catch (const gvf::study::BadInput& error) {
    return error.what();
  }
  return {};
}

// A timed row.
inline gvf::study::BenchRow bench_row(const std::string& name, std::map<std::string, double> values) {
  gvf::study::BenchRow row;
  row.name = gvf::study::parse_row_name(name).value();
  for (const auto& [key, value] : values) row.values[key] = {value, value, value, 1};
  return row;
}

inline gvf::study::AttributedRow attributed_row(const std::string& name, gvf::profiling::Parts parts) {
  gvf::profiling::Attribution attribution;
  attribution.parts = parts;
  attribution.wall_us = parts.sum();
  gvf::study::AttributedRow row;
  row.name = gvf::study::parse_row_name(name).value();
  row.row.name = name;
  row.row.attribution = attribution;
  return row;
}

}  // namespace gvf::tests
