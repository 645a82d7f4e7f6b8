// Which problems a command works on: the options that every command shares, checked before anything runs.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "study/catalog.hpp"

namespace CLI {
class App;
}

namespace gvf::study {

struct Selection {
  std::vector<std::string> pipelines;    // empty: all
  std::vector<std::string> structures;   // empty: all
  std::vector<std::string> submissions;  // empty: all
  std::vector<std::string> sizes;        // empty: the command's own
  std::vector<std::string> stages;       // k; empty: the pipeline's own
  std::vector<std::string> repeats;      // r; empty: the submission's own
  std::string launched_from;             // "host" or "device"; empty: both
};

// Adds --pipeline, --structure, --submission, -n/--size, -k/--stages, -r/--repeats and --launched-from to a
// command.
void add_selection_options(CLI::App& command, Selection& selection);

// "1048576", "2^20" or "2^20+7" -> elements. Throws BadInput unless 1 <= n <= 2^31.
[[nodiscard]] std::int64_t parse_size(std::string_view text);

// Throws BadInput unless 1 <= k <= the pipeline's largest.
[[nodiscard]] int parse_stages(std::string_view text, const Pipeline& pipeline);

// Throws BadInput unless 1 <= r <= 1024.
[[nodiscard]] int parse_repeats(std::string_view text);

[[nodiscard]] std::vector<const Pipeline*> selected_pipelines(const Selection& selection);
[[nodiscard]] std::vector<Structure> selected_structures(const Selection& selection);
[[nodiscard]] std::vector<const SubmissionKind*> selected_submissions(const Selection& selection);

// Throws BadInput where --submission and --launched-from leave none.
void require_submissions(const Selection& selection);

// Whether a process that was asked for this builds this submission of a problem.
[[nodiscard]] bool is_wanted(const Selection& selection, const SubmissionKind& submission,
                             const Problem& problem);

// The parts of `selection` that processes of their own must measure: what the host launches, then what the
// device does. Those that select no submission are left out.
[[nodiscard]] std::vector<Selection> by_launching_side(const Selection& selection);

// Those to attribute at one size: what was asked for, else what there is time for.
[[nodiscard]] std::vector<const SubmissionKind*> submissions_for(const Selection& selection,
                                                                 const Problem& problem);

// Whether sizes, stages or repeats were asked for.
[[nodiscard]] bool chooses_problems(const Selection& selection);

// The problems of `pipeline`: sizes x stages x repeats, `default_sizes` and `default_stages` where none were
// asked for. Stages asked for do not concern a pipeline that has none, unless it was asked for by name: then
// they are BadInput.
[[nodiscard]] std::vector<Problem> selected_problems(const Selection& selection, const Pipeline& pipeline,
                                                     const std::vector<std::int64_t>& default_sizes,
                                                     const std::vector<int>& default_stages);

}  // namespace gvf::study
