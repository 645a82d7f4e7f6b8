// Implements study/recordings/recording.hpp.
#include "study/recordings/recording.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <map>
#include <system_error>

#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/recordings/lifecycle_tables.hpp"
#include "study/recordings/step_tables.hpp"

namespace gvf::study {

namespace fs = std::filesystem;
using nlohmann::json;

namespace {

constexpr std::string_view measure_again =
    "delete it and run `gvf study --resume --output DIR` again, or replay another recording";

// Runs `read` and turns what nlohmann throws about types into BadInput with the file.
template <class Read>
auto guarded(const std::string& file, Read&& read) {
  try {
    return read();
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: {}; {}", file, error.what(), measure_again));
  }
}

// Files of folder/part with this extension, by name.
std::vector<fs::path> files_of(const fs::path& folder, const char* part, const char* extension) {
  std::vector<fs::path> files;
  std::error_code error;
  for (fs::directory_iterator entry(folder / part, error), end; !error && entry != end;
       entry.increment(error)) {
    if (entry->path().extension() == extension) files.push_back(entry->path());
  }
  std::sort(files.begin(), files.end());
  return files;
}

// A whole number, written as one or as text.
std::int64_t whole_at(const json& object, const char* key, const std::string& file) {
  const std::string text = text_at(object, key, file);
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size())
    throw BadInput(fmt::format("{}: '{}' is no whole number: {}", file, key, text));
  return value;
}

// The file, when `tables` can show it.
json shown_by(Document (*tables)(const json&), const fs::path& file) {
  json in = read_json(file, measure_again);
  guarded(file.string(), [&] { static_cast<void>(tables(in)); });
  return in;
}

// Of chain.json and chain.from_device.json: chain.
std::string pipeline_of(const fs::path& file) {
  const std::string name = file.filename().string();
  return name.substr(0, name.find('.'));
}

void require_pipeline(const RowName& name, const fs::path& file) {
  if (name.pipeline != pipeline_of(file))
    throw BadInput(fmt::format("{}: holds rows of pipeline '{}'; the file should be named {}.json",
                               file.string(), name.pipeline, name.pipeline));
}

}  // namespace

json to_json(const Provenance& p) {
  json out = {{"gpu", p.gpu},
              {"driver", p.driver},
              {"runtime", p.runtime},
              {"cupti", p.cupti},
              {"git_commit", p.git_commit},
              {"sources_hash", p.sources_hash},
              {"date", p.date},
              {"cpu", p.cpu},
              {"matrix", p.matrix},
              {"labels", p.labels}};
  if (p.l2_bytes) out["l2_bytes"] = *p.l2_bytes;
  return out;
}

Provenance provenance_from_json(const json& in, const std::string& file) {
  Provenance p;
  p.gpu = text_at(in, "gpu", file);
  p.driver = text_at(in, "driver", file);
  p.runtime = text_at(in, "runtime", file);
  p.cupti = text_at(in, "cupti", file);
  p.git_commit = text_at(in, "git_commit", file);
  p.sources_hash = text_at(in, "sources_hash", file);
  p.date = text_at(in, "date", file);
  return guarded(file, [&] {
    p.cpu = in.value("cpu", "");
    p.matrix = in.value("matrix", json::object());
    p.labels = in.value("labels", p.labels);
    if (in.contains("l2_bytes")) p.l2_bytes = whole_at(in, "l2_bytes", file);
    return p;
  });
}

std::vector<BenchRow> load_bench(const fs::path& file) {
  const json in = read_json(file, measure_again);
  std::vector<BenchRow> rows = guarded(file.string(), [&] { return bench_rows(in, file.string()); });
  for (const BenchRow& row : rows) require_pipeline(row.name, file);
  if (rows.empty()) throw BadInput(fmt::format("{}: holds no rows; {}", file.string(), measure_again));
  return rows;
}

std::vector<AttributedRow> load_attribution(const fs::path& file) {
  const json in = read_json(file, measure_again);
  const auto rows = profiling::rows_from_json(in);
  if (!rows) throw BadInput(fmt::format("{}: {}; {}", file.string(), rows.reason().text, measure_again));
  std::vector<AttributedRow> named;
  for (const profiling::AttributionRow& row : *rows) {
    const auto name = parse_row_name(row.name);
    if (!name)
      throw BadInput(
          fmt::format("{}: rows[{}]: '{}' is no row name: expected pipeline/structure/submission/n:N",
                      file.string(), named.size(), row.name));
    require_pipeline(*name, file);
    named.push_back({*name, row});
  }
  return named;
}

MachineCeilings load_machine(const fs::path& file) {
  const json in = read_json(file, "run `gvf calibrate --output` again");
  if (!in.is_object()) throw BadInput(fmt::format("{}: is not a JSON object", file.string()));
  const auto ceiling = [&](const char* key) -> std::optional<double> {
    const auto found = in.find(key);
    if (found == in.end() || found->is_null()) return std::nullopt;
    if (!found->is_number() || !std::isfinite(found->get<double>()) || found->get<double>() <= 0)
      throw BadInput(fmt::format("{}: '{}' is no positive number; run `gvf calibrate --output` again",
                                 file.string(), key));
    return found->get<double>();
  };
  MachineCeilings machine{
      ceiling("read_gbps"), ceiling("write_gbps"), ceiling("copy_gbps"), ceiling("l2_read_gbps"), {}, {}, {}};
  machine.missing = guarded(file.string(), [&] { return in.value("missing", machine.missing); });
  machine.instruments = in.value("instruments", json());
  machine.l2_knee = in.value("l2_knee", json());
  if (!machine.read_gbps && !machine.copy_gbps && machine.missing.empty())
    throw BadInput(fmt::format("{}: has neither 'read_gbps' nor 'copy_gbps': is it a machine.json of gvf?",
                               file.string()));
  return machine;
}

