// `gvf study`: checks, measures and explains everything, one process and one file a unit; without a GPU it
// replays a recording.
#include <fmt/chrono.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <csignal>
#include <ctime>
#include <filesystem>
#include <memory>
#include <optional>
#include <variant>

#include "core/error.hpp"
#include "study/catalog.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/io/output.hpp"
#include "study/io/subprocess.hpp"
#include "study/measure/provenance.hpp"
#include "study/recordings/study_output.hpp"

namespace gvf::study {

namespace fs = std::filesystem;

namespace {

struct Options {
  bool quick = false;
  bool resume = false;
  bool json = false;
  bool markdown = false;
  std::vector<std::string> pipelines;
  std::string output;
  std::string replay;

  [[nodiscard]] TableFormat format() const {
    if (json) return TableFormat::json;
    return markdown ? TableFormat::markdown : TableFormat::text;
  }
};

std::vector<std::string> chosen_pipelines(const Options& options) {
  std::vector<std::string> names = options.pipelines;
  for (const std::string& name : names) static_cast<void>(find_pipeline(name));
  if (names.empty()) {
    for (const Pipeline& pipeline : catalog()) names.emplace_back(pipeline.name);
  }
  return names;
}

int replay(const Options& options, const fs::path& folder, const std::string& reason) {
  Recording recording = load_recording(folder);
  if (!options.pipelines.empty()) {
    std::erase_if(recording.pipelines, [&](const PipelineRecording& pipeline) {
      return std::find(options.pipelines.begin(), options.pipelines.end(), pipeline.name) ==
             options.pipelines.end();
    });
    if (recording.pipelines.empty())
      throw BadInput(fmt::format("{} holds none of the chosen pipelines", folder.string()));
  }
  const fs::path output = options.output.empty() ? "results/replay" : options.output;
  require_writable_folder(output);
  const Provenance& p = recording.provenance;
  publish(recording, output, options.format(),
          fmt::format("Replaying the recording of {}, {}, commit {}: {}", p.gpu, p.date,
                      p.git_commit.substr(0, 12), reason));
  return exit_done;
}

fs::path output_folder(const Options& options) {
  if (!options.output.empty()) return options.output;
  if (options.resume) {
    if (const auto newest = newest_study_in("results")) return *newest;
    throw BadInput("there is no study to resume under results/; name its folder with --output");
  }
  return fmt::format("results/{:%Y-%m-%d-%H%M%S}", fmt::localtime(std::time(nullptr)));
}

// study.json to go on with: the existing one when resuming, else a new one.
nlohmann::json begin_study(const Options& options, const Device& device,
                           const std::vector<std::string>& pipelines, const fs::path& output) {
  const fs::path file = output / "study.json";
  nlohmann::json wanted = new_study_json(device, options.quick, pipelines);
  if (!fs::exists(file)) return wanted;
  if (!options.resume)
    throw BadInput(fmt::format("{} holds a study; continue it with --resume or choose another --output",
                               output.string()));
  nlohmann::json existing = read_json(file, "choose another --output");
  static_cast<void>(provenance_from_json(existing, file.string()));
  if (const std::string why = why_not_resumable(existing, wanted); !why.empty())
    throw BadInput(fmt::format("cannot resume {}: {}; choose another --output", output.string(), why));
  existing["matrix"]["pipelines"] = pipelines;
  return existing;
}

int measure(const Options& options, const Device& device) {
  require_release_build();
  const std::vector<std::string> pipelines = chosen_pipelines(options);
  const fs::path output = output_folder(options);
  require_writable_folder(output);
  nlohmann::json study = begin_study(options, device, pipelines, output);
  const std::string study_file = (output / "study.json").string();
  write_file(study_file, study.dump(1) + "\n");

  const std::vector<Unit> plan =
      study_plan({options.quick, pipelines, output, sibling_program("gvf"), sibling_program("gvf-bench")});
  StudyReport report;
  {
    const InterruptGuard guard;
    report =
        run_study(plan, options.resume, process_hooks(output, [](const std::string& line) { note(line); }));
  }
  add_report(study, report);
  write_file(study_file, study.dump(1) + "\n");
  for (const std::string& label : report.labels) note(label);
  if (report.interrupted) {
    note(fmt::format("interrupted; what is finished is kept. Continue with: gvf study --resume --output {}{}",
                     output.string(), options.quick ? " --quick" : ""));
    return exit_interrupted;
  }
  const bool has_timing = std::any_of(plan.begin(), plan.end(), [](const Unit& unit) {
    return unit.kind == UnitKind::bench && fs::exists(unit.file);
  });
  if (!has_timing) {
    note(fmt::format("nothing was timed, so there are no tables; the logs are in {}",
                     (output / "log").string()));
    return report.something_failed ? exit_check_failed : exit_machine_lacks;
  }
  publish(load_recording(output), output, options.format(), "");
  return report.something_failed ? exit_check_failed : exit_done;
}

int study(const Options& options) {
  static_cast<void>(chosen_pipelines(options));
  if (!options.replay.empty()) return replay(options, options.replay, "asked for with --replay");
  const std::variant<Device, NoDevice> probed = probe_device();
  if (const NoDevice* none = std::get_if<NoDevice>(&probed)) {
    if (options.resume) throw MachineLacks("a study cannot be resumed here: " + none->reason);
    const std::optional<fs::path> tree = find_source_tree();
    if (!tree)
      throw MachineLacks(
          fmt::format("{}; and no docs/recordings/ above this folder or the program to replay: give one "
                      "with --replay DIR",
                      none->reason));
    return replay(options, newest_recording(*tree), none->reason);
  }
  // The probe made a context; the children's must be the only ones while they measure.
  release_device();
  return measure(options, std::get<Device>(probed));
}

}  // namespace

void add_study(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand(
      "study", "Check, time and explain everything; without a GPU, replay the newest recording");
  const auto options = std::make_shared<Options>();
  command->add_flag("--quick", options->quick, "Fewer sizes, fewer stages");
  command->add_option("-p,--pipeline", options->pipelines, "Only these (default: all)");
  command->add_option("-o,--output", options->output,
                      "Folder for the recording (default: results/<date-time>, results/replay for a replay)");
  command->add_flag("--resume", options->resume, "Continue an interrupted study: keep its finished files");
  command->add_option("--replay", options->replay, "Show this recording instead of measuring");
  CLI::Option* json = command->add_flag("--json", options->json, "Print JSON");
  command->add_flag("--markdown", options->markdown, "Print Markdown")->excludes(json);
  command->callback([&run, options] { run = [options] { return study(*options); }; });
}

}  // namespace gvf::study
