// Implements study/commands/lifecycle_tables.hpp.
#include "study/commands/lifecycle_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "graphs/lifecycle.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;
namespace cost = graphs::cost;

constexpr int name_width = 24;
constexpr int clock_width = 7;
constexpr int cell_width = 10;

// In the order of a life.
constexpr std::array order{cost::capture,
                           cost::build,
                           cost::instantiate,
                           cost::upload,
                           cost::first_launch,
                           cost::replay,
                           cost::stream,
                           cost::update_nodes,
                           cost::replay_update_nodes,
                           cost::update_graph,
                           cost::replay_update_graph,
                           cost::reinstantiate,
                           cost::destroy,
                           cost::build_updatable,
                           cost::instantiate_updatable,
                           cost::upload_updatable,
                           cost::first_launch_updatable,
                           cost::replay_update_device,
                           cost::replay_twin,
                           cost::destroy_updatable};
constexpr std::array clocks{"host_us", "wall_us", "device_us"};

using Text = std::back_insert_iterator<std::string>;

// "host_us" -> "host": the table's title has the unit.
std::string_view without_unit(std::string_view clock) {
  return clock.substr(0, clock.find('_'));
}

// Without a minus before zero.
std::string rounded(double value, int digits) {
  const std::string text = fmt::format("{:.{}f}", value, digits);
  return text.find_first_not_of("-0.") == std::string::npos && text[0] == '-' ? text.substr(1) : text;
}

std::string number(double us) {
  return us < 100 ? fmt::format("{:.2f}", us) : fmt::format("{:.0f}", us);
}

std::string share(const ordered_json& fit) {
  return fmt::format("{:.0f}%", 100 * fit.at("relative_error").get<double>());
}

void cell(Text out, std::string_view text) {
  fmt::format_to(out, " {:>{}}", text, cell_width);
}

// The fit of this cost on this clock among `fits`, null where there is none.
const ordered_json* find_fit(const std::vector<const ordered_json*>& fits, const char* name,
                             const char* clock) {
  for (const ordered_json* fit : fits) {
    if (fit->at("cost") == name && fit->at("clock") == clock && fit->contains("a_us")) return fit;
  }
  return nullptr;
}

// Costs along a series of graphs: a column each, then the line through them.
void costs_table(Text out, const std::vector<const ordered_json*>& graphs, const char* column,
                 const std::vector<const ordered_json*>& fits, const char* slope,
                 std::string_view slope_unit) {
  fmt::format_to(out, "{:<{}}{:<{}}", "cost", name_width, "clock", clock_width);
  for (const ordered_json* graph : graphs) cell(out, fmt::format("{}", graph->at(column).get<long>()));
  for (const std::string_view title : {std::string_view("a"), slope_unit, std::string_view("fit error")})
    cell(out, title);
  fmt::format_to(out, "\n");
  for (const char* name : order) {
    for (const char* clock : clocks) {
      const ordered_json::json_pointer path(fmt::format("/costs/{}/{}/p50", name, clock));
      if (!graphs.front()->contains(path)) continue;
      fmt::format_to(out, "{:<{}}{:<{}}", name, name_width, without_unit(clock), clock_width);
      for (const ordered_json* graph : graphs)
        cell(out, graph->contains(path) ? number(graph->at(path).get<double>()) : "-");
      if (const ordered_json* fit = find_fit(fits, name, clock)) {
        cell(out, rounded(fit->at("a_us").get<double>(), 2));
        cell(out, rounded(fit->at(slope).get<double>(), 4));
        cell(out, share(*fit));
      }
      fmt::format_to(out, "\n");
    }
  }
}

std::vector<const ordered_json*> of_shape(const ordered_json& rows, const std::string& shape) {
  std::vector<const ordered_json*> found;
  for (const ordered_json& row : rows) {
    if (row.at("shape") == shape) found.push_back(&row);
  }
  return found;
}

void memory_row(Text out, const std::vector<const ordered_json*>& graphs, const ordered_json* fit) {
  fmt::format_to(out, "{:<{}}{:<{}}", "memory, KiB", name_width, "", clock_width);
  for (const ordered_json* graph : graphs) {
    const ordered_json& memory = graph->at("memory");
    const double bytes = memory.at("bytes_per_executable").get<double>();
    const double resolution = memory.at("resolution_bytes").get<double>();
    cell(out, bytes > resolution ? number(bytes / 1024) : fmt::format("<{:.0f}", resolution / 1024));
  }
  if (fit != nullptr && fit->contains("a_bytes")) {
    cell(out, rounded(fit->at("a_bytes").get<double>() / 1024, 2));
    cell(out, rounded(fit->at("b_bytes_per_node").get<double>() / 1024, 4));
    cell(out, share(*fit));
  }
  fmt::format_to(out, "\n");
}

