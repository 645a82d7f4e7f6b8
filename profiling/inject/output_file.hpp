// Which file a recorded process writes.
#pragma once

#include <string>

#include "profiling/result.hpp"

namespace gvf::profiling {

struct OutputFile {
  int descriptor = -1;
  std::string path;
};

/// Creates the timeline of process `pid` that runs `program`. In a folder it is "<program>-<pid>.gvft"; else
/// `target` itself, and for every process after the first one "<target without .gvft>-<pid>.gvft". Never an
/// existing file: a number is added.
Result<OutputFile> create_output(const std::string& target, const std::string& program, int pid);

}  // namespace gvf::profiling
