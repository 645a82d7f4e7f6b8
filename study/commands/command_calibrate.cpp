// `gvf calibrate`: ceilings and launch constants of this machine, into machine.json.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>

#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/machine.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Options {
  std::string output;
  std::string pass;
  bool json = false;
};

// Every number and text of the file, by the path that leads to it.
void print_text(const nlohmann::ordered_json& machine) {
  fmt::print("{:<44} {:>12}\n", "quantity", "value");
  const nlohmann::ordered_json flat = machine.flatten();
  for (const auto& [path, value] : flat.items()) {
    if (value.is_number()) fmt::print("{:<44} {:>12.5g}\n", path, value.get<double>());
    if (value.is_string()) fmt::print("{:<44} {}\n", path, value.get<std::string>());
  }
}

int calibrate(const Options& options) {
  require_writable_file(options.output);
  // A pass starts its instrument before CUDA starts, so it asks for the device itself.
  const nlohmann::ordered_json machine =
      options.pass.empty() ? measure_machine() : measure_machine_pass(options.pass);
  if (!options.output.empty()) write_json(options.output, machine);
  if (options.json) {
    fmt::print("{}\n", machine.dump(1));
  } else if (options.pass.empty()) {
    print_text(machine);
  }
  return exit_done;
}

}  // namespace

void add_calibrate(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand("calibrate", "Measure this machine's ceilings and launch constants");
  const auto options = std::make_shared<Options>();
  command->add_option("-o,--output", options->output, "Write machine.json here");
  command->add_option(
      "--pass", options->pass,
      "One pass only, in this process: ceilings, l2_knee, untraced, api, kernel, graph, overhead:INSTRUMENT");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&run, options] { run = [options] { return calibrate(*options); }; });
}

}  // namespace gvf::study
