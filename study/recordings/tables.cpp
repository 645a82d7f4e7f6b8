// The single tables of study/recordings/tables.hpp.
#include "study/recordings/tables.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

namespace gvf::study {

namespace {

const std::string absent = "-";

std::string us(double value) {
  return fmt::format("{:.1f}", value);
}
std::string us(const std::optional<double>& value) {
  return value ? us(*value) : absent;
}
std::string us(const std::optional<Quantity>& value) {
  return value ? us(value->median) : absent;
}

std::string range_of(const std::optional<Quantity>& value) {
  return value && value->repetitions > 1 ? fmt::format("{:.1f}-{:.1f}", value->low, value->high) : absent;
}

// base / value, "2.51x".
std::string speed_up(const std::optional<Quantity>& base, const std::optional<Quantity>& value) {
  return base && value ? fmt::format("{:.2f}x", base->median / value->median) : absent;
}

// "1.7 (14%)"; adding zero turns a rounded -0 into 0.
std::string with_share(double part, double wall) {
  return fmt::format("{:.1f} ({:.0f}%)", std::round(10 * part) / 10 + 0.0,
                     std::round(100 * part / wall) + 0.0);
}

// "10.3 / 10.1": out of traces and constants, and out of untraced clocks.
std::string two_routes(double by_parts, const std::optional<double>& by_clocks) {
  return fmt::format("{:.1f} / {}", by_parts, us(by_clocks));
}

std::vector<Column> columns(std::initializer_list<const char*> names) {
  std::vector<Column> out{{"structure", false}, {"submission", false}};
  for (const char* name : names) out.push_back({name, true});
  return out;
}

std::vector<std::string> variant_cells(const RowName& name) {
  const std::string slices = name.slices > 0 ? fmt::format(" ({} slices)", name.slices) : "";
  const std::string repeats = name.repeats > 0 ? fmt::format(" ({} a launch)", name.repeats) : "";
  return {name.structure + slices, name.submission + repeats};
}

// One note a kind of mark ("... by +8%" and "... by +17%" are one kind), naming all variants that carry it.
void add_marks(Table& table, const Measured& measured, const std::vector<std::string>& marks) {
  constexpr std::string_view amount = " by ";
  for (const std::string& mark : marks) {
    const auto split = mark.rfind(amount);
    const std::string kind = mark.substr(0, split);
    const std::string who = split == std::string::npos
                                ? measured.name.label()
                                : measured.name.label() + " " + mark.substr(split + amount.size());
    const auto same = std::find_if(table.notes.begin(), table.notes.end(),
                                   [&](const std::string& note) { return note.starts_with(kind + ": "); });
    if (same == table.notes.end()) {
      table.notes.push_back(kind + ": " + who);
    } else {
      *same += ", " + who;
    }
  }
}

}  // namespace

Table answer_table(const MeasuredSize& size) {
  Table table{"The answer",
              columns({"kernels", "wall µs", "min-max", "host µs", "period µs", "span µs", "useful GB/s",
                       "wall speed-up", "period speed-up"}),
              {},
              {}};
  const Measured* base = size.find("separate", "stream");
  const Measured none;
  if (!base) base = &none;
  for (const Measured& m : size.variants) {
    TableRow row{variant_cells(m.name), m.fault};
    if (m.fault.empty() && !m.wall && !m.period) row.message = "not timed";
    if (row.message.empty()) {
      row.cells.insert(row.cells.end(), {m.kernels ? fmt::format("{}", *m.kernels) : absent, us(m.wall),
                                         range_of(m.wall), us(m.host), us(m.period), us(m.span),
                                         m.useful_gbps ? fmt::format("{:.0f}", *m.useful_gbps) : absent,
                                         speed_up(base->wall, m.wall), speed_up(base->period, m.period)});
    }
    table.rows.push_back(std::move(row));
    add_marks(table, m, m.marks);
  }
  table.notes.insert(
      table.notes.begin(),
      "Medians over repetitions; min-max is their range. Useful bytes (input once, output once) per "
      "period; speed-ups over separate/stream.");
  return table;
}

Table attribution_table(const MeasuredSize& size) {
  Table table{"Where the wall goes",
              columns({"wall µs", "launch latency", "starved", "gap", "busy", "completion", "residual",
                       "launch side, 2 routes", "inside"}),
              {},
              {}};
  for (const Measured& m : size.variants) {
    if (!m.attribution && m.attribution_fault.empty()) continue;
    TableRow row{variant_cells(m.name), m.attribution_fault};
    if (m.attribution) {
      const profiling::Parts& p = m.attribution->parts;
      const double wall = m.attribution->wall_us;
      row.cells.push_back(us(wall));
      for (const double part :
           {p.launch_latency_us, p.starved_us, p.gap_us, p.busy_us, p.completion_us, p.residual_us})
        row.cells.push_back(with_share(part, wall));
      row.cells.push_back(two_routes(launch_side_us(p), launch_side_by_clocks_us(*m.attribution)));
      row.cells.push_back(m.attribution->modelled ? "modelled" : "measured");
      add_marks(table, m, m.attribution->marks);
      constexpr double same_wall = 0.10;
      if (m.wall && std::abs(m.wall->median - wall) > same_wall * m.wall->median)
        table.notes.push_back(fmt::format("{}: explains a wall of {:.1f} µs, the benchmark measured {:.1f}",
                                          m.name.label(), wall, m.wall->median));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table split_table(const MeasuredSize& size) {
  Table table{"Busy, split by the crossed arms",
              columns({"essential µs", "ramp µs", "round trip µs", "by clocks", "in L2", "in DRAM",
                       "round trip by persistent"}),
              {},
              {}};
  for (const Measured& m : size.variants) {
    if (!m.split && m.not_separable.empty()) continue;
    TableRow row{variant_cells(m.name), m.not_separable};
    if (m.split) {
      const profiling::Split& s = *m.split;
      row.message.clear();
      row.cells.insert(row.cells.end(),
                       {us(s.essential_us), us(s.ramp_us), us(s.round_trip_us), us(s.round_trip_by_clocks_us),
                        us(s.round_trip_l2_us), us(s.round_trip_dram_us), us(s.round_trip_by_persistent_us)});
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

Table counter_table(const MeasuredSize& size) {
  Table table{
      "Bytes, counted and modelled",
      columns({"DRAM read MB", "DRAM write MB", "model MB", "deviation", "SMs from L2 MB", "residence"}),
      {},
      {}};
  const auto megabytes = [](const std::optional<double>& bytes) {
    return bytes ? fmt::format("{:.1f}", *bytes / 1e6) : std::string(absent);
  };
  const auto model_of = [&](const profiling::CounterBytes& c) {
    return megabytes(c.model_bytes) +
           (c.model_most_bytes ? "-" + megabytes(c.model_most_bytes) : std::string());
  };
  for (const Measured& m : size.variants) {
    const profiling::CounterBytes& c = m.counters;
    if (!c.model_bytes && c.missing.empty()) continue;
    TableRow row{variant_cells(m.name), c.missing};
    if (c.missing.empty()) {
      std::string deviation = absent;
      if (c.deviation && c.residence != "resident") {
        deviation = fmt::format("{:+.1f}%", std::round(1000 * *c.deviation) / 10 + 0.0);
        if (c.allowed && std::abs(*c.deviation) > *c.allowed) deviation += " (!)";
      }
      row.cells.insert(row.cells.end(),
                       {megabytes(c.dram_read_bytes), megabytes(c.dram_write_bytes), model_of(c), deviation,
                        megabytes(c.l2_sm_bytes), c.residence.empty() ? std::string(absent) : c.residence});
    }
    table.rows.push_back(std::move(row));
  }
  if (!table.rows.empty())
    table.notes.push_back(
        "Blocked's model has two ends: L2 keeps all of its intermediates, or none. (!) marks what is further "
        "from the "
        "model than 3 %; below a working set of 16 L2, than 3 % and L2 / working set.");
  return table;
}

Table ceiling_table(const MeasuredSize& size, const Recording& recording, const TrafficOf& traffic) {
  Table table{"Busy against the ceiling", columns({"busy µs", "expected µs", "of ceiling"}), {}, {}};
  for (const Measured& m : size.variants) {
    if (!m.attribution) continue;
    const double busy = m.attribution->parts.busy_us;
    TableRow row{variant_cells(m.name), ""};
    const std::optional<ByteModel> model = traffic ? traffic(m.name) : std::nullopt;
    // 0: unknown.
    const double expected =
        model && recording.machine ? expected_busy_us(*model, *recording.machine).value_or(0) : 0;
    if (busy <= 0) {
      row.message = fmt::format("a busy time of {:g} µs is no time", busy);
    } else if (!model) {
      row.message = fmt::format("busy {}; this build has no byte model of it", us(busy));
    } else if (expected <= 0) {
      row.message = fmt::format("busy {}; a ceiling that it needs was not measured", us(busy));
    } else if (busy < expected) {
      // Legitimate where the data stays in L2; wrong where it cannot.
      const std::optional<std::int64_t>& l2 = recording.provenance.l2_bytes;
      const bool streaming = l2 && static_cast<double>(model->bytes()) > 4.0 * static_cast<double>(*l2) &&
                             m.name.structure != "blocked";
      row.message =
          streaming ? fmt::format(
                          "busy {} is less than the {} that DRAM allows: the byte model, the ceiling "
                          "or the trace is wrong",
                          us(busy), us(expected))
                    : fmt::format("busy {}; {} through DRAM: part of it stays in L2", us(busy), us(expected));
    } else {
      row.cells.insert(row.cells.end(),
                       {us(busy), us(expected), fmt::format("{:.0f}%", 100 * expected / busy)});
    }
    table.rows.push_back(std::move(row));
  }
  const auto busy_of = [&](const char* structure) -> std::optional<double> {
    for (const char* submission : {"stream", "graph"}) {
      const Measured* m = size.find(structure, submission);
      if (m && m->attribution && m->attribution->parts.busy_us > 0) return m->attribution->parts.busy_us;
    }
    return std::nullopt;
  };
  const auto ratio = [&](const char* above, const char* below) {
    const std::optional<double> a = busy_of(above);
    const std::optional<double> b = busy_of(below);
    table.notes.push_back(a && b ? fmt::format("busy({})/busy({}) = {:.2f}", above, below, *a / *b)
                                 : fmt::format("busy({})/busy({}): not measured", above, below));
  };
  ratio("separate", "fused");
  ratio("fused", "library");
  return table;
}

}  // namespace gvf::study
