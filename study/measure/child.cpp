// Implements study/measure/child.hpp.
#include "study/measure/child.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <unistd.h>

#include <cstdlib>
#include <filesystem>
#include <stdexcept>

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

}  // namespace

nlohmann::json run_child_for_json(const std::vector<std::string>& arguments) {
  const ScratchFile file;
  std::vector<std::string> command{sibling_program("gvf").string()};
  command.insert(command.end(), arguments.begin(), arguments.end());
  command.insert(command.end(), {"--output", file.path()});
  const InterruptGuard guard;  // an interrupt ends the child too, and its scratch file goes
  const int code = run_process(command).exit_code;
  if (interrupted() != 0) throw Interrupted("interrupted");
  const std::string what = fmt::format("{}", fmt::join(arguments, " "));
  // The child has said why on stderr; here it is said which part that was.
  if (code == exit_machine_lacks)
    throw MachineLacks(fmt::format("'gvf {}' found that this machine lacks it", what));
  if (code == exit_bad_input) throw BadInput(fmt::format("'gvf {}' refused its input", what));
  if (code != exit_done)
    throw std::runtime_error(fmt::format("'gvf {}' ended with exit code {}", what, code));
  return read_json(file.path(), "run the command again");
}

}  // namespace gvf::study
