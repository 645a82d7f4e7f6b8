// Creates timeline files: see output_file.hpp.
#include "profiling/inject/output_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>

#include <cerrno>
#include <cstring>
#include <vector>

namespace gvf::profiling {

namespace {

constexpr std::string_view extension = ".gvft";
constexpr int most_namesakes = 100;  // process ids repeat, in containers sooner

bool is_folder(const std::string& path) {
  struct stat info {};
  return stat(path.c_str(), &info) == 0 && S_ISDIR(info.st_mode);
}

}  // namespace

Result<OutputFile> create_output(const std::string& target, const std::string& program, int pid) {
  std::vector<std::string> names;
  std::string stem;
  if (is_folder(target)) {
    stem = fmt::format("{}/{}-{}", target, program, pid);
  } else {
    names.push_back(target);
    std::string_view base = target;
    if (base.ends_with(extension)) base.remove_suffix(extension.size());
    stem = fmt::format("{}-{}", base, pid);
  }
  names.push_back(fmt::format("{}{}", stem, extension));
  for (int i = 2; i <= most_namesakes; ++i) names.push_back(fmt::format("{}-{}{}", stem, i, extension));

  for (const std::string& name : names) {
    constexpr mode_t readable = 0644;
    const int descriptor = open(name.c_str(), O_WRONLY | O_CREAT | O_EXCL | O_APPEND | O_CLOEXEC, readable);
    if (descriptor >= 0) return OutputFile{descriptor, name};
    if (errno != EEXIST) return Reason{fmt::format("{} cannot be created ({})", name, std::strerror(errno))};
  }
  return Reason{
      fmt::format("{} and its namesakes exist already; record into an empty folder", names.front())};
}

}  // namespace gvf::profiling
