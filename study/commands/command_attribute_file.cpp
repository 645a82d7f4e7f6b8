// Implements study/commands/command_attribute_file.hpp.
#include "study/commands/command_attribute_file.hpp"

#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <cxxabi.h>

#include <algorithm>
#include <cstdlib>
#include <memory>
#include <nlohmann/json.hpp>

#include "profiling/attribution_json.hpp"
#include "profiling/record/range_account.hpp"
#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"
#include "study/recordings/render.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;
using profiling::LostRecords;
using profiling::ProcessAccount;
using profiling::RangeParts;
using profiling::RecordedProcess;
using profiling::Summary;

double us(profiling::Nanoseconds ns) {
  return static_cast<double>(ns) / 1e3;
}

std::string ms_text(profiling::Nanoseconds ns) {
  return fmt::format("{:.3f}", static_cast<double>(ns) / 1e6);
}

profiling::AccountOptions account_options(const std::string& machine) {
  profiling::AccountOptions options;
  if (machine.empty()) return options;
  const nlohmann::json file = read_json(machine, "write one with `gvf calibrate --output FILE`");
  if (!file.is_object() || !file.contains("constants"))
    throw BadInput(machine + ": has no 'constants'; write one with `gvf calibrate --output FILE`");
  const auto constants = profiling::constants_from_json(file["constants"]);
  if (!constants) throw BadInput(fmt::format("{}: {}", machine, constants.reason().text));
  const auto of = [&](const char* submission) {
    const auto found = constants->find(submission);
    if (found == constants->end())
      throw BadInput(
          fmt::format("{}: constants of '{}' are missing; write it again with `gvf calibrate --output FILE`",
                      machine, submission));
    return found->second;
  };
  const profiling::EdgeConstants stream = of("stream");
  options.trace_cost = {stream.api_trace_cost_ns, stream.trace_cost_ns, of("graph").trace_cost_ns};
  options.stream_gap = stream.gap_ns;
  return options;
}

// As C++ spells it, where it is a mangled name.
std::string demangled(const std::string& name) {
  int status = -1;
  const std::unique_ptr<char, void (*)(void*)> text(
      abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status), std::free);
  return status == 0 && text ? text.get() : name;
}

// --- JSON

ordered_json to_json(const RangeParts& parts) {
  ordered_json json;
  RangeParts::each(
      parts, [&](const char* name, profiling::Nanoseconds ns) { json[fmt::format("{}_us", name)] = us(ns); });
  return json;
}

ordered_json to_json(const Summary& summary) {
  const profiling::Counts& counts = summary.counts;
  ordered_json json{{"name", summary.name},
                    {"instances", summary.instances},
                    {"without_work", summary.without_work},
                    {"not_waited", summary.not_waited},
                    {"calls", counts.calls},
                    {"kernel_launches", counts.kernel_launches},
                    {"graph_launches", counts.graph_launches},
                    {"waits", counts.waits},
                    {"kernels", counts.kernels},
                    {"graph_records", counts.graphs},
                    {"copies", counts.copies},
                    {"memsets", counts.memsets},
                    {"total", to_json(summary.total)},
                    {"median", to_json(summary.median)},
                    {"total_wall_us", us(summary.total.wall())},
                    {"median_wall_us", us(summary.median_wall)}};
  for (const profiling::WorkSum& work : summary.works) {
    json["works"].push_back({{"name", demangled(work.name)},
                             {"kind", profiling::to_string(work.kind)},
                             {"in_graph", work.in_graph},
                             {"count", work.count},
                             {"busy_us", us(work.busy)}});
  }
  if (summary.trace_cost) json["trace_cost_us"] = us(*summary.trace_cost);
  return json;
}

ordered_json to_json(const std::vector<Summary>& summaries) {
  ordered_json json = ordered_json::array();
  for (const Summary& summary : summaries) json.push_back(to_json(summary));
  return json;
}

ordered_json to_json(const RecordedProcess& process, const ProcessAccount& account) {
  ordered_json lost;
  LostRecords::each(process.lost, [&](const char* name, std::size_t count) { lost[name] = count; });
  lost["unclosed_ranges"] = process.unclosed_ranges;
  lost["unopened_ranges"] = process.unopened_ranges;
  lost["unmatched_works"] = account.unmatched_works;
  return {{"file", process.file},
          {"pid", process.pid},
          {"exe", process.exe},
          {"command", process.command},
          {"graphs", process.graph_nodes ? "nodes" : "launches"},
          {"ended", process.has_end},
          {"cut_last_line", process.has_cut_line},
          {"lost", lost},
          {"failed_calls", account.failed_calls},
          {"process", to_json(account.all)},
          {"ranges", to_json(account.ranges)},
          {"streams", to_json(account.streams)},
          {"graph_launches", to_json(account.graphs)}};
}

