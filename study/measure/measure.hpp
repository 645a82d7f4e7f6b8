// One measurement on each clock. Untraced: no CUPTI in a process that calls these.
#pragma once

#include <string>

#include "core/handles.hpp"
#include "profiling/gate.hpp"
#include "study/measure/runnable.hpp"

namespace gvf::study {

// What is made before the first timed region and used again. Must not outlive the stream that it times.
struct Stopwatch {
  Event begin = make_event();
  Event end = make_event();
  profiling::Gate gate;
};

// An isolated iteration: submit, then wait by spinning in cudaStreamSynchronize.
struct Latency {
  double host_us = 0;  // inside the submitting calls
  double wall_us = 0;  // from the first call's start to the synchronisation's return
};
Latency measure_latency(Runnable& runnable);

// Steady state: `iterations` in flight between two events. host_us is the host's time per iteration while the
// queue holds them.
struct Throughput {
  double host_us = 0;
  double period_us = 0;
};
Throughput measure_throughput(Stopwatch& stopwatch, Runnable& runnable, int iterations);

// First kernel's start to last kernel's end with the host ahead: everything is queued behind a gate kernel,
// then the gate opens. Measured between two events, so it contains what an empty pair of events measures (see
// event_pair_us in machine.json). `reason` says why there is no value.
struct Span {
  double span_us = 0;
  std::string reason;
};
[[nodiscard]] Span measure_span(Stopwatch& stopwatch, Runnable& runnable);

}  // namespace gvf::study
