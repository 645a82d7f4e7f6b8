// Several rounds of an attribution as one: medians over processes, since each process has its own luck with
// cores, clocks and addresses.
#include <fmt/format.h>

#include <map>
#include <optional>

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
  // A mark holds for the row when it holds in most rounds; how much a pass disturbs is the medians' own
  // figure.
  std::map<std::string, std::size_t> rounds_with;
  const auto kind_of = [](const std::string& mark) { return mark.substr(0, mark.find(" by ")); };
  merged.marks.clear();
  for (const Attribution& round : rounds) {
    for (const std::string& mark : round.marks) {
      if (++rounds_with[kind_of(mark)] == rounds.size() / 2 + 1) merged.marks.push_back(mark);
    }
  }
  for (std::string& mark : merged.marks) {
    const auto pass = mark.find(" pass disturbs wall by ");
    if (pass == std::string::npos) continue;
    const auto wall = merged.passes.find(mark.substr(0, pass));
    if (wall == merged.passes.end()) continue;
    mark = fmt::format("{} pass disturbs wall by {:+.0f}%", wall->first,
                       100 * (wall->second / merged.wall_us - 1));
  }
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
