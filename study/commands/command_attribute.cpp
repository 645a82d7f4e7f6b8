// `gvf attribute`: where the untraced wall time of each variant goes.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <cmath>
#include <limits>
#include <memory>

#include "profiling/chrome_trace.hpp"
#include "study/commands/command.hpp"
#include "study/commands/command_attribute_file.hpp"
#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/io/output.hpp"
#include "study/measure/attribute.hpp"
#include "study/measure/bandwidth_pass.hpp"
#include "study/measure/child.hpp"
#include "study/measure/workbench.hpp"
#include "study/recordings/explain.hpp"
#include "study/recordings/recording.hpp"
#include "study/recordings/row_name.hpp"

namespace gvf::study {
namespace {

struct Options {
  Selection selection;
  bool quick = false;
  bool json = false;
  std::string output;
  std::string timeline_dir;
  std::string pass;
  std::string pass_dir;
  std::string explain;
  std::string from;
  FileAttribution files;
};

// Each pass runs several times, in a process of its own each time, so that no figure rests on one process's
// luck with addresses, clocks and neighbours. Small problems feel that luck most and cost least.
constexpr std::int64_t small_problem = 1 << 22;
constexpr int small_rounds = 5;
constexpr int large_rounds = 3;

std::vector<Problem> problems_of(const Options& options, const Pipeline& pipeline) {
  if (!chooses_problems(options.selection)) {
    return attribution_problems(pipeline, options.quick ? Depth::quick : Depth::full);
  }
  return selected_problems(options.selection, pipeline, {1 << 16, 1 << 28}, {pipeline.default_k});
}

Problem largest(const std::vector<Problem>& problems) {
  return *std::max_element(problems.begin(), problems.end(),
                           [](const Problem& a, const Problem& b) { return a.n < b.n; });
}

// The arguments that make a child see the same problems.
std::vector<std::string> child_arguments(const Options& options, const Pipeline& pipeline,
                                         const std::string& pass) {
  std::vector<std::string> words{"attribute", "--pass", pass, "--pipeline", std::string(pipeline.name)};
  const auto add = [&words](const char* flag, const std::vector<std::string>& values) {
    for (const std::string& value : values) words.insert(words.end(), {flag, value});
  };
  add("--structure", options.selection.structures);
  add("--submission", options.selection.submissions);
  add("--size", options.selection.sizes);
  add("--stages", options.selection.stages);
  add("--repeats", options.selection.repeats);
  if (!options.selection.launched_from.empty()) add("--launched-from", {options.selection.launched_from});
  if (options.quick) words.emplace_back("--quick");
  return words;
}

std::vector<std::string> sizes_of(const std::vector<Problem>& problems) {
  std::vector<std::string> sizes;
  for (const Problem& problem : problems) {
    const std::string size = std::to_string(problem.n);
    if (std::find(sizes.begin(), sizes.end(), size) == sizes.end()) sizes.push_back(size);
  }
  return sizes;
}

std::vector<Problem> attributed(const Selection& selection, std::vector<Problem> problems) {
  std::erase_if(problems,
                [&](const Problem& problem) { return submissions_for(selection, problem).empty(); });
  return problems;
}

// One pass at chosen sizes: a process for what the host launches, another for what the device does.
PassFile run_pass(const Options& options, const Pipeline& pipeline, const std::string& mode) {
  note(fmt::format("{}: {} pass", pipeline.name, mode));
  PassFile whole;
  for (const Selection& part : by_launching_side(options.selection)) {
    const std::vector<Problem> problems = attributed(part, problems_of(options, pipeline));
    if (problems.empty()) continue;
    Options of_part = options;
    of_part.selection = part;
    of_part.selection.sizes = sizes_of(problems);
    add(whole, pass_from_json(run_child_for_json(child_arguments(of_part, pipeline, mode)), mode + " pass"));
  }
  return whole;
}

// Problems that are measured together, and their passes, one entry a round.
struct MeasuredGroup {
  std::vector<Problem> problems;
  int rounds = 0;
  std::vector<Passes> passes;
};

std::vector<MeasuredGroup> group_problems(const std::vector<Problem>& problems) {
  MeasuredGroup small{{}, small_rounds, {}};
  MeasuredGroup large{{}, large_rounds, {}};
  for (const Problem& problem : problems) {
    (problem.n <= small_problem ? small : large).problems.push_back(problem);
  }
  std::vector<MeasuredGroup> groups;
  for (MeasuredGroup* group : {&small, &large}) {
    if (!group->problems.empty()) groups.push_back(std::move(*group));
  }
  return groups;
}

// Counts bytes; where this GPU cannot be counted, rows say why and nothing else is lost.
void add_counters(const Options& options, const Pipeline& pipeline, Passes& passes) {
  const auto failure = failure_of([&] { passes.counters = run_pass(options, pipeline, "counters"); });
  if (!failure) return;
  passes.no_counters = *failure;
  note(fmt::format("no counters: {}", *failure));
}

Passes measure_round(const Options& options, const Pipeline& pipeline, const MeasuredGroup& group,
                     int round) {
  Options of_group = options;
  of_group.selection.sizes = sizes_of(group.problems);
  Passes passes{run_pass(of_group, pipeline, "untraced"),
                run_pass(of_group, pipeline, "api"),
                run_pass(of_group, pipeline, "kernel"),
                run_pass(of_group, pipeline, "graph"),
                {},
                {}};
  if (round == 0) add_counters(of_group, pipeline, passes);
  if (!options.pass_dir.empty()) {
    const char* size = group.rounds == small_rounds ? "small" : "large";
    for (const PassFile* pass : passes.taken()) {
      write_file(fmt::format("{}/{}.{}.{}.{}.json", options.pass_dir, pipeline.name, size, pass->mode, round),
                 to_json(*pass).dump());
    }
  }
  return passes;
}

// The gap between kernels of a stream: the median of all kernel passes.
profiling::Nanoseconds stream_gap(const std::vector<MeasuredGroup>& groups) {
  std::vector<double> gaps;
  for (const MeasuredGroup& group : groups) {
    for (const Passes& passes : group.passes) {
      for (const auto& [problem, edges] : passes.kernel.edges) {
        gaps.push_back(static_cast<double>(edges.gap_ns));
      }
    }
  }
  return gaps.empty() ? 0 : std::llround(profiling::median(std::move(gaps)));
}

// The device gap of the edges of a row. Inside a graph nothing waits for the host: all of the idle time is
// gap.
profiling::Nanoseconds gap_of(const std::string& name, profiling::Nanoseconds stream_gap_ns) {
  const auto row = parse_row_name(name);
  const bool as_graph = row && find_submission(row->submission).as_graph;
  return as_graph ? std::numeric_limits<profiling::Nanoseconds>::max() : stream_gap_ns;
}

// DIR/sum_abs.fused.graph.json
std::string timeline_file(const Options& options, const std::string& variant, const char* ending) {
  std::string file = variant.substr(0, variant.find("/n:"));
  std::replace(file.begin(), file.end(), '/', '.');
  return fmt::format("{}/{}{}", options.timeline_dir, file, ending);
}

// Two iterations of each variant at the smallest size, calls and kernels together: to look at, in Perfetto.
// Where they cannot be traced, one line says so.
void write_timelines(const Options& options, const Pipeline& pipeline, profiling::Nanoseconds stream_gap_ns) {
  Options small = options;
  small.selection.sizes = {"2^16"};
  small.selection.stages.clear();
  PassFile trace;
  if (const auto failure = failure_of([&] { trace = run_pass(small, pipeline, "trace"); })) {
    note(fmt::format("no timeline of {}: {}", pipeline.name, *failure));
    return;
  }
  for (const auto& [name, row] : trace.rows) {
    if (row.timelines.empty()) continue;
    profiling::ChromeTraceOptions drawing;
    drawing.device_gap = gap_of(name, stream_gap_ns);
    const auto chrome = profiling::chrome_trace(name, row.timelines, drawing);
    if (!chrome) {
      note(fmt::format("no timeline of {}: {}", name, chrome.reason().text));
      continue;
    }
    write_file(timeline_file(options, name, ".json"), chrome.value().dump() + "\n");
  }
}

// The largest problem's bandwidth over time; where this GPU has no such samples, one line says so.
void write_bandwidth(const Options& options, const Pipeline& pipeline) {
  Options of_largest = options;
  of_largest.selection.sizes = {std::to_string(largest(problems_of(options, pipeline)).n)};
  note(fmt::format("{}: bandwidth pass", pipeline.name));
  nlohmann::json traces;
  const auto failure =
      failure_of([&] { traces = run_child_for_json(child_arguments(of_largest, pipeline, "bandwidth")); });
  if (failure) {
    note(fmt::format("no bandwidth over time: {}", *failure));
    return;
  }
  for (const auto& [name, trace] : traces.items()) {
    if (trace.contains("reason")) {
      note(fmt::format("no bandwidth over time of {}: {}", name, trace.at("reason").get<std::string>()));
      continue;
    }
    write_file(timeline_file(options, name, ".bandwidth.json"), trace.dump() + "\n");
  }
}

void print_rows(const std::vector<profiling::AttributionRow>& rows) {
  fmt::print("{:<48} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9} {:>9}\n", "variant, us", "wall", "latency",
             "starved", "gap", "busy", "complet.", "residual");
  for (const auto& row : rows) {
    if (!row.attribution) {
      fmt::print("{:<48} {}\n", row.name, row.withheld);
      continue;
    }
    const auto& parts = row.attribution->parts;
    fmt::print("{:<48} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f} {:>9.2f}{}\n", row.name,
               row.attribution->wall_us, parts.launch_latency_us, parts.starved_us, parts.gap_us,
               parts.busy_us, parts.completion_us, parts.residual_us,
               row.attribution->modelled ? "  (split of span modelled)" : "");
    if (row.split) {
      fmt::print("{:<48}   essential {:.2f}, ramp {:.2f}, round trip {:.2f}\n", "", row.split->essential_us,
                 row.split->ramp_us, row.split->round_trip_us);
    } else if (!row.not_separable.empty()) {
      fmt::print("{:<48}   {}\n", "", row.not_separable);
    }
  }
}

int attribute_all(const Options& options) {
  const auto pipelines = selected_pipelines(options.selection);
  require_submissions(options.selection);
  for (const Pipeline* pipeline : pipelines) {
    if (attributed(options.selection, problems_of(options, *pipeline)).empty())
      throw BadInput(
          fmt::format("{}: no chosen submission is attributed at the chosen sizes; name one with "
                      "--submission",
                      pipeline->name));
  }
  if (!options.output.empty() && pipelines.size() != 1) {
    throw BadInput("--output takes one file for one pipeline: choose it with --pipeline");
  }
  require_writable_file(options.output);
  for (const std::string& folder : {options.timeline_dir, options.pass_dir}) {
    if (!folder.empty()) require_writable_folder(folder);
  }
  const Device device = describe_device();
  for (const Pipeline* pipeline : pipelines) {
    std::vector<MeasuredGroup> groups =
        group_problems(attributed(options.selection, problems_of(options, *pipeline)));
    for (MeasuredGroup& group : groups) {
      for (int round = 0; round < group.rounds; ++round) {
        group.passes.push_back(measure_round(options, *pipeline, group, round));
      }
    }
    std::vector<profiling::AttributionRow> rows;
    for (const MeasuredGroup& group : groups) {
      std::vector<std::vector<profiling::AttributionRow>> by_round;
      for (const Passes& passes : group.passes) {
        by_round.push_back(attribute(*pipeline, group.problems, passes, device));
      }
      for (auto& row : merge_rounds(by_round)) rows.push_back(std::move(row));
    }
    if (!options.output.empty()) write_json(options.output, nlohmann::ordered_json(profiling::to_json(rows)));
    if (options.json) {
      fmt::print("{}\n", profiling::to_json(rows).dump(1));
    } else {
      print_rows(rows);
    }
    // Last: whatever becomes of them, the rows are kept.
    if (!options.timeline_dir.empty()) {
      write_timelines(options, *pipeline, stream_gap(groups));
      write_bandwidth(options, *pipeline);
    }
  }
  return exit_done;
}

// One row of a file that is already there, in sentences.
int explain_one(const Options& options) {
  const auto row = parse_row_name(options.explain);
  if (!row) {
    throw BadInput(
        fmt::format("'{}' is no row name such as sum_abs/separate/stream/n:65536", options.explain));
  }
  std::string file = options.from;
  if (file.empty()) {
    const auto tree = find_source_tree();
    if (!tree)
      throw MachineLacks("no docs/recordings/ above this folder or the program: give a file with --from");
    file = newest_recording(*tree) / "attribution" / (row->pipeline + ".json");
  }
  fmt::print("Out of {}\n", file);
  for (const std::string& line : explain(find_row(load_attribution(file), options.explain))) {
    fmt::print("{}\n", line);
  }
  return exit_done;
}

int run_one_pass(const Options& options) {
  const auto pipelines = selected_pipelines(options.selection);
  if (pipelines.size() != 1) throw BadInput("--pass works on one pipeline: choose it with --pipeline");
  const Pipeline& pipeline = *pipelines.front();
  const std::vector<Problem> problems = problems_of(options, pipeline);
  const std::string text =
      options.pass == "bandwidth"
          ? bandwidth_pass(pipeline, largest(problems), options.selection).dump()
          : to_json(measure_pass(options.pass, pipeline, problems, options.selection)).dump();
  if (options.output.empty()) {
    fmt::print("{}\n", text);
  } else {
    write_file(options.output, text);
  }
  return exit_done;
}

}  // namespace

void add_attribute(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand(
      "attribute", "Explain the untraced wall time of each variant, or with FILES what `gvf record` wrote");
  const auto options = std::make_shared<Options>();
  add_selection_options(*command, options->selection);
  add_file_options(*command, options->files);
  command->add_flag("--quick", options->quick, "Two sizes only");
  command->add_option("-o,--output", options->output, "Write attribution/<pipeline>.json here");
  command->add_option("--timeline-dir", options->timeline_dir,
                      "Also write Chrome traces of each variant here");
  command->add_option("--pass-dir", options->pass_dir, "Also keep the records of all passes here");
  command->add_option(
      "--pass", options->pass,
      "One pass only, in this process: untraced, api, kernel, graph, counters, bandwidth or trace");
  command->add_option("--explain", options->explain,
                      "Measure nothing: say in sentences what the account of this row means, e.g. "
                      "sum_abs/separate/stream/n:65536");
  command->add_option(
      "--from", options->from,
      "The attribution/<pipeline>.json that --explain reads (default: the newest recording's)");
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&run, options] {
    run = [options] {
      if (!options->explain.empty()) return explain_one(*options);
      if (!options->files.files.empty()) return attribute_files(options->files, options->json);
      return options->pass.empty() ? attribute_all(*options) : run_one_pass(*options);
    };
  });
}

}  // namespace gvf::study
