// Opening shared libraries at run time, behind functions that tests replace: what is optional on a machine
// (CUPTI, NVML) is never linked.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gvf::profiling {

struct DynamicLoader {
  /// Handle, or nullptr. With `only_if_loaded` the library must be in the process already.
  std::function<void*(const std::string& name_or_path, bool only_if_loaded)> open;
  std::function<void*(void* handle, const char* symbol)> find;
  /// The file that the handle came from, for messages and provenance; may be empty.
  std::function<std::string(void* handle)> path_of;
  std::function<std::optional<std::string>(const char* variable)> environment;
  /// Entries of a directory as full paths, sorted; empty where it cannot be read.
  std::function<std::vector<std::string>(const std::string& directory)> list;
  /// The directory of the running executable.
  std::string executable_directory;
};

/// dlopen, dlsym, getenv and the file system. Handles are never closed: CUPTI and NVML keep threads and
/// state.
const DynamicLoader& system_loader();

}  // namespace gvf::profiling
