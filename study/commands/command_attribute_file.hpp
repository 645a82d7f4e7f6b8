// `gvf attribute FILE...`: where the time of recorded programs went.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gvf::study {

struct FileAttribution {
  std::vector<std::string> files;  // timelines of `gvf record`, one a process
  std::string machine;             // machine.json of this GPU; empty: a default gap, no cost of tracing
  int top = 20;                    // ranges to show
};

void add_file_options(CLI::App& command, FileAttribution& options);

// Reads, accounts and prints. Throws BadInput.
[[nodiscard]] int attribute_files(const FileAttribution& options, bool as_json);

}  // namespace gvf::study
