// Implements study/recordings/study_plan.hpp.
#include "study/recordings/study_plan.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <tuple>

#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/measure/gate.hpp"
#include "study/recordings/recording.hpp"

namespace gvf::study {

namespace fs = std::filesystem;

namespace {

// Seconds on one H200; the pace of the machine at hand corrects them.
struct Declared {
  double check, machine, bench, bench_from_device, attribution, steps, lifecycle;
};
constexpr Declared quick_seconds{2, 31, 18, 5, 45, 7, 11};
constexpr Declared full_seconds{20, 35, 80, 15, 170, 22, 106};

}  // namespace

std::string Unit::name() const {
  switch (kind) {
    case UnitKind::check:
      return "check";
    case UnitKind::machine:
      return "machine";
    case UnitKind::bench:
      return "bench " + pipeline + (from_device ? " from device" : "");
    case UnitKind::attribution:
      return "attribution " + pipeline;
    case UnitKind::steps:
      return "steps";
    case UnitKind::lifecycle:
      return "lifecycle";
  }
  return {};
}

std::vector<Unit> study_plan(const PlanOptions& options) {
  const Declared& declared = options.quick ? quick_seconds : full_seconds;
  const std::string gvf = options.gvf.string();
  std::vector<Unit> plan;
  const auto add = [&](UnitKind kind, const std::string& pipeline, const fs::path& file,
                       double seconds) -> Unit& {
    plan.push_back({kind, pipeline, {}, options.output / file, seconds});
    return plan.back();
  };
  const auto with_pipelines = [&](std::vector<std::string> command) {
    for (const std::string& pipeline : options.pipelines)
      command.insert(command.end(), {"--pipeline", pipeline});
    return command;
  };

  Unit& check = add(UnitKind::check, "", "check.json", declared.check);
  check.command = with_pipelines({gvf, "check", "--output", part_file(check).string()});
  if (options.quick) check.command.emplace_back("--quick");

  Unit& machine = add(UnitKind::machine, "", "machine.json", declared.machine);
  machine.command = {gvf, "calibrate", "--output", part_file(machine).string()};

  for (const std::string& pipeline : options.pipelines) {
    const fs::path file = pipeline + ".json";
    for (const bool from_device : {false, true}) {
      Unit& bench = add(UnitKind::bench, pipeline,
                        from_device ? "bench" / fs::path(pipeline + ".from_device.json") : "bench" / file,
                        from_device ? declared.bench_from_device : declared.bench);
      bench.from_device = from_device;
      bench.command = {options.gvf_bench.string(), fmt::format("--benchmark_filter=^{}/", pipeline),
                       "--benchmark_out=" + part_file(bench).string(), "--benchmark_out_format=json",
                       from_device ? "--gvf_launched_from=device" : "--gvf_launched_from=host"};
      if (options.quick) bench.command.emplace_back("--gvf_quick");
    }

    Unit& attribution = add(UnitKind::attribution, pipeline, "attribution" / file, declared.attribution);
    attribution.command = {gvf,
                           "attribute",
                           "--pipeline",
                           pipeline,
                           "--output",
                           part_file(attribution).string(),
                           "--timeline-dir",
                           (options.output / "timeline").string()};
    if (options.quick) attribution.command.emplace_back("--quick");
  }

  for (const auto& [kind, name, seconds] : {std::tuple{UnitKind::steps, "steps", declared.steps},
                                            {UnitKind::lifecycle, "lifecycle", declared.lifecycle}}) {
    Unit& unit = add(kind, "", fmt::format("{}.json", name), seconds);
    unit.command = {gvf, name, "--output", part_file(unit).string()};
    if (options.quick) unit.command.emplace_back("--quick");
  }
  return plan;
}

fs::path part_file(const Unit& unit) {
  return unit.file.string() + ".part";
}

bool is_finished(const Unit& unit) {
  if (!fs::exists(unit.file)) return false;
  try {
    switch (unit.kind) {
      case UnitKind::check:
        static_cast<void>(read_json(unit.file, ""));
        break;
      case UnitKind::machine:
        static_cast<void>(load_machine(unit.file));
        break;
      case UnitKind::bench:
        static_cast<void>(load_bench(unit.file));
        break;
      case UnitKind::attribution:
        static_cast<void>(load_attribution(unit.file));
        break;
      case UnitKind::steps:
        static_cast<void>(load_steps(unit.file));
        break;
      case UnitKind::lifecycle:
        static_cast<void>(load_lifecycle(unit.file));
        break;
    }
    return true;
  } catch (const BadInput&) {
    return false;
  }
}

std::string recorded_failure(const Unit& unit) {
  if (unit.kind == UnitKind::check) {
    const nlohmann::json file = read_json(unit.file, "remove it");
    const auto& rows = file.value("rows", nlohmann::json::array());
    const auto failed = std::count_if(rows.begin(), rows.end(), [](const nlohmann::json& row) {
      return row.value("verdict", "") == to_string(GateStatus::failed);
    });
    if (failed > 0) return fmt::format("{} of {} checks failed", failed, rows.size());
  }
  if (unit.kind == UnitKind::bench) {
    const auto rows = load_bench(unit.file);
    const auto failed = std::count_if(rows.begin(), rows.end(), [](const BenchRow& row) {
      return !row.fault.empty() && row.fault.find("not applicable") == std::string::npos;
    });
    if (failed > 0) return fmt::format("{} of {} rows are errors", failed, rows.size());
  }
  return {};
}

void Pace::add(const Unit& unit, double elapsed) {
  declared_done += unit.seconds;
  elapsed_done += elapsed;
}

double Pace::remaining(double declared_pending, double declared_running, double elapsed_running) const {
  const double factor = declared_done > 0 ? elapsed_done / declared_done : 1;
  // A unit that takes longer than expected is about to end, for all that is known.
  const double of_running = std::max(0.0, factor * declared_running - elapsed_running);
  return factor * declared_pending + of_running;
}

std::string duration_text(double seconds) {
  const auto whole = static_cast<long>(std::llround(std::max(0.0, seconds)));
  if (whole < 90) return fmt::format("{} s", whole);
  const long minutes = (whole + 30) / 60;
  if (minutes < 60) return fmt::format("{} min", minutes);
  return fmt::format("{} h {:02} min", minutes / 60, minutes % 60);
}

}  // namespace gvf::study
