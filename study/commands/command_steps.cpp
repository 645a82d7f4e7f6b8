// `gvf steps`: what it costs that one step waits for another, in every way there is.
#include "study/commands/measuring_command.hpp"
#include "study/measure/step_costs.hpp"
#include "study/recordings/step_tables.hpp"

namespace gvf::study {

void add_steps(CLI::App& app, Action& run) {
  add_measuring_command(app, run,
                        {"steps", "Measure what a step costs that waits for the step before it, in every way",
                         "steps.json", &measure_step_costs, &step_tables});
}

}  // namespace gvf::study
