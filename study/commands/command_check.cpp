// `gvf check`: the equivalence gate over the whole catalog.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <memory>
#include <nlohmann/json.hpp>

#include "study/commands/command.hpp"
#include "study/commands/selection.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/gate.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Options {
  Selection selection;
  bool no_poison = false;
  bool quick = false;
  bool json = false;
  std::string output;
};

// One element, less than a warp, less than a block, more than a tile, and sizes that divide by nothing.
const std::vector<std::int64_t> quick_sizes{1, 31, 1023, (1 << 20) + 7};
const std::vector<std::int64_t> full_sizes{1, 31, 1023, 65536, (1 << 20) + 7, 1 << 24, 1 << 28};
const std::vector<int> check_stages{1, 3, 16, 64};

template <class Values, class Value>
bool contains(const Values& values, const Value& value) {
  return std::find(values.begin(), values.end(), value) != values.end();
}

std::vector<GateRow> check_problem(Workbench& bench, const Pipeline& pipeline, const Problem& problem,
                                   const Options& options) {
  const auto structures = selected_structures(options.selection);
  const auto kinds = selected_submissions(options.selection);
  const auto chosen = [&](const Variant& variant) {
    return contains(structures, variant.structure()) && contains(kinds, &variant.kind());
  };
  Station& station = bench.station(pipeline, problem);
  std::vector<Variant*> variants;
  for (const auto& [key, variant] : station.variants) {
    if (chosen(*variant)) variants.push_back(variant.get());
  }
  std::vector<GateRow> rows = run_gate(*station.workload, variants, {.poison = !options.no_poison});
  rows.insert(rows.end(), station.unavailable.begin(), station.unavailable.end());
  bench.release(pipeline, problem);
  return rows;
}

nlohmann::ordered_json as_json(const std::vector<GateRow>& rows) {
  nlohmann::ordered_json json{{"rows", nlohmann::ordered_json::array()}};
  for (const GateRow& row : rows) {
    nlohmann::ordered_json entry{
        {"name", row.name}, {"input", row.input}, {"verdict", to_string(row.status)}};
    // JSON has no infinity: an unbounded error is told by the verdict and the detail.
    if (std::isfinite(row.error)) entry["error"] = row.error;
    entry["bound"] = row.bound;
    if (!row.detail.empty()) entry["detail"] = row.detail;
    json["rows"].push_back(entry);
  }
  return json;
}

// Every number of stages is checked at small sizes; a gigabyte is only worth the default one, unless asked
// for.
bool is_left_out(const Selection& selection, const Pipeline& pipeline, const Problem& problem) {
  constexpr std::int64_t large = 1 << 24;
  return selection.stages.empty() && problem.n >= large && problem.k != pipeline.default_k;
}

int check(const Options& options) {
  // Arguments first: a wrong one is worth knowing on a machine without a GPU too.
  std::vector<std::pair<const Pipeline*, Problem>> problems;
  for (const Pipeline* pipeline : selected_pipelines(options.selection)) {
    for (const Problem& problem : selected_problems(options.selection, *pipeline,
                                                    options.quick ? quick_sizes : full_sizes, check_stages)) {
      if (is_left_out(options.selection, *pipeline, problem)) continue;
      problems.emplace_back(pipeline, problem);
    }
  }
  static_cast<void>(selected_structures(options.selection));
  require_submissions(options.selection);

  require_writable_file(options.output);

  Workbench bench(require_device(), options.selection);
  std::vector<GateRow> rows;
  if (!options.json)
    fmt::print("{:<52} {:<9} {:>11} {:>11}  verdict\n", "variant", "input", "error", "bound");
  for (const auto& [pipeline, problem] : problems) {
    try {
      for (GateRow& row : check_problem(bench, *pipeline, problem, options)) {
        if (!options.json) {
          fmt::print("{:<52} {:<9} {:>11.4g} {:>11.4g}  {}{}{}\n", row.name, row.input, row.error, row.bound,
                     to_string(row.status), row.detail.empty() ? "" : ": ", row.detail);
        }
        rows.push_back(std::move(row));
      }
    } catch (const MachineLacks& lacks) {
      note(fmt::format("size skipped: {}", lacks.what()));
    }
  }
  if (options.json) fmt::print("{}\n", as_json(rows).dump(1));
  if (!options.output.empty()) write_json(options.output, as_json(rows));
  const auto failed = std::count_if(rows.begin(), rows.end(),
                                    [](const GateRow& row) { return row.status == GateStatus::failed; });
  note(fmt::format("{} of {} checks failed", failed, rows.size()));
  return failed == 0 ? exit_done : exit_check_failed;
}

}  // namespace

void add_check(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand("check", "Prove that all variants of a pipeline compute the same");
  const auto options = std::make_shared<Options>();
  add_selection_options(*command, options->selection);
  command->add_flag("--quick", options->quick, "Small sizes only");
  command->add_flag("--no-poison", options->no_poison, "Do not fill outputs with NaN first (for initcheck)");
  command->add_flag("--json", options->json, "Print JSON");
  command->add_option("-o,--output", options->output, "Also write the rows to this JSON file");
  command->callback([&run, options] { run = [options] { return check(*options); }; });
}

}  // namespace gvf::study
