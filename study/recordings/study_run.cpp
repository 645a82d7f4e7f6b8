// Implements study/recordings/study_run.hpp.
#include "study/recordings/study_run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <fstream>
#include <sstream>
#include <system_error>

#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/io/subprocess.hpp"
#include "study/recordings/slim_bench.hpp"

namespace gvf::study {

namespace fs = std::filesystem;

namespace {

double declared_from(const std::vector<Unit>& plan, std::size_t first, bool resume, const RunHooks& hooks) {
  double seconds = 0;
  for (std::size_t i = first; i < plan.size(); ++i) {
    if (!resume || !hooks.finished(plan[i])) seconds += plan[i].seconds;
  }
  return seconds;
}

// What became of a unit whose process has ended. Adds labels.
UnitStatus judge(const Unit& unit, const UnitEnd& end, const RunHooks& hooks, StudyReport& report) {
  const std::string words = end.last_words.empty() ? "it gave no reason" : end.last_words;
  if (end.exit_code == exit_machine_lacks) {
    hooks.discard(unit);
    report.labels.push_back(fmt::format("{}: not possible on this machine: {}", unit.name(), words));
    return UnitStatus::lacks;
  }
  // A check or a benchmark that found something wrong has results all the same.
  const bool check_failed =
      end.exit_code == exit_check_failed && (unit.kind == UnitKind::check || unit.kind == UnitKind::bench);
  if (end.exit_code != exit_done && !check_failed) {
    hooks.discard(unit);
    report.labels.push_back(
        fmt::format("{}: failed with exit code {}: {}", unit.name(), end.exit_code, words));
    report.something_failed = true;
    return UnitStatus::failed;
  }
  if (!hooks.keep(unit)) {
    report.labels.push_back(fmt::format("{}: left no file that loads", unit.name()));
    report.something_failed = true;
    return UnitStatus::failed;
  }
  for (const std::string& remark : end.remarks) report.labels.push_back(unit.name() + ": " + remark);
  if (check_failed) {
    report.labels.push_back(fmt::format("{}: {}", unit.name(), words));
    report.something_failed = true;
  }
  return UnitStatus::done;
}

// What the commands print where a result is good but not whole.
bool is_remark(std::string_view line) {
  static constexpr std::array<std::string_view, 6> openings{"size skipped",     "SM clock not recorded",
                                                            "no timeline of",   "no counters",
                                                            "not counted here", "no bandwidth over time"};
  return std::any_of(openings.begin(), openings.end(),
                     [&](std::string_view opening) { return line.starts_with(opening); });
}

// What a recording keeps of a benchmark's file.
void slim(const fs::path& bench_file) {
  std::ifstream in(bench_file, std::ios::binary);
  std::stringstream text;
  text << in.rdbuf();
  if (!in) return;  // judged, with its reason, by whoever loads it
  write_file(bench_file.string(), slim_bench(text.str()));
}

// The last line of a log, and its remarks, each once; without the program's name in front.
void read_log(const fs::path& file, UnitEnd& end) {
  std::ifstream in(file);
  for (std::string line; std::getline(in, line);) {
    constexpr std::string_view prefix = "gvf: ";
    if (line.starts_with(prefix)) line.erase(0, prefix.size());
    if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
    end.last_words = line;
    if (is_remark(line) && std::find(end.remarks.begin(), end.remarks.end(), line) == end.remarks.end())
      end.remarks.push_back(line);
  }
}

}  // namespace

std::string_view to_string(UnitStatus status) noexcept {
  switch (status) {
    case UnitStatus::done:
      return "done";
    case UnitStatus::kept:
      return "kept";
    case UnitStatus::failed:
      return "failed";
    case UnitStatus::lacks:
      return "not possible here";
    case UnitStatus::not_reached:
      break;
  }
  return "not reached";
}

StudyReport run_study(const std::vector<Unit>& plan, bool resume, const RunHooks& hooks) {
  StudyReport report;
  for (const Unit& unit : plan) report.units.push_back({unit.name(), UnitStatus::not_reached, 0});
  Pace pace;
  for (std::size_t i = 0; i < plan.size(); ++i) {
    const Unit& unit = plan[i];
    UnitReport& of_unit = report.units[i];
    const std::string place = fmt::format("[{}/{}] {}", i + 1, plan.size(), unit.name());
    if (resume && hooks.finished(unit)) {
      of_unit.status = UnitStatus::kept;
      if (const std::string failure = hooks.recorded_failure(unit); !failure.empty()) {
        report.labels.push_back(fmt::format("{}: {}", unit.name(), failure));
        report.something_failed = true;
      }
      hooks.progress(place + ": finished earlier, kept");
      continue;
    }
    hooks.progress(fmt::format("{}: started, about {} left in all", place,
                               duration_text(pace.remaining(declared_from(plan, i, resume, hooks)))));
    const UnitEnd end = hooks.run(unit);
    of_unit.seconds = end.seconds;
    if (end.interrupted) {
      hooks.discard(unit);
      report.interrupted = true;
      hooks.progress(place + ": interrupted");
      return report;
    }
    of_unit.status = judge(unit, end, hooks, report);
    if (of_unit.status == UnitStatus::done) pace.add(unit, end.seconds);
    hooks.progress(
        fmt::format("{}: {} after {}", place, to_string(of_unit.status), duration_text(end.seconds)));
  }
  return report;
}

RunHooks process_hooks(const fs::path& output, std::function<void(const std::string&)> announce) {
  RunHooks hooks;
  hooks.run = [output](const Unit& unit) {
    std::error_code ignored;
    fs::create_directories(unit.file.parent_path(), ignored);
    fs::create_directories(output / "log", ignored);
    std::string log = unit.name();
    std::replace(log.begin(), log.end(), ' ', '_');
    ProcessOptions options;
    options.stdout_file = output / "log" / (log + ".out.txt");
    options.stderr_file = output / "log" / (log + ".err.txt");
    UnitEnd end;
    try {
      const ProcessEnd process = run_process(unit.command, options);
      end = {process.exit_code, interrupted() != 0, process.seconds, ""};
      read_log(options.stderr_file, end);
    } catch (const MachineLacks& error) {
      // A program of ours that cannot be started is broken, not a machine that lacks something.
      end = {127, false, 0, error.what()};
    }
    return end;
  };
  hooks.finished = &is_finished;
  hooks.recorded_failure = &recorded_failure;
  hooks.keep = [](const Unit& unit) {
    std::error_code error;
    if (unit.kind == UnitKind::bench) slim(part_file(unit));
    fs::rename(part_file(unit), unit.file, error);
    if (error || is_finished(unit)) return !error;
    // Out of the way of whoever loads the recording, and there to be looked at.
    fs::rename(unit.file, unit.file.string() + ".damaged", error);
    return false;
  };
  hooks.discard = [](const Unit& unit) {
    std::error_code ignored;
    fs::remove(part_file(unit), ignored);
  };
  hooks.progress = std::move(announce);
  return hooks;
}

}  // namespace gvf::study
