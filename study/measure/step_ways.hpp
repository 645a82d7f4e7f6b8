// Ways to have one step wait for the step before it: every submission of the catalog, variations of them, and
// barriers inside one kernel.
#pragma once

#include <cuda_runtime_api.h>

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/submission.hpp"
#include "pipelines/relay.hpp"

namespace gvf::study {

// A relay of `steps` steps, and the device memory that it works in.
struct StepPlan {
  int steps = 1;
  RelayGrid grid;
  RelayWork work = RelayWork::load;
  bool bare = false;                       // kernels that do not even wait, in place of those of a relay
  unsigned* words = nullptr;               // grid.words() for each lane
  unsigned long long* arrivals = nullptr;  // one, zero
};

// When in a process's life a way is measured. A process that has kept many of the GPU's queues alive at once
// has dearer graphs (docs/submissions.md): first come the controls, and last the graphs that the device
// launches.
enum class Stage { fresh, host, device };

struct StepWay {
  std::string name;
  std::string group;  // "submission", "rounds", "dependencies", "priority", "barrier", "control"
  int lanes = 1;      // steps that run side by side, each in words of its own
  bool high_priority = false;
  bool one_launch = true;  // a single call brings all steps
  // Throws NotApplicable, CudaError.
  std::function<std::unique_ptr<Submission>(const StepPlan&, cudaStream_t)> make;
  Stage stage = Stage::host;
};

// Steps of every plan must be a multiple of this.
inline constexpr int largest_round = 16;

[[nodiscard]] std::vector<StepWay> step_ways(const Device& device);

}  // namespace gvf::study
