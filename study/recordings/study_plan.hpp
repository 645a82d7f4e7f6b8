// The plan of a study: one process and one file a unit, and how long each is declared to take.
// Pure.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace gvf::study {

enum class UnitKind { check, machine, bench, attribution, steps, lifecycle };

struct Unit {
  UnitKind kind{};
  std::string pipeline;              // of bench and attribution
  std::vector<std::string> command;  // writes `file` + ".part"
  std::filesystem::path file;        // final name, below the output folder
  double seconds = 0;                // declared
  bool from_device = false;          // bench: of graphs that the device launches

  [[nodiscard]] std::string name() const;  // "check", "bench sum_abs"
};

struct PlanOptions {
  bool quick = false;
  std::vector<std::string> pipelines;
  std::filesystem::path output;
  std::filesystem::path gvf;  // programs
  std::filesystem::path gvf_bench;
};

// check, machine, then benches and attribution of each pipeline, so that after half the time half the
// pipelines are complete; then what is about graphs of no pipeline.
[[nodiscard]] std::vector<Unit> study_plan(const PlanOptions& options);

// The name under which a unit's process writes; it becomes `file` when the process has done well.
[[nodiscard]] std::filesystem::path part_file(const Unit& unit);

// True when the unit's file is there and loads cleanly. A damaged one counts as not finished.
[[nodiscard]] bool is_finished(const Unit& unit);

// What a finished unit found wrong when it ran ("3 checks failed"); empty: nothing.
[[nodiscard]] std::string recorded_failure(const Unit& unit);

// What is left: declared seconds, scaled by how the finished units kept to theirs.
struct Pace {
  double declared_done = 0;  // of the units that ran
  double elapsed_done = 0;

  void add(const Unit& unit, double elapsed);
  // `pending` seconds of declared time are to come, of which the running unit has had `elapsed_running`.
  [[nodiscard]] double remaining(double declared_pending, double declared_running = 0,
                                 double elapsed_running = 0) const;
};

// "45 s", "12 min", "1 h 05 min".
[[nodiscard]] std::string duration_text(double seconds);

}  // namespace gvf::study
