// Implements study/recordings/explain.hpp.
#include "study/recordings/explain.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <optional>
#include <string_view>

#include "profiling/attribution.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

using profiling::Attribution;
using profiling::AttributionRow;
using profiling::Parts;

struct PartText {
  const char* name;  // as in Attribution::evidence
  double Parts::*value;
  const char* title;
  const char* meaning;
};

constexpr PartText part_texts[] = {
    {"launch_latency", &Parts::launch_latency_us, "Launch latency",
     "from the first call until the first kernel starts; every submission pays it once"},
    {"starved", &Parts::starved_us, "Starved",
     "the GPU waits because the host has not launched the next kernel yet; an infinitely early host, or a "
     "graph, "
     "removes it"},
    {"gap", &Parts::gap_us, "Gap",
     "the GPU goes from one kernel to the next, with the host far ahead; only fewer kernels remove it"},
    {"busy", &Parts::busy_us, "Busy", "at least one kernel is running"},
    {"completion", &Parts::completion_us, "Completion",
     "from the last kernel's end until the waiting host knows; every synchronisation pays it once"},
    {"residual", &Parts::residual_us, "Residual",
     "what the parts do not explain (negative: they explain too much); it is spread over nothing"},
};

double percent(double part, double whole) {
  return std::round(100 * part / whole) + 0.0;  // no -0
}

std::string evidence_of(const Attribution& row, const char* part) {
  const auto found = row.evidence.find(part);
  return found == row.evidence.end() ? std::string() : fmt::format(" [{}]", found->second);
}

void add_split(const AttributionRow& row, std::vector<std::string>& lines) {
  if (row.split) {
    const auto& s = *row.split;
    lines.push_back(fmt::format(
        "  Of the busy time, {:.2f} us are essential (the fused kernel alone), {:.2f} us are ramps "
        "(the fused kernel cut into as many launches, less that), {:.2f} us are round trips of the "
        "intermediates through memory (this row less those slices).",
        s.essential_us, s.ramp_us, s.round_trip_us));
    if (s.round_trip_by_clocks_us) {
      lines.push_back(fmt::format("  By untraced clocks alone the round trips cost {:.2f} us.",
                                  *s.round_trip_by_clocks_us));
    }
  } else if (!row.not_separable.empty()) {
    lines.push_back(fmt::format("  The busy time is {}.", row.not_separable));
  }
}

void add_routes(const Attribution& row, std::vector<std::string>& lines) {
  const auto by_clocks = launch_side_by_clocks_us(row);
  if (!by_clocks) return;
  const double by_parts = launch_side_us(row.parts);
  lines.push_back(
      fmt::format("A second route: launch latency, starved and completion add up to {:.2f} us; two untraced "
                  "clocks (the wall "
                  "less {:.2f} us, the span with the host ahead) say {:.2f} us: {:+.0f}% apart.",
                  by_parts, *row.span_us, *by_clocks, percent(by_parts - *by_clocks, *by_clocks)));
}

void add_passes(const Attribution& row, std::vector<std::string>& lines) {
  std::vector<std::string> walls;
  for (const auto& [mode, wall] : row.passes) {
    if (mode == "untraced") continue;
    walls.push_back(
        fmt::format("{} {:.2f} us ({:+.0f}%)", mode, wall, percent(wall - row.wall_us, row.wall_us)));
  }
  if (walls.empty()) return;
  lines.push_back(fmt::format("No traced wall is explained here; tracing would have made it: {}.",
                              fmt::join(walls, ", ")));
}

void add_counters(const AttributionRow& row, std::vector<std::string>& lines) {
  const auto& c = row.counters;
  const auto megabytes = [](const std::optional<double>& bytes) {
    return bytes ? fmt::format("{:.2f} MB", *bytes / 1e6) : std::string("an unknown amount");
  };
  if (!c.missing.empty()) lines.push_back(fmt::format("No counters: {}.", c.missing));
  if (!c.dram_read_bytes || !c.dram_write_bytes) return;
  lines.push_back(fmt::format(
      "Hardware counters saw one iteration read {} from DRAM and write {} to it, and its SMs ask L2 for {}.",
      megabytes(c.dram_read_bytes), megabytes(c.dram_write_bytes), megabytes(c.l2_sm_bytes)));
  if (c.residence == "resident") {
    lines.push_back("The row is resident: its data stays in L2 from one iteration to the next.");
  } else if (c.model_bytes && c.deviation && !c.residence.empty()) {
    const bool is_range = c.model_most_bytes.has_value();
    const std::string expected =
        is_range ? fmt::format("{:.2f} to {}", *c.model_bytes / 1e6, megabytes(c.model_most_bytes))
                 : megabytes(c.model_bytes);
    const std::string away = fmt::format("{:+.1f}% away", std::round(1000 * *c.deviation) / 10 + 0.0);
    const std::string found = !is_range           ? away
                              : *c.deviation == 0 ? "and the count is between the two"
                                                  : away + " from the nearer";
    lines.push_back(
        fmt::format("The byte model expects {} of DRAM, {}: the row is {}.", expected, found, c.residence));
  }
}

}  // namespace

std::vector<std::string> explain(const AttributionRow& row) {
  if (!row.attribution) return {fmt::format("{} has no account: {}", row.name, row.withheld)};
  const Attribution& a = *row.attribution;
  std::vector<std::string> lines;
  lines.push_back(
      fmt::format("{}: one iteration takes {:.2f} us, from its first call to the return of the wait (median, "
                  "untraced{}).",
                  row.name, a.wall_us,
                  a.wall_iqr_us ? fmt::format("; half of the samples lie within {:.2f} us", *a.wall_iqr_us)
                                : std::string()));
  for (const PartText& part : part_texts) {
    const double us = a.parts.*part.value;
    lines.push_back(fmt::format("{}: {:.2f} us, {:.0f}%: {}.{}", part.title, us, percent(us, a.wall_us),
                                part.meaning, evidence_of(a, part.name)));
    if (std::string_view(part.name) == "busy") add_split(row, lines);
  }
  lines.push_back(fmt::format("These add up to {:.2f} us, the wall.", a.parts.sum()));
  add_routes(a, lines);
  add_passes(a, lines);
  add_counters(row, lines);
  for (const std::string& mark : a.marks) lines.push_back(fmt::format("Mark: {}.", mark));
  return lines;
}

const AttributionRow& find_row(const std::vector<AttributedRow>& rows, const std::string& name) {
  std::vector<std::string> close;
  const std::string start = name.substr(0, name.find("/n:"));
  for (const AttributedRow& row : rows) {
    if (row.row.name == name) return row.row;
    if (row.row.name.starts_with(start)) close.push_back(row.row.name);
  }
  if (close.empty() && !rows.empty()) close.push_back(rows.front().row.name);
  throw BadInput(fmt::format("no row '{}'; there is: {}", name, fmt::join(close, ", ")));
}

}  // namespace gvf::study
