// The system's loader: see dynamic_library.hpp.
#include "profiling/dynamic_library.hpp"

#include <dlfcn.h>
#include <link.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <system_error>

namespace gvf::profiling {

const DynamicLoader& system_loader() {
  static const DynamicLoader loader{
      .open = [](const std::string& name, bool only_if_loaded) -> void* {
        return dlopen(name.c_str(), RTLD_NOW | RTLD_LOCAL | (only_if_loaded ? RTLD_NOLOAD : 0));
      },
      .find = [](void* handle, const char* symbol) -> void* { return dlsym(handle, symbol); },
      .path_of = [](void* handle) -> std::string {
        link_map* map = nullptr;
        if (dlinfo(handle, RTLD_DI_LINKMAP, &map) != 0 || !map || !map->l_name) return "";
        return map->l_name;
      },
      .environment = [](const char* variable) -> std::optional<std::string> {
        const char* value = std::getenv(variable);
        if (!value || !*value) return std::nullopt;
        return value;
      },
      .list = [](const std::string& directory) -> std::vector<std::string> {
        std::vector<std::string> entries;
        std::error_code error;
        for (std::filesystem::directory_iterator it(directory, error), end; !error && it != end;
             it.increment(error))
          entries.push_back(it->path().string());
        std::sort(entries.begin(), entries.end());
        return entries;
      },
      .executable_directory =
          [] {
            std::error_code error;
            return std::filesystem::read_symlink("/proc/self/exe", error).parent_path().string();
          }(),
  };
  return loader;
}

}  // namespace gvf::profiling
