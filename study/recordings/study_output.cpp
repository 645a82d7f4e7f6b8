// Implements study/recordings/study_output.hpp.
#include "study/recordings/study_output.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <fstream>
#include <optional>
#include <system_error>

#include "gvf_git.hpp"
#include "profiling/cupti_api.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/io/subprocess.hpp"
#include "study/measure/provenance.hpp"

namespace gvf::study {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

// "13.0.1" of 130001; or why there is none.
std::string cupti_version() {
  const auto api = profiling::load_cupti();
  if (!api) return fmt::format("none ({})", profiling::to_string(api.reason().kind));
  const std::uint32_t version = api->version;
  return fmt::format("{}.{}.{}", version / 10000, version / 100 % 100, version % 100);
}

// The figure needs Python with matplotlib; without them the study is complete all the same.
void draw_figure(const Recording& recording, const fs::path& folder) {
  const std::optional<fs::path> tree = find_source_tree("report/figure.py");
  if (!tree) return;
  const fs::path log = folder / "figure.err.txt";
  std::error_code ignored;
  std::string problem;
  try {
    ProcessOptions options;
    options.stderr_file = log;
    options.stdout_file = "/dev/null";
    const ProcessEnd end = run_process({"python3", (*tree / "report" / "figure.py").string(),
                                        recording.folder.string(), (folder / "answer.svg").string()},
                                       options);
    std::ifstream in(log);
    for (std::string line; std::getline(in, line);) problem = line;
    if (end.exit_code == 0)
      problem.clear();
    else if (problem.empty())
      problem = fmt::format("report/figure.py ended with exit code {}", end.exit_code);
  } catch (const MachineLacks& error) {
    problem = error.what();
  }
  fs::remove(log, ignored);
  if (!problem.empty()) note("no figure: " + problem);
}

void print(const std::string& text) {
  std::fwrite(text.data(), 1, text.size(), stdout);
}

}  // namespace

json new_study_json(const Device& device, bool quick, const std::vector<std::string>& pipelines) {
  json study = provenance(device);
  study["l2_bytes"] = device.l2_bytes;
  study["cupti"] = cupti_version();
  study["sources_hash"] = build::sources_hash;
  study["date"] = utc_now();
  study["matrix"] = {{"quick", quick}, {"pipelines", pipelines}};
  study["labels"] = json::array();
  return study;
}

void add_report(json& study, const StudyReport& report) {
  study["labels"] = report.labels;
  if (report.interrupted) study["labels"].push_back("interrupted: not all units were run");
  json units = json::array();
  for (const UnitReport& unit : report.units)
    units.push_back({{"name", unit.name}, {"status", to_string(unit.status)}, {"seconds", unit.seconds}});
  study["matrix"]["units"] = std::move(units);
}

std::string why_not_resumable(const json& existing, const json& wanted) {
  const auto differs = [&](const char* key) {
    return existing.value(key, json()) != wanted.value(key, json());
  };
  if (differs("gpu"))
    return fmt::format("it was measured on {}, this is {}", existing.value("gpu", "an unknown GPU"),
                       wanted.value("gpu", ""));
  if (differs("sources_hash")) return "it was measured with other device sources";
  const auto quick = [](const json& study) {
    return study.value("matrix", json::object()).value("quick", false);
  };
  if (quick(existing) != quick(wanted))
    return quick(existing) ? "it is a quick study" : "it is a full study, not a quick one";
  return {};
}

void publish(const Recording& recording, const fs::path& folder, TableFormat format,
             const std::string& opening) {
  TableOptions options;
  options.sources_hash = build::sources_hash;
  const Document tables = study_tables(recording, options);
  const std::string markdown = to_markdown(tables);
  const std::string text = to_text(tables);
  write_file((folder / "tables.md").string(), markdown);
  write_file((folder / "tables.txt").string(), text);
  draw_figure(recording, folder);

  if (format == TableFormat::json) {
    json out = {{"provenance", to_json(recording.provenance)}, {"tables", to_json(tables)}};
    if (!opening.empty()) out["replaying"] = opening;
    print(out.dump(1) + "\n");
    return;
  }
  if (!opening.empty()) print(opening + "\n\n");
  print(format == TableFormat::markdown ? markdown : text);
  note(fmt::format("tables are in {}", folder.string()));
}

}  // namespace gvf::study
