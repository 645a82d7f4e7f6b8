// A recording: the files of one study on one GPU, loaded and validated. Everything that tables, report and
// replay show comes from here.
#pragma once

#include <cstdint>
#include <filesystem>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/attribution_json.hpp"
#include "study/recordings/bench_rows.hpp"

namespace gvf::study {

// study.json.
struct Provenance {
  std::string gpu, driver, runtime, cupti, git_commit, sources_hash, date, cpu;
  std::optional<std::int64_t> l2_bytes;
  nlohmann::json matrix;            // what was run, as the study wrote it
  std::vector<std::string> labels;  // what a reader must know: parts that are missing, throttling, ...
};

[[nodiscard]] nlohmann::json to_json(const Provenance& provenance);
[[nodiscard]] Provenance provenance_from_json(const nlohmann::json& json, const std::string& file);

// machine.json: measured ceilings in GB/s, 10^9 bytes a second. All positive.
struct MachineCeilings {
  std::optional<double> read_gbps, write_gbps, copy_gbps, l2_read_gbps;
  std::map<std::string, std::string> missing;  // pass -> why this machine lacks it
  nlohmann::json instruments = {};             // what each costs, as machine.json has it; null: not measured
  nlohmann::json l2_knee = {};                 // the same
};

// A row of attribution/<pipeline>.json with its name taken apart.
struct AttributedRow {
  RowName name;
  profiling::AttributionRow row;
};

struct PipelineRecording {
  std::string name;
  std::vector<BenchRow> bench;
  std::vector<AttributedRow> attribution;
};

struct Recording {
  std::filesystem::path folder;
  Provenance provenance;
  std::optional<MachineCeilings> machine;
  nlohmann::json check, steps, lifecycle;    // those files as they are; null when absent
  std::vector<PipelineRecording> pipelines;  // by name
  std::vector<std::string> missing;          // one line for each part that is not there
  std::vector<std::filesystem::path> timelines;
};

// Throws BadInput: the file, where in it, and what to do. Absent parts other than study.json and bench/ are
// listed in `missing`.
[[nodiscard]] Recording load_recording(const std::filesystem::path& folder);

// Parts of a recording, for those who need one file.
[[nodiscard]] std::vector<BenchRow> load_bench(const std::filesystem::path& file);
[[nodiscard]] std::vector<AttributedRow> load_attribution(const std::filesystem::path& file);
[[nodiscard]] MachineCeilings load_machine(const std::filesystem::path& file);
[[nodiscard]] nlohmann::json load_steps(const std::filesystem::path& file);
[[nodiscard]] nlohmann::json load_lifecycle(const std::filesystem::path& file);

// The first of cwd, the executable's folder and the folders above each that holds `wanted`: the source tree.
[[nodiscard]] std::optional<std::filesystem::path> find_source_tree(
    const std::filesystem::path& wanted = "docs/recordings");

// The folder in `folder` whose study.json has the latest date; nothing where none has one.
[[nodiscard]] std::optional<std::filesystem::path> newest_study_in(const std::filesystem::path& folder);

// The folder under root/docs/recordings whose study.json has the latest date. Throws MachineLacks where there
// is none.
[[nodiscard]] std::filesystem::path newest_recording(const std::filesystem::path& root);

// One line when the recording was made by other device sources than `sources_hash`; empty when not, or
// unknown.
[[nodiscard]] std::string stale_note(const Provenance& provenance, const std::string& sources_hash);

}  // namespace gvf::study
