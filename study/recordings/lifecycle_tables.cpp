// Implements study/recordings/lifecycle_tables.hpp.
#include "study/recordings/lifecycle_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/lifecycle.hpp"

namespace gvf::study {
namespace {

using nlohmann::json;
namespace cost = graphs::cost;

constexpr std::array clocks{"host_us", "wall_us", "device_us"};

// Rows of one shape.
using Rows = std::vector<const json*>;

Rows of_shape(const json& rows, const std::string& shape) {
  Rows found;
  for (const json& row : rows) {
    if (row.at("shape") == shape) found.push_back(&row);
  }
  return found;
}

// "host_us" -> "host": the table's note has the unit.
std::string without_unit(std::string_view clock) {
  return std::string(clock.substr(0, clock.find('_')));
}

// Without a minus before zero.
std::string rounded(double value, int digits) {
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string number(double value) {
  return value < 100 ? fmt::format("{:.2f}", value) : fmt::format("{:.0f}", value);
}

// The cells of a line a + b x with its error, in units of 1/`scale`; "-" where there is none.
void add_line(TableRow& row, const json* fit, const char* a, const char* b, double scale) {
  if (fit == nullptr || !fit->contains(a)) {
    row.cells.insert(row.cells.end(), 3, "-");
    return;
  }
  row.cells.push_back(rounded(scale * fit->at(a).get<double>(), 2));
  row.cells.push_back(rounded(scale * fit->at(b).get<double>(), 4));
  row.cells.push_back(fmt::format("{:.0f}%", 100 * fit->at("relative_error").get<double>()));
}

// The line through this cost on this clock, null where there is none.
const json* find_fit(const Rows& fits, const char* name, const char* clock) {
  for (const json* fit : fits) {
    if (fit->at("cost") == name && fit->at("clock") == clock) return fit;
  }
  return nullptr;
}

// What the columns of a table of costs are.
struct Axis {
  const char* key;    // of a graph
  const char* slope;  // of a fit
  const char* per;    // "b/node"
};

TableRow cost_row(const Rows& graphs, const char* name, const char* clock, const json* fit,
                  const Axis& axis) {
  TableRow row{{name, without_unit(clock)}, {}};
  const json::json_pointer path(fmt::format("/costs/{}/{}/p50", name, clock));
  for (const json* graph : graphs)
    row.cells.push_back(graph->contains(path) ? number(graph->at(path).get<double>()) : "-");
  add_line(row, fit, "a_us", axis.slope, 1);
  return row;
}

TableRow memory_row(const Rows& graphs, const json* fit) {
  TableRow row{{"memory, KiB", ""}, {}};
  for (const json* graph : graphs) {
    if (!graph->contains("memory")) {
      row.cells.emplace_back("-");
      continue;
    }
    const json& memory = graph->at("memory");
    const double bytes = memory.at("bytes_per_executable").get<double>();
    const double resolution = memory.at("resolution_bytes").get<double>();
    row.cells.push_back(bytes > resolution ? number(bytes / 1024)
                                           : fmt::format("<{:.0f}", resolution / 1024));
  }
  add_line(row, fit, "a_bytes", "b_bytes_per_node", 1.0 / 1024);
  return row;
}

// Costs along a series of graphs: a column each, then the line through them.
Table costs_table(std::string title, const Rows& graphs, const Rows& fits, const json* memory_fit,
                  const Axis& axis) {
  Table table{std::move(title), {{"cost", false}, {"clock", false}}, {}, {}};
  for (const json* graph : graphs)
    table.columns.push_back({fmt::format("{}", graph->at(axis.key).get<long>())});
  for (const char* column : {"a", axis.per, "fit error"}) table.columns.push_back({column});
  for (const char* name : cost::all) {
    for (const char* clock : clocks) {
      const json::json_pointer path(fmt::format("/costs/{}/{}", name, clock));
      if (std::any_of(graphs.begin(), graphs.end(), [&](const json* graph) { return graph->contains(path); }))
        table.rows.push_back(cost_row(graphs, name, clock, find_fit(fits, name, clock), axis));
    }
  }
  table.rows.push_back(memory_row(graphs, memory_fit));
  std::map<std::string, std::string> missing;  // what, and why -> where
  for (const json* graph : graphs) {
    const json of_graph = graph->value("missing", json::object());
    for (const auto& [what, why] : of_graph.items()) {
      std::string& where = missing[fmt::format("no {} ({})", what, why.get<std::string>())];
      where += fmt::format("{}{}", where.empty() ? "" : ", ", graph->at(axis.key).get<long>());
    }
  }
  for (const auto& [what, where] : missing) table.notes.push_back(fmt::format("{}: {}", where, what));
  return table;
}

std::string replays(const json& value) {
  if (value.is_string()) return value.get<std::string>();
  const double count = value.get<double>();
  return count < 1e6 ? fmt::format("{:.0f}", count) : fmt::format("{:.1e}", count);
}

// "12 (9-never)"; an interval of one number is left out.
std::string break_even(const json& row) {
  const std::string at = replays(row.at("replays"));
  const std::string low = replays(row.at("low"));
  const std::string high = replays(row.at("high"));
  return low == at && high == at ? at : fmt::format("{} ({}-{})", at, low, high);
}

std::string scenario_of(const json& row) {
  std::string text = row.at("scenario").get<std::string>();
  if (row.contains("update")) text += ", " + row.at("update").get<std::string>();
  if (row.contains("replays_per_shape"))
    text += fmt::format(" every {:.0f} replays", row.at("replays_per_shape").get<double>());
  return text;
}

// A row a scenario and clock, in the order of the file; "-" where a number of nodes has none.
Table break_even_table(std::string title, const Rows& graphs, const Rows& rows) {
  Table table{std::move(title), {{"scenario", false}, {"clock", false}}, {}, {}};
  for (const json* graph : graphs)
    table.columns.push_back({fmt::format("{} nodes", graph->at("nodes").get<int>())});
  using Key = std::pair<std::string, std::string>;
  std::vector<Key> keys;
  std::map<std::pair<Key, int>, std::string> cells;
  for (const json* row : rows) {
    const Key key{scenario_of(*row), without_unit(row->at("clock").get<std::string>())};
    if (std::find(keys.begin(), keys.end(), key) == keys.end()) keys.push_back(key);
    cells[{key, row->at("nodes").get<int>()}] = break_even(*row);
  }
  for (const Key& key : keys) {
    TableRow& row = table.rows.emplace_back(TableRow{{key.first, key.second}, {}});
    for (const json* graph : graphs) {
      const auto found = cells.find({key, graph->at("nodes").get<int>()});
      row.cells.push_back(found == cells.end() ? "-" : found->second);
    }
  }
  table.notes.emplace_back(
      "Replays after which the one-off costs are paid, against a launch call for every kernel; in brackets "
      "what samples from p10 to p90 allow.");
  return table;
}

}  // namespace

Document lifecycle_tables(const json& lifecycle) {
  Document document;
  document.push_back(Paragraph{
      fmt::format("Medians, µs; nodes are {}; replay_* contain their update. A cost of x nodes, or KiB of "
                  "parameters, is a + b x; the fit error is the largest deviation from it, relative.",
                  lifecycle.at("nodes_are").get<std::string>())});
  for (const graphs::Shape shape : graphs::all_shapes) {
    const std::string name(graphs::to_string(shape));
    const Rows graphs = of_shape(lifecycle.at("graphs"), name);
    if (graphs.empty()) continue;
    const Rows memory_fits = of_shape(lifecycle.at("memory_fits"), name);
    document.push_back(
        break_even_table("Break-even, " + name, graphs, of_shape(lifecycle.at("break_even"), name)));
    document.push_back(costs_table("Costs by nodes, " + name, graphs, of_shape(lifecycle.at("fits"), name),
                                   memory_fits.empty() ? nullptr : memory_fits.front(),
                                   {"nodes", "b_us_per_node", "b/node"}));
  }
  for (const graphs::Shape shape : graphs::all_shapes) {
    const std::string name(graphs::to_string(shape));
    const Rows graphs = of_shape(lifecycle.at("parameters"), name);
    if (graphs.empty()) continue;
    Table table = costs_table("Costs by bytes of parameters, " + name, graphs,
                              of_shape(lifecycle.at("parameter_fits"), name), nullptr,
                              {"parameter_bytes", "b_us_per_kib", "b/KiB"});
    table.notes.push_back(fmt::format("Graphs of {} nodes.", graphs.front()->at("nodes").get<int>()));
    document.push_back(std::move(table));
  }
  return document;
}

}  // namespace gvf::study
