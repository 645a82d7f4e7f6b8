// The commands of `gvf`: each file command_<name>.cpp adds one subcommand and sets `run` when it is chosen.
#pragma once

#include <functional>

namespace CLI {
class App;
}

namespace gvf::study {

// What to do after parsing; returns the exit code. Throws BadInput, MachineLacks or CudaError.
using Action = std::function<int()>;

void add_list(CLI::App& app, Action& run);
void add_check(CLI::App& app, Action& run);
void add_trace(CLI::App& app, Action& run);
void add_calibrate(CLI::App& app, Action& run);
void add_lifecycle(CLI::App& app, Action& run);
void add_steps(CLI::App& app, Action& run);
void add_attribute(CLI::App& app, Action& run);
void add_record(CLI::App& app, Action& run);
void add_study(CLI::App& app, Action& run);

// The whole program: parses, runs, turns errors into one clear line on stderr and an exit code.
int run_gvf(int argc, char** argv);

}  // namespace gvf::study
