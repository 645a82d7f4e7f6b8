// Several rounds of an attribution as one: medians over processes, since each process has its own luck with
// cores, clocks and addresses.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <optional>
#include <string>
#include <string_view>

#include "study/measure/attribute.hpp"
#include "study/measure/samples.hpp"

namespace gvf::study {
namespace {

using profiling::Attribution;
using profiling::AttributionRow;
using profiling::Parts;
using profiling::Split;

template <class Whole, class Part>
double median_of(const std::vector<Whole>& wholes, Part Whole::*member) {
  std::vector<double> values;
  for (const Whole& whole : wholes) values.push_back(whole.*member);
  return median(std::move(values));
}

template <class Whole>
std::optional<double> median_of_known(const std::vector<Whole>& wholes,
                                      std::optional<double> Whole::*member) {
  std::vector<double> values;
  for (const Whole& whole : wholes) {
    if (whole.*member) values.push_back(*(whole.*member));
  }
  if (values.empty()) return std::nullopt;
  return median(std::move(values));
}

// A mark "WHAT by +9%" or "WHAT: +9%": rounds that say the same differ in the figure.
struct Mark {
  std::string what;  // up to the figure; the whole mark where there is none
  std::optional<double> percent;
  bool is_signed = false;
};

Mark read_mark(const std::string& text) {
  for (const std::string_view before : {" by ", ": "}) {
    const auto found = text.rfind(before);
    if (found == std::string::npos) continue;
    const std::string figure = text.substr(found + before.size());
    char* rest = nullptr;
    const double percent = std::strtod(figure.c_str(), &rest);
    if (rest != figure.c_str() && std::string_view(rest) == "%")
      return {text.substr(0, found + before.size()), percent, figure[0] == '+' || figure[0] == '-'};
  }
  return {text, std::nullopt};
}

// A mark holds for the row when it holds in most rounds. Its figure is the median of theirs; that of a wall
// is the median walls' own, which are shown beside it.
std::vector<std::string> merge_marks(const std::vector<Attribution>& rounds, const Attribution& merged) {
  std::vector<std::vector<Mark>> kinds;  // in order of appearance
  for (const Attribution& round : rounds) {
    for (const std::string& text : round.marks) {
      const Mark mark = read_mark(text);
      auto kind = std::find_if(kinds.begin(), kinds.end(),
                               [&](const auto& marks) { return marks.front().what == mark.what; });
      if (kind == kinds.end()) kind = kinds.insert(kinds.end(), std::vector<Mark>{});
      kind->push_back(mark);
    }
  }
  std::vector<std::string> texts;
  for (const auto& marks : kinds) {
    if (2 * marks.size() <= rounds.size()) continue;
    const Mark& first = marks.front();
    if (!first.percent) {
      texts.push_back(first.what);
      continue;
    }
    std::vector<double> percents;
    for (const Mark& mark : marks) percents.push_back(*mark.percent);
    double percent = median(std::move(percents));
    const auto pass = first.what.find(" pass disturbs wall by ");
    if (pass != std::string::npos) {
      const auto wall = merged.passes.find(first.what.substr(0, pass));
      if (wall != merged.passes.end()) percent = 100 * (wall->second / merged.wall_us - 1);
    }
    texts.push_back(first.what +
                    (first.is_signed ? fmt::format("{:+.0f}%", percent) : fmt::format("{:.0f}%", percent)));
  }
  return texts;
}

Attribution merge(const std::vector<Attribution>& rounds) {
  std::vector<Parts> parts;
  for (const Attribution& round : rounds) parts.push_back(round.parts);
  Attribution merged = rounds.front();  // evidence is the same in all
  merged.wall_us = median_of(rounds, &Attribution::wall_us);
  for (double Parts::*part : {&Parts::launch_latency_us, &Parts::starved_us, &Parts::gap_us, &Parts::busy_us,
                              &Parts::completion_us}) {
    merged.parts.*part = median_of(parts, part);
  }
  merged.wall_iqr_us = median_of_known(rounds, &Attribution::wall_iqr_us);
  merged.span_us = median_of_known(rounds, &Attribution::span_us);
  merged.parts.residual_us = 0;
  merged.parts.residual_us = merged.wall_us - merged.parts.sum();
  for (auto& [mode, wall] : merged.passes) {
    std::vector<double> walls;
    for (const Attribution& round : rounds) {
      if (const auto found = round.passes.find(mode); found != round.passes.end())
        walls.push_back(found->second);
    }
    wall = median(std::move(walls));
  }
  merged.marks = merge_marks(rounds, merged);
  return merged;
}

Split merge(const std::vector<Split>& rounds) {
  Split merged;
  for (double Split::*part : {&Split::essential_us, &Split::ramp_us, &Split::round_trip_us,
                              &Split::ramp_per_slice_us, &Split::fit_relative_error}) {
    merged.*part = median_of(rounds, part);
  }
  for (std::optional<double> Split::*part :
       {&Split::round_trip_by_clocks_us, &Split::round_trip_by_persistent_us, &Split::round_trip_l2_us,
        &Split::round_trip_dram_us}) {
    merged.*part = median_of_known(rounds, part);
  }
  return merged;
}

}  // namespace

std::vector<AttributionRow> merge_rounds(const std::vector<std::vector<AttributionRow>>& rounds) {
  if (rounds.empty()) return {};
  std::vector<AttributionRow> merged = rounds.front();
  for (std::size_t i = 0; i < merged.size(); ++i) {
    AttributionRow& row = merged[i];
    // Counts are taken in one round only.
    for (const auto& round : rounds) {
      for (const AttributionRow& other : round) {
        if (other.name == row.name && other.counters.model_bytes) row.counters = other.counters;
      }
    }
    std::vector<Attribution> attributions;
    std::vector<Split> splits;
    for (const auto& round : rounds) {
      for (const AttributionRow& other : round) {
        if (other.name != row.name) continue;
        if (other.attribution) attributions.push_back(*other.attribution);
        if (other.split) splits.push_back(*other.split);
      }
    }
    if (2 * attributions.size() > rounds.size()) {
      row.attribution = merge(attributions);
      row.withheld.clear();
    } else if (row.attribution) {
      row.attribution.reset();
      row.withheld =
          fmt::format("only {} of {} rounds could be explained", attributions.size(), rounds.size());
    }
    if (2 * splits.size() > rounds.size()) {
      row.split = merge(splits);
      row.not_separable.clear();
    } else if (row.split) {
      row.split.reset();
      row.not_separable = "not separable: in fewer than half of the rounds";
    }
  }
  return merged;
}

}  // namespace gvf::study
