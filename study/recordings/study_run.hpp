// Goes through the units of a plan: skips what is finished, runs the rest, and lets a failure cost only what
// depends on it. Processes are behind a function, so that all of this is tested without one.
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "study/recordings/study_plan.hpp"

namespace gvf::study {

// How a unit's process ended.
struct UnitEnd {
  int exit_code = 0;
  bool interrupted = false;
  double seconds = 0;
  std::string last_words;              // its last line on stderr
  std::vector<std::string> remarks{};  // lines on stderr that say what a good result lacks
};

struct RunHooks {
  std::function<UnitEnd(const Unit&)> run;    // must leave part_file(unit) on success
  std::function<bool(const Unit&)> finished;  // is_finished, or a fake
  std::function<std::string(const Unit&)> recorded_failure = [](const Unit&) { return std::string(); };
  std::function<bool(const Unit&)> keep;             // part_file -> file; false when it does not load
  std::function<void(const Unit&)> discard;          // removes part_file
  std::function<void(const std::string&)> progress;  // one line
};

enum class UnitStatus { done, kept, failed, lacks, not_reached };

struct UnitReport {
  std::string name;
  UnitStatus status = UnitStatus::not_reached;
  double seconds = 0;
};

struct StudyReport {
  std::vector<UnitReport> units;
  std::vector<std::string> labels;  // what a reader of the recording must know
  bool interrupted = false;
  bool something_failed = false;  // a check failed, or a unit broke: the study ends with exit code 1
};

[[nodiscard]] std::string_view to_string(UnitStatus status) noexcept;

// `resume`: units that are finished are kept. Otherwise every unit runs.
[[nodiscard]] StudyReport run_study(const std::vector<Unit>& plan, bool resume, const RunHooks& hooks);

// Hooks that run real processes; `announce` gets the progress lines. Logs go to OUTPUT/log/.
[[nodiscard]] RunHooks process_hooks(const std::filesystem::path& output,
                                     std::function<void(const std::string&)> announce);

}  // namespace gvf::study
