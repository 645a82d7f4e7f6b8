// Implementations that are wrong on purpose, each in one way that kernels go wrong. They use the workloads,
// buffers and building blocks of the right ones, so that the gate has nothing to go by but the result.
#pragma once

#include "pipelines/pipeline.hpp"

namespace gvf::tests {

// sum_abs
Implementation drops_last_element();   // fused
Implementation reads_a_tile_twice();   // fused
Implementation overwrites_partials();  // sliced: each slice's sum replaces the one before
Implementation forgets_the_barrier();  // persistent: half of the blocks write 100 us late, nobody waits
Implementation keeps_the_barrier();    // persistent: the same delay with its barrier. Right.
Implementation adds_atomically();      // fused: float atomics, in whatever order the blocks come

// chain
Implementation skips_a_step();           // fused: k - 1 steps
Implementation leaves_last_element();    // fused: writes all but the last element
Implementation forgets_to_wait();        // separate: half of the blocks come 20 us late, nobody waits
Implementation waits_for_late_blocks();  // separate: the same delay, and every kernel waits. Right.
Implementation never_triggers();         // separate: waits, but its successor never comes up early. Right.

// `pipeline` with `mutant` in place of its own implementation of that structure.
inline Pipeline with_mutant(Pipeline pipeline, const Implementation& mutant) {
  for (Implementation& implementation : pipeline.implementations) {
    if (implementation.structure == mutant.structure) implementation = mutant;
  }
  return pipeline;
}

// A kernel that adds 1 to *count.
void launch_count(Launcher& launcher, unsigned* count);

// A kernel of 20 us that writes when it came up and when it ended, ns.
void launch_stamps(Launcher& launcher, bool triggers, unsigned long long* stamps);

// A kernel that does nothing, for what a launch itself can do wrong.
void launch_idle(Launcher& launcher, const LaunchConfig& config);
[[nodiscard]] const void* idle_function();

}  // namespace gvf::tests
