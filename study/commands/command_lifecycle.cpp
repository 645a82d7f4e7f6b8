// `gvf lifecycle`: what a graph costs over its life, and when it has paid for itself.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <string_view>

#include "gvf_git.hpp"
#include "study/commands/command.hpp"
#include "study/commands/lifecycle_tables.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/lifecycle.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Options {
  std::string output;
  bool quick = false;
  bool json = false;
};

int lifecycle(const Options& options) {
  if (std::string_view(build::build_type) != "Release")
    throw BadInput(fmt::format("this is a {} build: only Release may be timed (cmake --preset release)",
                               build::build_type));
  require_writable_file(options.output);
  nlohmann::ordered_json json{{"provenance", provenance(require_device())}};
  json.update(to_json(measure_lifecycle(options.quick)));
  if (!options.output.empty()) write_json(options.output, json);
  fmt::print("{}", options.json ? json.dump(1) + "\n" : lifecycle_tables(json));
  return exit_done;
}

}  // namespace

void add_lifecycle(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand(
      "lifecycle", "Measure what a graph costs over its life, and when it has paid for itself");
  const auto options = std::make_shared<Options>();
  command->add_flag("--quick", options->quick, "Fewer sizes and repetitions");
  command->add_option("-o,--output", options->output, "Write lifecycle.json here");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&run, options] { run = [options] { return lifecycle(*options); }; });
}

}  // namespace gvf::study
