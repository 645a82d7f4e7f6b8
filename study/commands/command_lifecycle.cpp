// `gvf lifecycle`: what a graph costs over its life, and when it has paid for itself.
#include "study/commands/measuring_command.hpp"
#include "study/measure/lifecycle.hpp"
#include "study/recordings/lifecycle_tables.hpp"

namespace gvf::study {

void add_lifecycle(CLI::App& app, Action& run) {
  add_measuring_command(
      app, run,
      {"lifecycle", "Measure what a graph costs over its life, and when it has paid for itself",
       "lifecycle.json", [](bool quick) { return to_json(measure_lifecycle(quick)); }, &lifecycle_tables});
}

}  // namespace gvf::study
