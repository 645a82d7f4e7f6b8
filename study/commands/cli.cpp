// The program `gvf`: one subcommand a file, errors as one line, exit codes as documented.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <string_view>

#include "gvf_git.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/running.hpp"

namespace gvf::study {

int run_gvf(int argc, char** argv) {
  // Kernels load before the first timed launch, not inside it. Must be set before CUDA starts. A recorded
  // program inherits the environment and must stay as it is.
  if (argc < 2 || std::string_view(argv[1]) != "record") setenv("CUDA_MODULE_LOADING", "EAGER", 0);

  CLI::App app(
      "Graphs versus Fusion: does a pipeline of GPU kernels pay for launches or for trips through global "
      "memory, and which of CUDA Graphs and kernel fusion takes that cost away?");
  app.name("gvf");
  app.set_version_flag("--version", fmt::format("gvf {} ({} build of commit {})", build::version,
                                                build::build_type, build::commit));
  app.require_subcommand(1);
  app.footer(
      "Exit codes: 0 done, 1 a check failed, 2 bad arguments or input, 3 this machine lacks what is needed.");
  Action run;
  add_list(app, run);
  add_check(app, run);
  add_trace(app, run);
  add_calibrate(app, run);
  add_lifecycle(app, run);
  add_steps(app, run);
  add_attribute(app, run);
  add_record(app, run);
  add_study(app, run);
  return exit_code_of_running([&] {
    const auto is_first_word = [argv](CLI::App* command) { return command->check_name(argv[1]); };
    if (argc > 1 && argv[1][0] != '-' && app.get_subcommands(is_first_word).empty()) {
      throw BadInput(std::string("unknown command '") + argv[1] + "'; gvf --help lists them");
    }
    try {
      app.parse(argc, argv);
    } catch (const CLI::ParseError& error) {
      // Help is an "error" of code 0 that prints itself.
      if (error.get_exit_code() == 0) return app.exit(error), int{exit_done};
      throw BadInput(std::string(error.what()) + "; see gvf --help");
    }
    return run();
  });
}

}  // namespace gvf::study