// --- tables

const std::vector<Column> columns{{"name", false}, {"count"},        {"calls"},         {"kernels"},
                                  {"graphs"},      {"copies"},       {"wall"},          {"latency"},
                                  {"queued"},      {"starved"},      {"gap"},           {"busy"},
                                  {"complet."},    {"launch-bound"}, {"median wall us"}};

// The end of a long name says less than its beginning.
std::string shortened(const std::string& name) {
  constexpr std::size_t room = 60;
  return name.size() <= room ? name : name.substr(0, room - 3) + "...";
}

// What ran in each range, by name: a copy that a graph brought with it is a kernel of its own here.
Table work_table(const std::vector<Summary>& ranges, std::size_t most_ranges) {
  constexpr std::size_t most_works = 5;
  Table table{"Works by range, most busy first",
              {{"range", false},
               {"work", false},
               {"kind", false},
               {"launched by", false},
               {"count"},
               {"busy ms"},
               {"mean us"}},
              {},
              {}};
  for (std::size_t r = 0; r < std::min(most_ranges, ranges.size()); ++r) {
    const auto& works = ranges[r].works;
    for (std::size_t i = 0; i < std::min(most_works, works.size()); ++i) {
      const profiling::WorkSum& work = works[i];
      table.rows.push_back(
          {{ranges[r].name, shortened(demangled(work.name)), std::string(profiling::to_string(work.kind)),
            work.in_graph ? "a graph" : "its own call", std::to_string(work.count), ms_text(work.busy),
            fmt::format("{:.2f}", us(work.busy) / static_cast<double>(work.count))},
           ""});
    }
    if (works.size() > most_works)
      table.notes.push_back(
          fmt::format("{}: {} more names: see --json", ranges[r].name, works.size() - most_works));
  }
  return table;
}

TableRow row_of(const Summary& summary) {
  TableRow row;
  row.cells = {summary.name, std::to_string(summary.instances)};
  const profiling::Counts& counts = summary.counts;
  for (const std::size_t count :
       {counts.calls, counts.kernels, std::max(counts.graph_launches, counts.graphs),
        counts.copies + counts.memsets})
    row.cells.push_back(std::to_string(count));
  if (summary.without_work == summary.instances) {
    row.message = "no device work";
    return row;
  }
  row.cells.push_back(ms_text(summary.total.wall()));
  RangeParts::each(summary.total,
                   [&](const char*, profiling::Nanoseconds ns) { row.cells.push_back(ms_text(ns)); });
  const auto wall = static_cast<double>(summary.total.wall());
  row.cells.push_back(
      wall > 0 ? fmt::format("{:.0f} %", 100 * static_cast<double>(summary.total.launch_bound()) / wall)
               : "-");
  row.cells.push_back(fmt::format("{:.1f}", us(summary.median_wall)));
  return row;
}

Table table_of(std::string title, const std::vector<Summary>& summaries, std::size_t most) {
  Table table{std::move(title), columns, {}, {}};
  for (std::size_t i = 0; i < std::min(most, summaries.size()); ++i)
    table.rows.push_back(row_of(summaries[i]));
  if (summaries.size() > most)
    table.notes.push_back(fmt::format("{} more: show them with --top or --json", summaries.size() - most));
  return table;
}

// What a reader must know before trusting the tables.
Bullets remarks(const RecordedProcess& process, const ProcessAccount& account,
                const profiling::AccountOptions& options) {
  Bullets bullets;
  auto& lines = bullets.lines;
  if (options.trace_cost) {
    lines.push_back(fmt::format("idle time up to {} ns before a work is gap (calibrated), beyond it starved",
                                options.stream_gap));
    lines.push_back(account.all.trace_cost
                        ? fmt::format("tracing cost the process about {} ms, which is in the parts",
                                      ms_text(*account.all.trace_cost))
                        : "the cost of tracing is in the parts: not calibrated for nodes");
  } else {
    lines.push_back(
        fmt::format("idle time up to {} ns before a work is gap (an H200's; give yours with --machine), "
                    "beyond it starved",
                    options.stream_gap));
    lines.push_back("the cost of tracing is in the parts: not calibrated here");
  }
  if (!process.has_end)
    lines.push_back(
        "the process did not end its recording (crash, kill, or still running): its last records are "
        "missing");
  if (process.has_cut_line) lines.push_back("the last line was cut off and is left out");
  LostRecords::each(process.lost, [&](const char* name, std::size_t count) {
    if (count > 0) lines.push_back(fmt::format("{} records lost: {}", count, name));
  });
  if (process.unclosed_ranges + process.unopened_ranges > 0)
    lines.push_back(fmt::format("{} ranges without an end, {} without a begin, left out",
                                process.unclosed_ranges, process.unopened_ranges));
  if (account.unmatched_works > 0)
    lines.push_back(fmt::format("{} works without a recorded call: in streams and devices, in no range",
                                account.unmatched_works));
  if (account.failed_calls > 0)
    lines.push_back(fmt::format("{} calls returned an error", account.failed_calls));
  return bullets;
}

