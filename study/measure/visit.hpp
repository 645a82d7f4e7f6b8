// A visit: a few isolated iterations of one runnable under one instrument.
#pragma once

#include <optional>
#include <string>

#include "profiling/activity.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/pass_file.hpp"
#include "study/measure/runnable.hpp"

namespace gvf::study {

// How often a pass of this mode comes round to each runnable: what comes and goes on the machine meanwhile
// meets all of them.
[[nodiscard]] int visits_of(const std::string& mode);

class Visitor {
 public:
  // `session` records for `mode` and outlives this; null for "untraced". Must not outlive the streams it
  // visits.
  // A pass keeps the timelines of the submissions that it is for, and of the others the clocks.
  enum class Keep { own_timelines, all_timelines };
  Visitor(std::string mode, profiling::ActivitySession* session, Keep keep = Keep::own_timelines)
      : mode_(std::move(mode)), session_(session), keep_(keep) {}

  // A process that has just started is slow, and its instrument slower still, for some tenths of a second:
  // what is measured first must not pay for that. Iterations outside a session's marks are recorded and
  // dropped.
  void settle(Runnable& runnable);

  // Two iterations that do not count (what ran before left its own data in the caches), then those that do:
  // their walls and host times, and their timelines where this mode is the one for this kind of submission.
  // An untraced visit ends with spans behind the gate.
  void visit(Runnable& runnable, PassRow& row);

 private:
  void take_spans(Runnable& runnable, int iterations, PassRow& row);

  std::string mode_;
  profiling::ActivitySession* session_;
  Keep keep_;
  Stopwatch stopwatch_;
  std::string no_span_;  // why the gate does not work here: asked once, each failure costs its time-out
};

}  // namespace gvf::study
