// Implements study/measure/child.hpp.
#include "study/measure/child.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string_view>

#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/io/subprocess.hpp"

namespace gvf::study {
namespace {

// A file that is gone when its owner is.
class ScratchFile {
 public:
  ScratchFile() {
    std::string pattern = (std::filesystem::temp_directory_path() / "gvf-pass-XXXXXX").string();
    const int descriptor = mkstemp(pattern.data());
    if (descriptor < 0)
      throw BadInput(fmt::format("cannot create {}: set TMPDIR to a writable folder", pattern));
    close(descriptor);
    path_ = pattern;
  }
  ScratchFile(const ScratchFile&) = delete;
  ScratchFile& operator=(const ScratchFile&) = delete;
  ~ScratchFile() {
    std::error_code ignored;
    std::filesystem::remove(path_, ignored);
  }
  [[nodiscard]] const std::string& path() const noexcept { return path_; }

 private:
  std::string path_;
};

// Hands on what the child said and returns its last line, without the program's name in front.
std::string hand_on(const std::string& stderr_file) {
  std::ifstream said(stderr_file);
  std::string last;
  for (std::string line; std::getline(said, line);) {
    fmt::print(stderr, "{}\n", line);
    constexpr std::string_view prefix = "gvf: ";
    if (line.starts_with(prefix)) last = line.substr(prefix.size());
  }
  return last.empty() ? "it gave no reason" : last;
}

}  // namespace

nlohmann::json run_child_for_json(const std::vector<std::string>& arguments) {
  const ScratchFile file;
  std::vector<std::string> command{sibling_program("gvf").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--output", file.path()});
  const InterruptGuard guard;  // an interrupt ends the child too, and its scratch file goes
  const ScratchFile said;
  ProcessOptions options;
  options.stderr_file = said.path();
  const int code = run_process(command, options).exit_code;
  const std::string reason = hand_on(said.path());
  if (interrupted() != 0) throw Interrupted("interrupted");
  const std::string what = fmt::format("{}", fmt::join(arguments, " "));
  if (code == exit_machine_lacks) throw MachineLacks(fmt::format("{} (gvf {})", reason, what));
  if (code == exit_bad_input) throw BadInput(fmt::format("{} (gvf {})", reason, what));
  if (code != exit_done)
    throw std::runtime_error(fmt::format("'gvf {}' ended with exit code {}: {}", what, code, reason));
  return read_json(file.path(), "run the command again");
}

std::optional<std::string> failure_of(const std::function<void()>& pass) {
  try {
    pass();
  } catch (const Interrupted&) {
    throw;
  } catch (const std::runtime_error& error) {  // a crash, a lack, a file that cannot be read
    return error.what();
  }
  return std::nullopt;
}

}  // namespace gvf::study
