// What a study leaves behind besides measurements: study.json, the tables on stdout and as files, the figure.
#pragma once

#include <filesystem>
#include <string>

#include "core/device.hpp"
#include "study/recordings/recording.hpp"
#include "study/recordings/study_run.hpp"
#include "study/recordings/tables.hpp"

namespace gvf::study {

enum class TableFormat { text, markdown, json };

// The provenance of a study that starts now on `device`, with everything that study/measure/provenance.hpp
// knows.
[[nodiscard]] nlohmann::json new_study_json(const Device& device, bool quick,
                                            const std::vector<std::string>& pipelines);

// Adds what became of the units and the labels.
void add_report(nlohmann::json& study, const StudyReport& report);

// Why the study in `existing` cannot be continued as `wanted` (GPU, device sources, depth); empty when it
// can.
[[nodiscard]] std::string why_not_resumable(const nlohmann::json& existing, const nlohmann::json& wanted);

// Writes tables.md, tables.txt and, where Python has matplotlib, answer.svg into `folder`; prints the tables.
// `opening` is the first line of what is printed, or empty.
void publish(const Recording& recording, const std::filesystem::path& folder, TableFormat format,
             const std::string& opening);

}  // namespace gvf::study
