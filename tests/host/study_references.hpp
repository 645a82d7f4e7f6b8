// The references of a round of passes, by hand: what empty kernels would have read.
#pragma once

#include <string>

#include "study/measure/pass_file.hpp"
#include "study/measure/references.hpp"

namespace gvf::tests {

inline study::Passes named_passes() {
  study::Passes passes;
  passes.untraced.mode = "untraced";
  passes.api.mode = "api";
  passes.kernel.mode = "kernel";
  passes.graph.mode = "graph";
  return passes;
}

// Untraced: 7 us in a stream, 8.5 as a graph, 3 us a call. Traced: 3.2 us a call; 5 + 1 + 2 us of latency,
// kernel and completion; 6 + 1.5 + 2 us as a graph, whose events read 2.5 us. Gap 0.9 us, busy latency 4.5
// us.
inline void add_references(study::Passes& passes, const std::string& problem) {
  using profiling::Timeline;
  using profiling::WorkKind;
  using study::PassRow;
  using study::reference_name;
  using study::train_kernels;
  const std::string stream = reference_name("stream", 1);
  const std::string graph = reference_name("graph", 1);
  const std::string train = reference_name("stream", train_kernels);

  auto& untraced = passes.untraced.references[problem];
  untraced[stream].wall_us = {6.9, 7, 7.2};
  untraced[graph].wall_us = {8.4, 8.5, 9};
  untraced[stream].span_us = {2.2};
  untraced[graph].span_us = {2.5};
  untraced[train].wall_us = {60};
  untraced[train].host_us = {3.0 * train_kernels};

  Timeline calls{0, 60000, {}, {}};
  for (int i = 0; i < train_kernels; ++i) {
    calls.calls.push_back(
        {{3200 * i, 3200 * (i + 1)}, static_cast<std::uint32_t>(i + 1), "cudaLaunchKernelExC_v11060"});
  }
  PassRow& api = passes.api.references[problem][train];
  api.wall_us = {60};
  api.timelines = {calls};

  Timeline kernel{0, 8000, {}, {}};
  kernel.works.push_back({{5000, 6000}, 1, WorkKind::kernel, "empty", 7, 0, 0});
  PassRow& single = passes.kernel.references[problem][stream];
  single.wall_us = {8};
  single.timelines = {kernel};
  passes.kernel.edges[problem] = {900, 4500};

  Timeline whole{0, 9500, {}, {}};
  whole.works.push_back({{6000, 7500}, 1, WorkKind::graph, "graph", 7, 1, 0});
  PassRow& replay = passes.graph.references[problem][graph];
  replay.wall_us = {9.5};
  replay.timelines = {whole};
}

}  // namespace gvf::tests