std::string replays(const ordered_json& value) {
  if (value.is_string()) return value.get<std::string>();
  const double count = value.get<double>();
  return count < 1e6 ? fmt::format("{:.0f}", count) : fmt::format("{:.1e}", count);
}

// "12 (9-never)"; an interval of one number is left out.
std::string break_even(const ordered_json& row) {
  const std::string at = replays(row.at("replays"));
  const std::string low = replays(row.at("low"));
  const std::string high = replays(row.at("high"));
  return low == at && high == at ? at : fmt::format("{} ({}-{})", at, low, high);
}

std::string title(const ordered_json& row) {
  std::string text = row.at("scenario").get<std::string>();
  if (row.contains("update")) text += ", " + row.at("update").get<std::string>();
  if (row.contains("replays_per_shape"))
    text += fmt::format(" every {:.0f} replays", row.at("replays_per_shape").get<double>());
  return text;
}

// A line a scenario and clock, in the order of the rows; "-" where a number of nodes has no row.
void break_even_table(Text out, const std::vector<const ordered_json*>& graphs,
                      const std::vector<const ordered_json*>& rows) {
  constexpr int title_width = 56;
  constexpr int replays_width = 20;
  std::vector<std::string> heads;
  std::map<std::pair<std::string, int>, std::string> cells;
  for (const ordered_json* row : rows) {
    const std::string head =
        fmt::format("{:<{}}{:<{}}", title(*row), title_width,
                    without_unit(row->at("clock").get_ref<const std::string&>()), clock_width);
    if (std::find(heads.begin(), heads.end(), head) == heads.end()) heads.push_back(head);
    cells[{head, row->at("nodes").get<int>()}] = break_even(*row);
  }
  fmt::format_to(out, "{:<{}}{:<{}}", "break-even after ... replays", title_width, "clock", clock_width);
  for (const ordered_json* graph : graphs)
    fmt::format_to(out, " {:>{}}", graph->at("nodes").get<int>(), replays_width);
  for (const std::string& head : heads) {
    fmt::format_to(out, "\n{}", head);
    for (const ordered_json* graph : graphs) {
      const auto found = cells.find({head, graph->at("nodes").get<int>()});
      fmt::format_to(out, " {:>{}}", found == cells.end() ? "-" : found->second, replays_width);
    }
  }
  fmt::format_to(out, "\n");
}

}  // namespace

std::string lifecycle_tables(const ordered_json& lifecycle) {
  std::string text;
  const Text out(text);
  fmt::format_to(out, "Medians, µs. Nodes are {}.\n", lifecycle.at("nodes_are").get<std::string>());
  for (const graphs::Shape shape : graphs::all_shapes) {
    const std::string name(graphs::to_string(shape));
    const auto graphs = of_shape(lifecycle.at("graphs"), name);
    if (graphs.empty()) continue;
    fmt::format_to(out, "\n{}, {} B of parameters, by number of nodes\n", name,
                   graphs.front()->at("parameter_bytes").get<int>());
    costs_table(out, graphs, "nodes", of_shape(lifecycle.at("fits"), name), "b_us_per_node", "b/node");
    const auto memory_fits = of_shape(lifecycle.at("memory_fits"), name);
    memory_row(out, graphs, memory_fits.empty() ? nullptr : memory_fits.front());
    fmt::format_to(out, "\n");
    break_even_table(out, graphs, of_shape(lifecycle.at("break_even"), name));
  }
  for (const graphs::Shape shape : graphs::all_shapes) {
    const std::string name(graphs::to_string(shape));
    const auto graphs = of_shape(lifecycle.at("parameters"), name);
    if (graphs.empty()) continue;
    fmt::format_to(out, "\n{} of {} nodes, by bytes of parameters\n", name,
                   graphs.front()->at("nodes").get<int>());
    costs_table(out, graphs, "parameter_bytes", of_shape(lifecycle.at("parameter_fits"), name),
                "b_us_per_kib", "b/KiB");
    memory_row(out, graphs, nullptr);
  }
  fmt::format_to(
      out,
      "\nreplay_* contain their update. Break-even: one-off costs over the saving per replay against "
      "a launch call\nfor every kernel; in brackets what samples from p10 to p90 allow.\n");
  return text;
}

}  // namespace gvf::study
