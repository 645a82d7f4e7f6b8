// The machine's tables of study/recordings/tables.hpp: ceilings, what the instruments cost, where L2 ends.
#include <fmt/format.h>

#include "study/exit_code.hpp"
#include "study/recordings/tables.hpp"

namespace gvf::study {

namespace {

using nlohmann::json;

template <class Fill>
Table from_machine(Table table, const json& part, const char* name, Fill&& fill) {
  if (part.is_null()) return table;
  try {
    fill(table, part);
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("machine.json: '{}' is damaged: {}; run `gvf calibrate --output` again", name,
                               error.what()));
  }
  return table;
}

std::string number(const json& object, const char* key, int decimals) {
  const auto found = object.find(key);
  if (found == object.end()) return "-";
  return fmt::format("{:.{}f}", found->get<double>(), decimals);
}

std::string megabytes(double bytes) {
  return fmt::format("{:.1f}", bytes / 1e6);
}

}  // namespace

Table machine_table(const MachineCeilings& machine) {
  Table table{"Measured ceilings", {{"traffic", false}, {"GB/s", true}}, {}, {}};
  const auto add = [&](const char* name, const std::optional<double>& gbps) {
    if (gbps)
      table.rows.push_back({{name, fmt::format("{:.0f}", *gbps)}, ""});
    else
      table.rows.push_back({{name}, "not measured"});
  };
  add("read", machine.read_gbps);
  add("write", machine.write_gbps);
  add("copy (read + write)", machine.copy_gbps);
  add("read from L2", machine.l2_read_gbps);
  return table;
}

Table instrument_table(const MachineCeilings& machine) {
  Table empty{"What each instrument costs",
              {{"instrument", false},
               {"records", false},
               {"workload", false},
               {"host µs a call", true},
               {"wall µs", true},
               {"p10-p90", true},
               {"period µs", true},
               {"device µs a record", true}},
              {},
              {"Empty kernels but for those of 33 µs; medians of isolated iterations."}};
  return from_machine(
      std::move(empty), machine.instruments, "instruments", [](Table& table, const json& part) {
        for (const json& instrument : part) {
          for (const json& cost : instrument.at("cost")) {
            table.rows.push_back({{instrument.at("name"), instrument.at("records"), cost.at("what"),
                                   number(cost, "host_us_per_call", 2), number(cost, "wall_us", 1),
                                   fmt::format("{:.1f}-{:.1f}", cost.at("wall_p10_us").get<double>(),
                                               cost.at("wall_p90_us").get<double>()),
                                   number(cost, "period_us", 1), number(cost, "device_us_per_record", 2)},
                                  ""});
          }
        }
      });
}

Table knee_table(const MachineCeilings& machine) {
  Table empty{"Where L2 ends", {{"working set MB", true}, {"from DRAM", true}, {"GB/s", true}}, {}, {}};
  return from_machine(std::move(empty), machine.l2_knee, "l2_knee", [](Table& table, const json& part) {
    for (const json& point : part.at("points")) {
      table.rows.push_back({{megabytes(point.at("bytes").get<double>()),
                             fmt::format("{:.0f}%", 100 * point.at("dram_fraction").get<double>() + 0.0),
                             number(point, "gbps", 0)},
                            ""});
    }
    table.notes.push_back(
        "The same bytes read again and again (sum_abs/fused/graph), by counters and by clock.");
    if (part.contains("resident_up_to_bytes"))
      table.notes.push_back(fmt::format("Resident (DRAM sees less than a tenth) up to {} MB.",
                                        megabytes(part["resident_up_to_bytes"].get<double>())));
    if (part.contains("streaming_from_bytes"))
      table.notes.push_back(fmt::format("Streaming (DRAM sees more than nine tenths) from {} MB.",
                                        megabytes(part["streaming_from_bytes"].get<double>())));
  });
}

}  // namespace gvf::study
