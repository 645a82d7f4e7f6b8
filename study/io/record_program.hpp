// Runs a program with libgvf_inject.so inside.
#pragma once

#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gvf::study {

struct RecordPlan {
  std::vector<std::string> command;  // the program and its arguments
  std::filesystem::path output;      // ends in .gvft: a file; else a folder, created
  std::filesystem::path library;     // libgvf_inject.so
  std::string cupti;                 // for programs that bring none
  bool graph_nodes = false;
  int flush_interval_ms = 500;
};

struct RecordEnd {
  int exit_code = 0;                           // the program's; 128 + signal where a signal ended it
  std::vector<std::filesystem::path> written;  // sorted; one a process that started CUDA
};

// {"exit_code": 0, "timelines": ["run1/app-123.gvft"]}
[[nodiscard]] nlohmann::ordered_json to_json(const RecordEnd& end);

// libgvf_inject.so beside this program (a build tree), or in ../lib (an installation). Throws MachineLacks.
[[nodiscard]] std::filesystem::path inject_library();

// Changes this process's environment, which the program inherits. Throws BadInput where the output cannot be
// written or exists, or where another tool has the program already; MachineLacks where it cannot be started.
[[nodiscard]] RecordEnd record_program(const RecordPlan& plan);

}  // namespace gvf::study
