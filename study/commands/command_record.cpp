// `gvf record -- PROGRAM`: a timeline of any CUDA program, which stays as it is.
#include <cuda_runtime_api.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "core/error.hpp"
#include "profiling/cupti_api.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/io/record_program.hpp"

namespace gvf::study {
namespace {

void require_gpu() {
  int devices = 0;
  GVF_CUDA(cudaGetDeviceCount(&devices), "looking for a GPU to record on");
  if (devices == 0) throw MachineLacks("there is no GPU to record on");
}

int record(RecordPlan plan, bool json) {
  if (plan.command.empty())
    throw BadInput("no program to record: gvf record [options] -- PROGRAM [arguments]");
  plan.library = inject_library();
  const auto cupti = profiling::load_cupti();
  if (!cupti) throw MachineLacks(cupti.reason().text);
  plan.cupti = cupti->path;
  require_gpu();

  const RecordEnd end = record_program(plan);
  if (json) {
    fmt::print("{}\n", to_json(end).dump());
    return end.exit_code;
  }
  if (end.written.empty()) {
    note("no timeline was written: the program did not start CUDA, or a line above says why");
    return end.exit_code;
  }
  std::string files;
  for (const auto& file : end.written) {
    note(fmt::format("wrote {}", file.string()));
    files += " " + file.string();
  }
  note(fmt::format("next: gvf attribute{}", files));
  return end.exit_code;
}

}  // namespace

void add_record(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand("record", "Record the CUDA timeline of any program, unchanged");
  command->footer(
      "Examples:\n"
      "  gvf record -- ./app --size 1024\n"
      "  gvf record --output run1 --graph-nodes -- python3 train.py\n"
      "One file a process; `gvf attribute FILE...` reads them. The exit code is the program's (128 + signal "
      "where a\n"
      "signal ended it), or 2 or 3 with a line that begins with 'gvf: ' where the program was not started.");
  const auto plan = std::make_shared<RecordPlan>();
  plan->output = ".";
  command->add_option("-o,--output", plan->output, "Folder for the timelines, or a file that ends in .gvft");
  command->add_flag("--graph-nodes", plan->graph_nodes,
                    "A record for every node of a graph: dearer, see docs/method.md");
  command->add_option("--flush-interval", plan->flush_interval_ms, "Milliseconds; what a crash may lose")
      ->check(CLI::Range(10, 60000));
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json,
                    "Print what was written as JSON, one line after the program's own output");
  command->add_option("program", plan->command, "The program and its arguments, after --");
  command->callback([&run, plan, json] { run = [plan, json] { return record(*plan, *json); }; });
}

}  // namespace gvf::study