json load_steps(const fs::path& file) {
  return shown_by(&step_tables, file);
}

json load_lifecycle(const fs::path& file) {
  return shown_by(&lifecycle_tables, file);
}

Recording load_recording(const fs::path& folder) {
  if (!fs::is_directory(folder))
    throw BadInput(fmt::format(
        "{}: no such folder; a recording is the folder that `gvf study --output` wrote", folder.string()));
  Recording recording;
  recording.folder = folder;
  const fs::path study = folder / "study.json";
  if (!fs::exists(study))
    throw BadInput(fmt::format("{}: has no study.json, so it is no recording of gvf", folder.string()));
  recording.provenance = provenance_from_json(read_json(study, "replay another recording"), study.string());

  std::map<std::string, PipelineRecording> pipelines;
  for (const fs::path& file : files_of(folder, "bench", ".json")) {
    std::vector<BenchRow>& rows = pipelines[pipeline_of(file)].bench;
    for (BenchRow& row : load_bench(file)) rows.push_back(std::move(row));
  }
  if (pipelines.empty())
    throw BadInput(fmt::format("{}: holds no bench/*.json, so there is nothing to show; {}", folder.string(),
                               "run `gvf study --resume --output` on it"));
  for (const fs::path& file : files_of(folder, "attribution", ".json"))
    pipelines[file.stem().string()].attribution = load_attribution(file);
  for (auto& [name, pipeline] : pipelines) {
    pipeline.name = name;
    if (pipeline.bench.empty())
      recording.missing.push_back(fmt::format("{}: no timing (bench/{}.json)", name, name));
    if (pipeline.attribution.empty())
      recording.missing.push_back(fmt::format("{}: no attribution (attribution/{}.json)", name, name));
    recording.pipelines.push_back(std::move(pipeline));
  }

  if (fs::exists(folder / "machine.json")) {
    recording.machine = load_machine(folder / "machine.json");
    for (const auto& [pass, reason] : recording.machine->missing)
      recording.missing.push_back(fmt::format("machine.json lacks {}: {}", pass, reason));
  } else {
    recording.missing.push_back("no machine ceilings (machine.json): rates are not compared with them");
  }
  if (fs::exists(folder / "check.json"))
    recording.check = read_json(folder / "check.json", measure_again);
  else
    recording.missing.push_back("no results of the correctness check (check.json)");
  if (fs::exists(folder / "steps.json"))
    recording.steps = load_steps(folder / "steps.json");
  else
    recording.missing.push_back("no costs of a step (steps.json)");
  if (fs::exists(folder / "lifecycle.json"))
    recording.lifecycle = load_lifecycle(folder / "lifecycle.json");
  else
    recording.missing.push_back("no life-cycle costs of graphs (lifecycle.json)");
  recording.timelines = files_of(folder, "timeline", ".json");
  return recording;
}

std::optional<fs::path> find_source_tree(const fs::path& wanted) {
  std::error_code error;
  const fs::path executable = fs::read_symlink("/proc/self/exe", error);
  for (const fs::path& start : {fs::current_path(error), executable.parent_path()}) {
    for (fs::path place = start; !place.empty(); place = place.parent_path()) {
      if (fs::exists(place / wanted, error)) return place;
      if (place == place.root_path()) break;
    }
  }
  return std::nullopt;
}

std::optional<fs::path> newest_study_in(const fs::path& folder) {
  std::optional<fs::path> newest;
  std::string newest_date;
  std::error_code error;
  for (fs::directory_iterator entry(folder, error), end; !error && entry != end; entry.increment(error)) {
    const fs::path study = entry->path() / "study.json";
    if (!fs::exists(study)) continue;
    const std::string date = text_at(read_json(study, "remove that folder"), "date", study.string());
    if (!newest || date > newest_date) {
      newest = entry->path();
      newest_date = date;
    }
  }
  return newest;
}

fs::path newest_recording(const fs::path& root) {
  const fs::path recordings = root / "docs" / "recordings";
  if (const auto newest = newest_study_in(recordings)) return *newest;
  throw MachineLacks(
      fmt::format("there is no recording under {}; give one with --replay DIR", recordings.string()));
}

std::string stale_note(const Provenance& provenance, const std::string& sources_hash) {
  if (sources_hash.empty() || sources_hash == "unknown" || provenance.sources_hash == "unknown") return {};
  if (provenance.sources_hash == sources_hash) return {};
  return fmt::format(
      "Stale: recorded with other device sources ({} there, {} here); measure again for figures of "
      "this code",
      provenance.sources_hash.substr(0, 12), sources_hash.substr(0, 12));
}

}  // namespace gvf::study
