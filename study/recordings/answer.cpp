// Implements study/recordings/answer.hpp.
#include "study/recordings/answer.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdlib>

namespace gvf::study {

namespace {

constexpr double least_cost = 0.10;    // of the wall
constexpr double alone_when = 2.0;     // times the other
constexpr double least_saving = 0.05;  // of the wall
constexpr double as_good_as = 1.05;

std::optional<double> wall_of(const MeasuredSize& size, const char* structure, const char* submission) {
  const Measured* measured = size.find(structure, submission);
  if (!measured || !measured->wall) return std::nullopt;
  return measured->wall->median;
}

std::string percent_of(double part, double whole) {
  return fmt::format("{:.0f} %", 100 * part / whole);
}

std::optional<double> fused_wall(const Evidence& e) {
  return e.fused_graph ? e.fused_graph : e.fused_stream;
}

std::string payer_text(const Evidence& e) {
  const double wall = *e.separate_stream;
  const std::string own = e.fused_graph ? fmt::format(", fused/graph {:.1f} µs ({})", *e.fused_graph,
                                                      percent_of(*e.fused_graph, wall))
                                        : "";
  const std::string of_wall =
      fmt::format("a wall of {:.1f} µs is launches {:.1f} µs ({}), round trips and ramps {:.1f} µs ({}){}",
                  wall, *e.launches_us, percent_of(*e.launches_us, wall), *e.round_trips_us,
                  percent_of(*e.round_trips_us, wall), own);
  switch (payer_of(e)) {
    case Payer::launches:
      return "pays for launches: " + of_wall;
    case Payer::round_trips:
      return "pays for round trips: " + of_wall;
    case Payer::both:
      return "pays for both: " + of_wall;
    default:
      return "pays for neither: " + of_wall;
  }
}

std::string remedy_text(const Evidence& e) {
  const double wall = *e.separate_stream;
  const auto saving = [&](const std::optional<double>& other) {
    return other ? fmt::format("{:+.1f} µs", *other - wall) : std::string("not measured");
  };
  const std::string numbers = fmt::format("graph {}, fusion {}, both {}", saving(e.separate_graph),
                                          saving(e.fused_stream), saving(e.fused_graph));
  switch (remedy_of(e)) {
    case Remedy::graph:
      return fmt::format("A graph takes more of it away ({})", numbers);
    case Remedy::fusion:
      return fmt::format("Fusion takes more of it away ({})", numbers);
    case Remedy::either:
      return fmt::format("Graph and fusion take away the same ({})", numbers);
    case Remedy::neither:
      return fmt::format("Neither graph nor fusion takes it away ({})", numbers);
    case Remedy::unknown:
      break;
  }
  return fmt::format("Which takes it away is unknown ({})", numbers);
}

std::string blocking_text(const Evidence& e) {
  const std::optional<bool> good = blocking_as_good_as_fusion(e);
  if (!good) return "A graph made blocking as good as fusion: unknown, not measured";
  return fmt::format("A graph made blocking as good as fusion: {}, {:.1f} vs {:.1f} µs", *good ? "yes" : "no",
                     *e.blocked_graph, *fused_wall(e));
}

std::string_view name_of(Payer payer) {
  switch (payer) {
    case Payer::launches:
      return "launches";
    case Payer::round_trips:
      return "round trips";
    case Payer::both:
      return "both";
    case Payer::neither:
      return "neither";
    case Payer::unknown:
      break;
  }
  return "unknown";
}

std::string_view name_of(Remedy remedy) {
  switch (remedy) {
    case Remedy::graph:
      return "a graph takes more of it away";
    case Remedy::fusion:
      return "fusion takes more of it away";
    case Remedy::either:
      return "graph and fusion take away the same";
    case Remedy::neither:
      return "neither graph nor fusion takes it away";
    case Remedy::unknown:
      break;
  }
  return "the remedy is unknown";
}

}  // namespace

Evidence evidence_of(const MeasuredSize& size) {
  Evidence e;
  e.separate_stream = wall_of(size, "separate", "stream");
  e.separate_graph = wall_of(size, "separate", "graph");
  e.blocked_graph = wall_of(size, "blocked", "graph");
  e.fused_stream = wall_of(size, "fused", "stream");
  e.fused_graph = wall_of(size, "fused", "graph");

  if (e.separate_stream && e.separate_graph) e.launches_us = *e.separate_stream - *e.separate_graph;
  if (e.separate_graph && e.fused_graph) e.round_trips_us = *e.separate_graph - *e.fused_graph;
  return e;
}

Payer payer_of(const Evidence& e) {
  if (!e.separate_stream || !e.launches_us || !e.round_trips_us) return Payer::unknown;
  const double floor = least_cost * *e.separate_stream;
  const double launches = *e.launches_us;
  const double trips = *e.round_trips_us;
  if (launches < floor && trips < floor) return Payer::neither;
  if (launches >= alone_when * trips) return Payer::launches;
  if (trips >= alone_when * launches) return Payer::round_trips;
  return Payer::both;
}

Remedy remedy_of(const Evidence& e) {
  if (!e.separate_stream || !e.separate_graph || !e.fused_stream) return Remedy::unknown;
  const double least = least_saving * *e.separate_stream;
  const double graph = *e.separate_stream - *e.separate_graph;
  const double fusion = *e.separate_stream - *e.fused_stream;
  if (graph < least && fusion < least) return Remedy::neither;
  if (std::abs(graph - fusion) < least) return Remedy::either;
  return graph > fusion ? Remedy::graph : Remedy::fusion;
}

std::optional<bool> blocking_as_good_as_fusion(const Evidence& e) {
  const std::optional<double> fused = fused_wall(e);
  if (!e.blocked_graph || !fused) return std::nullopt;
  return *e.blocked_graph <= as_good_as * *fused;
}

std::string size_sentence(const Evidence& e) {
  if (!e.separate_stream) return "unknown: separate/stream has no wall time. " + blocking_text(e) + ".";
  const std::string payer =
      payer_of(e) == Payer::unknown ? "what it pays for is unknown: too little was measured" : payer_text(e);
  return fmt::format("{}. {}. {}.", payer, remedy_text(e), blocking_text(e));
}

std::string pipeline_sentence(const std::string& title, const std::vector<MeasuredSize>& sizes) {
  struct Run {
    Payer payer;
    Remedy remedy;
    std::int64_t first, last;
  };
  std::vector<Run> runs;
  int good = 0;
  int judged = 0;
  for (const MeasuredSize& size : sizes) {
    const Evidence e = evidence_of(size);
    const Payer payer = payer_of(e);
    const Remedy remedy = remedy_of(e);
    if (const std::optional<bool> blocking = blocking_as_good_as_fusion(e)) {
      ++judged;
      good += *blocking ? 1 : 0;
    }
    if (!runs.empty() && runs.back().payer == payer && runs.back().remedy == remedy)
      runs.back().last = size.n;
    else
      runs.push_back({payer, remedy, size.n, size.n});
  }
  std::vector<std::string> parts;
  for (const Run& run : runs) {
    const std::string range = run.first == run.last
                                  ? "at " + size_text(run.first)
                                  : "from " + size_text(run.first) + " to " + size_text(run.last);
    parts.push_back(fmt::format("{} for {} ({})", range, name_of(run.payer), name_of(run.remedy)));
  }
  const std::string blocking =
      judged == 0 ? "whether a graph made blocking as good as fusion was not measured"
                  : fmt::format("a graph made blocking as good as fusion at {} of {} sizes", good, judged);
  return fmt::format("{} pays {}; {}.", title, fmt::join(parts, "; "), blocking);
}

std::string size_text(std::int64_t n) {
  const auto value = static_cast<std::uint64_t>(n);
  return std::has_single_bit(value) && n >= 1024 ? fmt::format("2^{}", std::countr_zero(value))
                                                 : fmt::format("{}", n);
}

}  // namespace gvf::study
