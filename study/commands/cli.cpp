// The program `gvf`: one subcommand a file, errors as one line, exit codes as documented.
#include <fmt/format.h>
#include <CLI/CLI.hpp>
#include <cstdlib>
#include <exception>

#include "core/error.hpp"
#include "gvf_git.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"

namespace gvf::study {

int run_gvf(int argc, char** argv) {
  // Kernels load before the first timed launch, not inside it. Must be set before CUDA starts.
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);

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
  add_attribute(app, run);
  add_study(app, run);
  try {
    if (argc > 1 && argv[1][0] != '-' &&
        app.get_subcommands([argv](CLI::App* command) { return command->check_name(argv[1]); }).empty()) {
      throw BadInput(std::string("unknown command '") + argv[1] + "'; gvf --help lists them");
    }
    app.parse(argc, argv);
    return run();
  } catch (const CLI::ParseError& error) {
    // Help is an "error" of code 0 that prints itself.
    if (error.get_exit_code() == 0) return app.exit(error), int{exit_done};
    note(std::string(error.what()) + "; see gvf --help");
    return exit_bad_input;
  } catch (const BadInput& error) {
    note(error.what());
    return exit_bad_input;
  } catch (const MachineLacks& error) {
    note(error.what());
    return exit_machine_lacks;
  } catch (const Interrupted& error) {
    note(error.what());
    return exit_interrupted;
  } catch (const CudaError& error) {
    note(error.what());
    return exit_code_of(error.code());
  } catch (const std::exception& error) {
    note(error.what());
    return exit_bad_input;
  }
}

}  // namespace gvf::study
