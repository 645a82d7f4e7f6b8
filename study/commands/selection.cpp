// Implements study/commands/selection.hpp.
#include "study/commands/selection.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <charconv>
#include <optional>

#include "study/exit_code.hpp"
#include "study/measure/matrix.hpp"

namespace gvf::study {
namespace {

constexpr std::int64_t largest_size = std::int64_t{1} << 31;

std::optional<std::int64_t> parse_integer(std::string_view text) {
  std::int64_t value = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (error != std::errc() || end != text.data() + text.size()) return std::nullopt;
  return value;
}

// BASE^EXPONENT, or a plain integer.
std::optional<std::int64_t> parse_power(std::string_view text) {
  const auto caret = text.find('^');
  if (caret == std::string_view::npos) return parse_integer(text);
  const auto base = parse_integer(text.substr(0, caret));
  const auto exponent = parse_integer(text.substr(caret + 1));
  if (!base || !exponent || *base < 1 || *exponent < 0) return std::nullopt;
  std::int64_t value = 1;
  for (std::int64_t i = 0; i < *exponent; ++i) {
    if (value > largest_size) return std::nullopt;
    value *= *base;
  }
  return value;
}

template <class Entry>
std::vector<const Entry*> pointers_to(const std::vector<Entry>& entries) {
  std::vector<const Entry*> pointers;
  for (const Entry& entry : entries) pointers.push_back(&entry);
  return pointers;
}

}  // namespace

void add_selection_options(CLI::App& command, Selection& selection) {
  command.add_option("-p,--pipeline", selection.pipelines, "Pipelines to work on (default: all)");
  command.add_option("--structure", selection.structures, "Structures (default: all)");
  command.add_option("--submission", selection.submissions, "Submissions (default: all)");
  command.add_option("-n,--size", selection.sizes, "Elements, 1 to 2^31: 1048576, 2^20 or 2^20+7");
  command.add_option("-k,--stages", selection.stages,
                     "Stages, for pipelines whose number of stages is an axis");
  command.add_option("-r,--repeats", selection.repeats,
                     "Iterations a launch, for submissions that carry several (graph_unrolled, graph_while, "
                     "graph_device)");
  command
      .add_option("--launched-from", selection.launched_from,
                  "Only submissions whose graphs the host launches, or the device (default: both)")
      ->check(CLI::IsMember({"host", "device"}));
}

std::int64_t parse_size(std::string_view text) {
  std::optional<std::int64_t> value;
  if (const auto plus = text.find('+', 1); plus != std::string_view::npos) {
    const auto base = parse_power(text.substr(0, plus));
    const auto rest = parse_integer(text.substr(plus + 1));
    if (base && rest && *base <= largest_size && *rest >= 0 && *rest <= largest_size) value = *base + *rest;
  } else {
    value = parse_power(text);
  }
  if (!value || *value < 1 || *value > largest_size) {
    throw BadInput(fmt::format(
        "--size {}: not a number of elements from 1 to 2^31; write 1048576, 2^20 or 2^20+7", text));
  }
  return *value;
}

int parse_stages(std::string_view text, const Pipeline& pipeline) {
  const auto value = parse_integer(text);
  if (!value || *value < 1 || *value > pipeline.max_k) {
    throw BadInput(fmt::format("--stages {}: {} takes a number of stages from 1 to {}", text, pipeline.name,
                               pipeline.max_k));
  }
  return static_cast<int>(*value);
}

int parse_repeats(std::string_view text) {
  constexpr int most = 1024;
  const auto value = parse_integer(text);
  if (!value || *value < 1 || *value > most)
    throw BadInput(fmt::format("--repeats {}: not a number of iterations a launch from 1 to {}", text, most));
  return static_cast<int>(*value);
}

std::vector<const Pipeline*> selected_pipelines(const Selection& selection) {
  if (selection.pipelines.empty()) return pointers_to(catalog());
  std::vector<const Pipeline*> chosen;
  for (const std::string& name : selection.pipelines) chosen.push_back(&find_pipeline(name));
  return chosen;
}

std::vector<Structure> selected_structures(const Selection& selection) {
  if (selection.structures.empty()) return {all_structures.begin(), all_structures.end()};
  std::vector<Structure> chosen;
  for (const std::string& name : selection.structures) {
    const auto structure = parse_structure(name);
    if (!structure) {
      std::vector<std::string_view> names;
      for (const Structure known : all_structures) names.push_back(to_string(known));
      throw BadInput(fmt::format("unknown structure '{}'; there are: {}", name, fmt::join(names, ", ")));
    }
    chosen.push_back(*structure);
  }
  return chosen;
}

std::vector<const SubmissionKind*> selected_submissions(const Selection& selection) {
  std::vector<const SubmissionKind*> chosen;
  for (const std::string& name : selection.submissions) chosen.push_back(&find_submission(name));
  if (chosen.empty()) chosen = pointers_to(submissions());
  if (!selection.launched_from.empty()) {
    const bool from_device = selection.launched_from == "device";
    std::erase_if(chosen, [&](const SubmissionKind* kind) { return kind->from_device != from_device; });
  }
  return chosen;
}

void require_submissions(const Selection& selection) {
  if (selected_submissions(selection).empty())
    throw BadInput(fmt::format("--launched-from {} leaves none of the chosen submissions: {}",
                               selection.launched_from, fmt::join(selection.submissions, ", ")));
}

bool is_wanted(const Selection& selection, const SubmissionKind& submission, const Problem& problem) {
  const auto chosen = selected_submissions(selection);
  if (std::find(chosen.begin(), chosen.end(), &submission) == chosen.end()) return false;
  return !selection.submissions.empty() || is_measured(submission, problem);
}

std::vector<Selection> by_launching_side(const Selection& selection) {
  std::vector<Selection> parts;
  for (const char* side : {"host", "device"}) {
    if (!selection.launched_from.empty() && selection.launched_from != side) continue;
    Selection part = selection;
    part.launched_from = side;
    const auto chosen = selected_submissions(part);
    if (chosen.empty()) continue;
    if (!part.submissions.empty()) {
      part.submissions.clear();
      for (const SubmissionKind* kind : chosen) part.submissions.emplace_back(kind->name);
    }
    parts.push_back(std::move(part));
  }
  return parts;
}

std::vector<const SubmissionKind*> submissions_for(const Selection& selection, const Problem& problem) {
  std::vector<const SubmissionKind*> chosen = selected_submissions(selection);
  if (!selection.submissions.empty()) return chosen;
  std::erase_if(chosen, [&](const SubmissionKind* kind) { return !is_attributed(*kind, problem); });
  return chosen;
}

bool chooses_problems(const Selection& selection) {
  return !selection.sizes.empty() || !selection.stages.empty() || !selection.repeats.empty();
}

std::vector<Problem> selected_problems(const Selection& selection, const Pipeline& pipeline,
                                       const std::vector<std::int64_t>& default_sizes,
                                       const std::vector<int>& default_stages) {
  std::vector<std::int64_t> sizes = default_sizes;
  if (!selection.sizes.empty()) {
    sizes.clear();
    for (const std::string& text : selection.sizes) sizes.push_back(parse_size(text));
  }
  if (!pipeline.has_k && !selection.stages.empty() && !selection.pipelines.empty()) {
    throw BadInput(fmt::format("--stages {}: {} has a fixed number of stages; leave the option out",
                               selection.stages.front(), pipeline.name));
  }
  std::vector<int> stages = pipeline.has_k ? default_stages : std::vector<int>{pipeline.default_k};
  if (pipeline.has_k && !selection.stages.empty()) {
    stages.clear();
    for (const std::string& text : selection.stages) stages.push_back(parse_stages(text, pipeline));
  }
  std::vector<int> repeats;
  for (const std::string& text : selection.repeats) repeats.push_back(parse_repeats(text));
  if (repeats.empty()) repeats.push_back(0);
  std::vector<Problem> problems;
  for (const std::int64_t n : sizes) {
    for (const int k : stages) {
      for (const int r : repeats) problems.push_back({n, k, 0, r});
    }
  }
  return problems;
}

}  // namespace gvf::study