Document document_of(const RecordedProcess& process, const ProcessAccount& account,
                     const profiling::AccountOptions& options, std::size_t top) {
  Document document;
  document.emplace_back(Heading{2, fmt::format("process {}: {}", process.pid, process.exe)});
  document.emplace_back(remarks(process, account, options));
  if (process.works.empty()) {
    document.emplace_back(Paragraph{"No device work was recorded in this process."});
    return document;
  }
  document.emplace_back(table_of("Process, total ms", {account.all}, 1));
  if (account.ranges.empty()) {
    document.emplace_back(Paragraph{"No NVTX range was recorded: mark what matters with nvtxRangePush."});
  } else {
    document.emplace_back(table_of("NVTX ranges, nested ones included, total ms, most launch-bound first",
                                   account.ranges, top));
    document.emplace_back(work_table(account.ranges, top));
  }
  document.emplace_back(table_of("Streams, total ms", account.streams, top));
  if (!account.graphs.empty())
    document.emplace_back(table_of("Graph launches, total ms", account.graphs, top));
  return document;
}

Table device_table(const std::vector<profiling::DeviceAccount>& devices) {
  Table table{
      "Devices, from the first work to the last, ms",
      {{"device", false}, {"processes"}, {"streams"}, {"works"}, {"wall"}, {"starved"}, {"gap"}, {"busy"}},
      {},
      {}};
  for (const auto& device : devices)
    table.rows.push_back(
        {{device.name, std::to_string(device.processes), std::to_string(device.streams),
          std::to_string(device.works), ms_text(device.parts.wall()), ms_text(device.parts.starved),
          ms_text(device.parts.gap), ms_text(device.parts.busy)},
         ""});
  return table;
}

}  // namespace

void add_file_options(CLI::App& command, FileAttribution& options) {
  command.add_option("files", options.files, "Timelines that `gvf record` wrote (.gvft)");
  command.add_option("--machine", options.machine,
                     "With FILES: machine.json of this GPU, for its device gap and the cost of tracing");
  command.add_option("--top", options.top, "With FILES: rows to show")->check(CLI::Range(1, 1000000));
}

int attribute_files(const FileAttribution& options, bool as_json) {
  const profiling::AccountOptions account_with = account_options(options.machine);
  std::vector<RecordedProcess> processes;
  for (const std::string& file : options.files) {
    auto process = profiling::read_timeline(std::filesystem::path(file));
    if (!process) throw BadInput(process.reason().text);
    processes.push_back(std::move(*process));
  }
  ordered_json json{{"stream_gap_ns", account_with.stream_gap},
                    {"calibrated", account_with.trace_cost.has_value()},
                    {"processes", ordered_json::array()},
                    {"devices", ordered_json::array()}};
  Document document;
  for (const RecordedProcess& process : processes) {
    const ProcessAccount account = account_process(process, account_with);
    if (as_json) {
      json["processes"].push_back(to_json(process, account));
    } else {
      const Document part =
          document_of(process, account, account_with, static_cast<std::size_t>(options.top));
      document.insert(document.end(), part.begin(), part.end());
    }
  }
  const auto devices = account_devices(processes, account_with.stream_gap);
  for (const auto& device : devices)
    json["devices"].push_back({{"name", device.name},
                               {"processes", device.processes},
                               {"streams", device.streams},
                               {"works", device.works},
                               {"wall_us", us(device.parts.wall())},
                               {"parts", to_json(device.parts)}});
  if (as_json) {
    fmt::print("{}\n", json.dump(1, ' ', false, ordered_json::error_handler_t::replace));
  } else {
    document.emplace_back(device_table(devices));
    fmt::print("{}", to_text(document));
  }
  return exit_done;
}

}  // namespace gvf::study
