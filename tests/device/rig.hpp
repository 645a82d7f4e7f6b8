// A workload on the GPU of this machine, with a stream: what most device tests start from.
#pragma once

#include <memory>
#include <string>
#include <variant>
#include <vector>

#include "core/device.hpp"
#include "core/handles.hpp"
#include "pipelines/pipeline.hpp"
#include "study/measure/gate.hpp"
#include "study/measure/variant.hpp"

namespace gvf::tests {

// One element, less than a warp, less than a block, and more than a tile; none divides by anything.
inline const std::vector<std::int64_t> awkward_sizes{1, 31, 1023, (1 << 20) + 7};
constexpr std::int64_t many_blocks = (1 << 20) + 7;
constexpr std::uint64_t some_seed = 4711;

inline Device this_device() {
  return std::get<Device>(probe_device());
}

struct Rig {
  Rig(const Pipeline& of, const Problem& at) : pipeline(of), problem(at) {
    workload->fill(InputKind::reals, some_seed);
  }

  [[nodiscard]] std::unique_ptr<study::Variant> variant(Structure structure, const char* submission) {
    return std::make_unique<study::Variant>(pipeline, structure, study::find_submission(submission),
                                            *workload, problem, stream.get());
  }

  // The gate over one variant: two rows, integers and reals.
  [[nodiscard]] std::vector<study::GateRow> gate(Structure structure, const char* submission = "stream") {
    const auto made = variant(structure, submission);
    return study::run_gate(*workload, {made.get()});
  }

  // How many of `runs` runs on exact input, outputs poisoned before each, gave a wrong result.
  [[nodiscard]] int wrong_runs(Structure structure, const char* submission, int runs) {
    const auto made = variant(structure, submission);
    workload->fill(InputKind::integers, some_seed);
    int wrong = 0;
    for (int run = 0; run < runs; ++run) {
      workload->poison();
      made->submit();
      made->synchronize();
      wrong += workload->verify(made->slices()).passed ? 0 : 1;
    }
    return wrong;
  }

  Pipeline pipeline;  // a copy: mutants are put into it
  Problem problem;
  Device device = this_device();
  Stream stream = make_stream();
  std::unique_ptr<Workload> workload = pipeline.make_workload(problem, device, Backing::device);
};

inline std::vector<Problem> awkward_problems(const Pipeline& pipeline) {
  std::vector<Problem> problems;
  for (const std::int64_t n : awkward_sizes) {
    if (!pipeline.has_k) {
      problems.push_back({n, pipeline.default_k, 0});
      continue;
    }
    for (const int k : {1, 3, 16}) problems.push_back({n, k, 0});
  }
  return problems;
}

}  // namespace gvf::tests
