// Implements study/commands/measuring_command.hpp.
#include "study/commands/measuring_command.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string>

#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Options {
  std::string output;
  bool quick = false;
  bool json = false;
  bool markdown = false;
};

int measure(const MeasuringCommand& command, const Options& options) {
  require_release_build();
  require_writable_file(options.output);
  nlohmann::ordered_json json{{"provenance", provenance(require_device())}};
  json.update(command.measure(options.quick));
  if (!options.output.empty()) write_json(options.output, json);
  if (options.json) {
    fmt::print("{}\n", json.dump(1));
    return exit_done;
  }
  const Document tables = command.tables(json);
  fmt::print("{}", options.markdown ? to_markdown(tables) : to_text(tables));
  return exit_done;
}

}  // namespace

void add_measuring_command(CLI::App& app, Action& run, const MeasuringCommand& command) {
  CLI::App* subcommand = app.add_subcommand(command.name, command.help);
  const auto options = std::make_shared<Options>();
  subcommand->add_flag("--quick", options->quick, "Fewer sizes and repetitions");
  subcommand->add_option("-o,--output", options->output, fmt::format("Write {} here", command.file));
  CLI::Option* json = subcommand->add_flag("--json", options->json, "Print JSON");
  subcommand->add_flag("--markdown", options->markdown, "Print Markdown")->excludes(json);
  subcommand->callback(
      [&run, options, command] { run = [options, command] { return measure(command, *options); }; });
}

}  // namespace gvf::study
