// Runs the built programs as a user does and keeps what they print.
#pragma once

#include <algorithm>
#include <filesystem>
#include <string>
#include <vector>

#include "study/io/subprocess.hpp"
#include "tests/host/study_fixture.hpp"

namespace gvf::tests {

struct ProgramEnd {
  int exit_code = 0;
  std::string out;
  std::string err;

  // Lines on stderr; a last one without line feed counts.
  [[nodiscard]] int error_lines() const {
    const auto feeds = static_cast<int>(std::count(err.begin(), err.end(), '\n'));
    return feeds + (!err.empty() && err.back() != '\n' ? 1 : 0);
  }
};

inline std::filesystem::path built_program(const std::string& name) {
  return std::filesystem::path(GVF_BINARY_DIR) / name;
}

inline ProgramEnd run_program(const std::vector<std::string>& command) {
  const ScratchFolder folder;
  study::ProcessOptions options;
  options.stdout_file = folder.path() / "out";
  options.stderr_file = folder.path() / "err";
  const study::ProcessEnd end = study::run_process(command, options);
  return {end.exit_code, read_text(options.stdout_file), read_text(options.stderr_file)};
}

inline ProgramEnd run_built(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{built_program(program).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command);
}

// The same on a machine without a GPU, whatever this machine has.
inline ProgramEnd run_without_gpu(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<std::string> command{"env", "CUDA_VISIBLE_DEVICES=", built_program(program).string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  return run_program(command);
}

}  // namespace gvf::tests
