// Implements study/io/record_program.hpp.
#include "study/io/record_program.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <iterator>
#include <set>

#include "profiling/inject/environment.hpp"
#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/io/subprocess.hpp"

namespace gvf::study {

namespace fs = std::filesystem;
namespace env = profiling::record_environment;

namespace {

constexpr const char* extension = ".gvft";

std::set<fs::path> timelines_in(const fs::path& folder) {
  std::set<fs::path> found;
  std::error_code ignored;
  for (const auto& entry : fs::directory_iterator(folder, ignored))
    if (entry.path().extension() == extension) found.insert(entry.path());
  return found;
}

void set_environment(const RecordPlan& plan, const fs::path& output) {
  for (const char* variable : {env::cuda_injection, env::nvtx_injection}) {
    if (const char* other = std::getenv(variable); other && *other)
      throw BadInput(
          fmt::format("{} is set to {}: another tool is to have the program; unset it", variable, other));
  }
  const auto set = [](const char* variable, const std::string& value) { setenv(variable, value.c_str(), 1); };
  set(env::cuda_injection, plan.library.string());
  set(env::nvtx_injection, plan.library.string());
  set(env::output, output.string());
  set(env::graph_nodes, plan.graph_nodes ? "1" : "0");
  set(env::flush_interval, std::to_string(plan.flush_interval_ms));
  if (!plan.cupti.empty()) setenv("GVF_CUPTI_LIBRARY", plan.cupti.c_str(), 0);
}

}  // namespace

fs::path inject_library() {
  const fs::path beside = sibling_program("libgvf_inject.so");
  const fs::path installed = beside.parent_path().parent_path() / "lib" / beside.filename();
  for (const fs::path& library : {beside, installed})
    if (fs::exists(library)) return library;
  throw MachineLacks(fmt::format("{} is neither there nor in {}: build the target gvf_inject",
                                 beside.string(), installed.parent_path().string()));
}

nlohmann::ordered_json to_json(const RecordEnd& end) {
  nlohmann::ordered_json json{{"exit_code", end.exit_code}, {"timelines", nlohmann::ordered_json::array()}};
  for (const fs::path& file : end.written) json["timelines"].push_back(file.string());
  return json;
}

RecordEnd record_program(const RecordPlan& plan) {
  if (plan.command.empty())
    throw BadInput("no program to record: gvf record [options] -- PROGRAM [arguments]");
  const fs::path output = fs::absolute(plan.output).lexically_normal();  // the program may change its folder
  const bool is_file = output.extension() == extension;
  if (is_file && fs::exists(output))
    throw BadInput(fmt::format("{} exists: remove it or choose another with --output", plan.output.string()));
  const fs::path folder = is_file ? output.parent_path() : output;
  require_writable_folder(folder);
  set_environment(plan, output);

  const std::set<fs::path> before = timelines_in(folder);
  const InterruptGuard guard;  // ^C is the program's: its timeline is named all the same
  ProcessOptions options;
  options.own_group = false;
  RecordEnd end;
  end.exit_code = run_process(plan.command, options).exit_code;
  const std::set<fs::path> after = timelines_in(folder);
  std::set_difference(after.begin(), after.end(), before.begin(), before.end(),
                      std::back_inserter(end.written));
  return end;
}

}  // namespace gvf::study
