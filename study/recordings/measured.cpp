// Implements study/recordings/measured.hpp.
#include "study/recordings/measured.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <tuple>

#include "study/catalog.hpp"

namespace gvf::study {

namespace {

std::optional<Quantity> copy_of(const BenchRow& row, std::string_view quantity) {
  const Quantity* found = row.find(quantity);
  return found ? std::optional(*found) : std::nullopt;
}

void join(Measured& measured, const BenchRow& row) {
  if (!row.label.empty()) measured.marks.push_back(row.name.clock + ": " + row.label);
  if (!row.fault.empty()) {
    if (measured.fault.empty()) measured.fault = row.fault;
    return;
  }
  const auto fill = [&](std::optional<Quantity>& into, const char* quantity) {
    if (!into) into = copy_of(row, quantity);
  };
  // Each clock has its own row; a throughput row's wall is that of many iterations.
  if (row.name.clock == "latency") {
    fill(measured.wall, "wall_us");
    fill(measured.span, "span_us");
    fill(measured.host, "host_us");
  } else {
    fill(measured.period, "period_us");
    if (!measured.host) measured.host = copy_of(row, "host_us");
    if (!measured.span) measured.span = copy_of(row, "span_us");
  }
  if (const Quantity* kernels = row.find("kernels"))
    measured.kernels = static_cast<int>(std::lround(kernels->median));
  if (const Quantity* bytes = row.find("bytes_min")) measured.bytes_min = bytes->median;
  const Quantity* verified = row.find("verified");
  if (verified && verified->low < 1 && measured.fault.empty())
    measured.fault = "not verified: it was timed without passing the check";
}

void join(Measured& measured, const profiling::AttributionRow& row) {
  measured.split = row.split;
  measured.counters = row.counters;
  measured.not_separable = row.not_separable;
  if (!row.attribution) {
    measured.attribution_fault = "withheld: " + row.withheld;
    return;
  }
  const double sum = row.attribution->parts.sum();
  const double wall = row.attribution->wall_us;
  if (wall <= 0) {
    measured.attribution_fault = fmt::format("its wall of {:g} µs is no time", wall);
  } else if (std::abs(sum - wall) > 0.01 + 1e-3 * wall) {
    measured.attribution_fault = fmt::format("its parts add up to {:.2f} µs, its wall is {:.2f}", sum, wall);
  } else {
    measured.attribution = row.attribution;
  }
}

// Withdraws the row's numbers when one of them cannot be right.
void judge(Measured& measured, const Recording& recording) {
  const auto positive = [&](const std::optional<Quantity>& quantity, const char* what) {
    if (quantity && quantity->low <= 0 && measured.fault.empty())
      measured.fault = fmt::format("a {} of {:g} µs is no time", what, quantity->low);
  };
  positive(measured.wall, "wall");
  positive(measured.period, "period");
  positive(measured.span, "span");
  if (measured.fault.empty() && measured.bytes_min && (measured.period || measured.wall)) {
    const double time_us = measured.period ? measured.period->median : measured.wall->median;
    const double gbps = *measured.bytes_min / time_us * 1e-3;
    const std::optional<Ceiling> ceiling = honest_ceiling(recording, *measured.bytes_min);
    if (ceiling && gbps > ceiling->gbps)
      measured.fault =
          fmt::format("{:.0f} GB/s of useful bytes would exceed the measured {} ceiling of {:.0f} GB/s", gbps,
                      ceiling->name, ceiling->gbps);
    else
      measured.useful_gbps = gbps;
  }
  if (measured.fault.empty()) return;
  measured.wall = measured.host = measured.period = measured.span = std::nullopt;
  measured.kernels = std::nullopt;
  measured.useful_gbps = std::nullopt;
}

}  // namespace

TrafficOf catalog_traffic() {
  return [](const RowName& name) -> std::optional<ByteModel> {
    const std::optional<Structure> structure = parse_structure(name.structure);
    for (const Pipeline& pipeline : catalog()) {
      if (pipeline.name != name.pipeline || !structure) continue;
      const int k = name.k > 0 ? name.k : pipeline.default_k;
      return pipeline.byte_model(*structure, {.n = name.n, .k = k, .slices = name.slices});
    }
    return std::nullopt;
  };
}

const Measured* MeasuredSize::find(std::string_view structure, std::string_view submission) const {
  for (const Measured& measured : variants) {
    if (measured.name.structure == structure && measured.name.submission == submission &&
        measured.name.slices == 0 && measured.name.repeats == 0)
      return &measured;
  }
  return nullptr;
}

std::vector<MeasuredSize> measured_sizes(const PipelineRecording& pipeline, const Recording& recording) {
  using Order = std::tuple<int, std::string, int, std::string, int,
                           int>;  // ranks, with names to tell unknown ones apart
  std::map<std::pair<int, std::int64_t>, std::map<Order, Measured>> sizes;
  const auto at = [&](const RowName& name) -> Measured& {
    const Order order{structure_rank(name.structure),
                      name.structure,
                      submission_rank(name.submission),
                      name.submission,
                      name.slices,
                      name.repeats};
    Measured& measured = sizes[{name.k, name.n}][order];
    measured.name = name;
    measured.name.clock.clear();
    return measured;
  };
  for (const BenchRow& row : pipeline.bench) join(at(row.name), row);
  for (const AttributedRow& row : pipeline.attribution) join(at(row.name), row.row);
  std::vector<MeasuredSize> out;
  for (auto& [size, variants] : sizes) {
    MeasuredSize measured{pipeline.name, size.second, size.first, {}};
    for (auto& [order, variant] : variants) {
      judge(variant, recording);
      measured.variants.push_back(std::move(variant));
    }
    out.push_back(std::move(measured));
  }
  return out;
}

std::optional<Ceiling> honest_ceiling(const Recording& recording, double bytes) {
  if (!recording.machine) return std::nullopt;
  const MachineCeilings& machine = *recording.machine;
  Ceiling best;
  const auto consider = [&](const std::optional<double>& gbps, std::string_view name) {
    if (gbps && *gbps > best.gbps) best = {*gbps, name};
  };
  consider(machine.read_gbps, "read");
  consider(machine.write_gbps, "write");
  consider(machine.copy_gbps, "copy");
  // An L2 of unknown size could hold anything.
  const std::optional<std::int64_t>& l2 = recording.provenance.l2_bytes;
  if (!l2 || bytes <= 4.0 * static_cast<double>(*l2)) consider(machine.l2_read_gbps, "L2 read");
  return best.gbps > 0 ? std::optional(best) : std::nullopt;
}

std::optional<double> expected_busy_us(const ByteModel& model, const MachineCeilings& machine) {
  double us = 0;
  for (int role = 0; role < model.roles; ++role) {
    const KernelTraffic& kernel = model.kernels[static_cast<std::size_t>(role)];
    const auto bytes = static_cast<double>(kernel.bytes());
    if (bytes <= 0) continue;
    const double written = static_cast<double>(kernel.write_bytes) / bytes;
    // Towards the end of the scale that this mix lies on; a vanishing share of writes needs no copy ceiling.
    const std::optional<double>& end = written <= 0.5 ? machine.read_gbps : machine.write_gbps;
    const double share = written <= 0.5 ? written / 0.5 : (1 - written) / 0.5;
    constexpr double vanishing = 1e-3;
    const bool needs_copy = share > vanishing;
    const bool needs_end = share < 1 - vanishing;
    if ((needs_copy && !machine.copy_gbps) || (needs_end && !end)) return std::nullopt;
    const double time_per_byte =
        (needs_copy ? share / *machine.copy_gbps : 0) + (needs_end ? (1 - share) / *end : 0);
    us += bytes * time_per_byte * 1e-3;
  }
  return us > 0 ? std::optional(us) : std::nullopt;
}

}  // namespace gvf::study
