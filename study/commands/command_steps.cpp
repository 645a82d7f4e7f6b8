// `gvf steps`: what it costs that one step waits for another, in every way there is.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>

#include "gvf_git.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/step_costs.hpp"
#include "study/measure/workbench.hpp"
#include "study/recordings/step_tables.hpp"

namespace gvf::study {
namespace {

struct Options {
  std::string output;
  bool quick = false;
  bool json = false;
};

int steps(const Options& options) {
  if (std::string_view(build::build_type) != "Release")
    throw BadInput(fmt::format("this is a {} build: only Release may be timed (cmake --preset release)",
                               build::build_type));
  require_writable_file(options.output);
  nlohmann::ordered_json json{{"provenance", provenance(require_device())}};
  json.update(measure_step_costs(options.quick));
  if (!options.output.empty()) write_json(options.output, json);
  fmt::print("{}", options.json ? json.dump(1) + "\n" : to_text(step_tables(json)));
  return exit_done;
}

}  // namespace

void add_steps(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand(
      "steps", "Measure what a step costs that waits for the step before it, in every way");
  const auto options = std::make_shared<Options>();
  command->add_flag("--quick", options->quick, "Fewer rounds");
  command->add_option("-o,--output", options->output, "Write steps.json here");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&run, options] { run = [options] { return steps(*options); }; });
}

}  // namespace gvf::study
