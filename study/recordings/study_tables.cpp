// The whole document of study/recordings/tables.hpp: provenance, machine, then every pipeline and size.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <optional>
#include <set>
#include <string_view>
#include <utility>
#include <vector>

#include "study/measure/gate.hpp"
#include "study/recordings/answer.hpp"
#include "study/recordings/lifecycle_tables.hpp"
#include "study/recordings/step_tables.hpp"
#include "study/recordings/tables.hpp"

namespace gvf::study {

namespace {

std::string text_of(const nlohmann::json& object, const char* key) {
  const auto found = object.find(key);
  return found != object.end() && found->is_string() ? found->get<std::string>() : std::string();
}

// The first version number in a text: drivers introduce themselves with a sentence.
std::string version_in(const std::string& text) {
  constexpr std::string_view digits = "0123456789";
  for (std::size_t begin = text.find_first_of(digits); begin != std::string::npos;
       begin = text.find_first_of(digits, begin)) {
    const std::size_t end = std::min(text.find_first_not_of("0123456789.", begin), text.size());
    const std::string word = text.substr(begin, end - begin);
    if (word.find('.') != std::string::npos) return word;
    begin = end;
  }
  return text;
}

// What the check found besides success: variants that failed, and why others are not applicable.
std::vector<std::string> check_lines(const nlohmann::json& check, const std::string& pipeline) {
  std::vector<std::string> lines;
  std::set<std::string> seen;
  if (!check.is_object() || !check.contains("rows") || !check["rows"].is_array()) return lines;
  for (const nlohmann::json& row : check["rows"]) {
    const std::string verdict = text_of(row, "verdict");
    const std::optional<RowName> name = parse_row_name(text_of(row, "name"));
    if (!name || name->pipeline != pipeline || verdict == to_string(GateStatus::passed) || verdict.empty())
      continue;
    const std::string reason = text_of(row, "detail");
    std::string line = verdict == to_string(GateStatus::failed)
                           ? fmt::format("{}: failed the check: {}", text_of(row, "name"), reason)
                           : fmt::format("{}: {}: {}", name->label(), verdict, reason);
    if (seen.insert(line).second) lines.push_back(std::move(line));
  }
  return lines;
}

// Remarks that say the same of several rows, "WHAT of ROW: REASON", as one line.
std::vector<std::string> grouped(const std::vector<std::string>& remarks) {
  constexpr std::string_view of = " of ";
  std::vector<std::pair<std::string, std::vector<std::string>>>
      groups;  // the line with {} for rows; the rows
  for (const std::string& remark : remarks) {
    const std::size_t begin = remark.find(of);
    const std::size_t end = begin == std::string::npos ? begin : remark.find(": ", begin);
    const std::string row =
        end == std::string::npos ? std::string() : remark.substr(begin + of.size(), end - begin - of.size());
    const bool names_a_row = parse_row_name(row).has_value();
    std::string line = names_a_row ? remark.substr(0, begin + of.size()) + "{}" + remark.substr(end) : remark;
    const auto same =
        std::find_if(groups.begin(), groups.end(), [&](const auto& g) { return g.first == line; });
    if (same == groups.end()) {
      groups.push_back({std::move(line), {row}});
    } else if (names_a_row) {
      same->second.push_back(row);
    }
  }
  std::vector<std::string> lines;
  for (const auto& [line, rows] : groups) {
    const std::size_t place = line.find("{}");
    if (place == std::string::npos) {
      lines.push_back(line);
      continue;
    }
    const std::string which =
        rows.size() == 1 ? rows.front() : fmt::format("{} rows ({}, ...)", rows.size(), rows.front());
    lines.push_back(line.substr(0, place) + which + line.substr(place + 2));
  }
  return lines;
}

void add_size(Document& document, const MeasuredSize& size, const Recording& recording,
              const TableOptions& options) {
  document.push_back(Heading{4, fmt::format("n = {}", size_text(size.n))});
  document.push_back(answer_table(size));
  const auto add_unless_empty = [&](Table table) {
    if (!table.rows.empty()) document.push_back(std::move(table));
  };
  add_unless_empty(attribution_table(size));
  add_unless_empty(split_table(size));
  add_unless_empty(counter_table(size));
  add_unless_empty(ceiling_table(size, recording, options.traffic));
}

void add_pipeline(Document& document, const PipelineRecording& pipeline, const Recording& recording,
                  const TableOptions& options) {
  document.push_back(Heading{2, pipeline.name});
  const std::vector<MeasuredSize> sizes = measured_sizes(pipeline, recording);
  for (std::size_t first = 0; first < sizes.size();) {
    std::size_t last = first;
    while (last < sizes.size() && sizes[last].k == sizes[first].k) ++last;
    const std::vector<MeasuredSize> of_k(sizes.begin() + static_cast<std::ptrdiff_t>(first),
                                         sizes.begin() + static_cast<std::ptrdiff_t>(last));
    const std::string title =
        of_k[0].k > 0 ? fmt::format("{}, k = {}", pipeline.name, of_k[0].k) : pipeline.name;
    if (of_k[0].k > 0) document.push_back(Heading{3, title});
    document.push_back(Paragraph{pipeline_sentence(title, of_k)});
    Bullets bullets;
    for (const MeasuredSize& size : of_k)
      bullets.lines.push_back(fmt::format("n = {}: {}", size_text(size.n), size_sentence(evidence_of(size))));
    document.push_back(std::move(bullets));
    for (const MeasuredSize& size : of_k) add_size(document, size, recording, options);
    first = last;
  }
  if (const std::vector<std::string> lines = check_lines(recording.check, pipeline.name); !lines.empty()) {
    document.push_back(Heading{4, "Not in the tables"});
    document.push_back(Bullets{lines});
  }
}

void add_section(Document& document, const char* heading, const nlohmann::json& part,
                 Document (*tables)(const nlohmann::json&)) {
  if (part.is_null()) return;
  document.push_back(Heading{2, heading});
  for (Block& block : tables(part)) document.push_back(std::move(block));
}

}  // namespace

Document study_tables(const Recording& recording, const TableOptions& options) {
  const Provenance& p = recording.provenance;
  Document document;
  document.push_back(Heading{1, "Graphs versus Fusion: " + p.gpu});
  document.push_back(
      Paragraph{fmt::format("Recorded {} at commit {}; driver {}, runtime {}, CUPTI {}; CPU {}.", p.date,
                            p.git_commit.substr(0, 12), version_in(p.driver), p.runtime, p.cupti,
                            p.cpu.empty() ? "unknown" : p.cpu)});
  if (const std::string note = stale_note(p, options.sources_hash); !note.empty())
    document.push_back(Paragraph{note + "."});
  std::vector<std::string> remarks = p.labels;
  remarks.insert(remarks.end(), recording.missing.begin(), recording.missing.end());
  if (!remarks.empty()) document.push_back(Bullets{grouped(remarks)});
  if (recording.machine) {
    document.push_back(machine_table(*recording.machine));
    for (Table table : {knee_table(*recording.machine), instrument_table(*recording.machine)}) {
      if (!table.rows.empty()) document.push_back(std::move(table));
    }
  }
  for (const PipelineRecording& pipeline : recording.pipelines)
    add_pipeline(document, pipeline, recording, options);
  add_section(document, "What a step costs", recording.steps, &step_tables);
  add_section(document, "What a graph costs over its life", recording.lifecycle, &lifecycle_tables);
  return document;
}

}  // namespace gvf::study
