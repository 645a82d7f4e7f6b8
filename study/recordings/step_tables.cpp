// Implements study/recordings/step_tables.hpp.
#include "study/recordings/step_tables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

namespace gvf::study {
namespace {

using nlohmann::json;

// "1.02 (1.01-1.05)", median and p10 to p90.
std::string with_spread(const json& spread) {
  return fmt::format("{:.2f} ({:.2f}-{:.2f})", spread.at("p50").get<double>(), spread.at("p10").get<double>(),
                     spread.at("p90").get<double>());
}

// A figure that costs nothing a step is a hair around zero.
std::string median_of(const json& spread) {
  const double us = spread.at("p50").get<double>();
  return fmt::format("{:.2f}", std::abs(us) < 0.005 ? 0.0 : us);
}

const json* find_row(const json& rows, const std::string& way, const std::string& shape) {
  const auto found = std::find_if(rows.begin(), rows.end(), [&](const json& row) {
    return row.at("way") == way && row.at("shape") == shape;
  });
  return found == rows.end() ? nullptr : &*found;
}

std::string shape_title(const json& shape) {
  const auto threads = shape.at("blocks").get<int>() * shape.at("threads").get<int>();
  const auto work = shape.at("work").get<std::string>();
  return fmt::format("{}{} threads", work == "load" ? "" : work + " kernels, ", threads);
}

Table ways_table(const json& steps) {
  Table table{"Cost of a step", {{"way", false}}, {}, {}};
  const json& shapes = steps.at("shapes");
  const auto first_shape = shapes.at(0).at("name").get<std::string>();
  for (const char* column : {"host", "wall", "launch: host", "launch: wall"})
    table.columns.push_back({column});
  for (const json& shape : shapes) table.columns.push_back({"device, " + shape_title(shape)});
  std::vector<std::string> ways;
  for (const json& row : steps.at("rows")) {
    const auto way = row.at("way").get<std::string>();
    if (std::find(ways.begin(), ways.end(), way) == ways.end()) ways.push_back(way);
  }
  for (const std::string& way : ways) {
    const json* first = find_row(steps.at("rows"), way, first_shape);
    if (first == nullptr || first->contains("missing")) {
      table.rows.push_back(
          {{way}, first == nullptr ? "not measured" : first->at("missing").get<std::string>()});
      continue;
    }
    TableRow row{{way}, {}};
    for (const char* clock : {"host_us", "wall_us"})
      row.cells.push_back(median_of(first->at(clock).at("step")));
    const bool one_launch = first->at("one_launch").get<bool>();
    for (const char* clock : {"host_us", "wall_us"})
      row.cells.push_back(one_launch ? median_of(first->at(clock).at("fixed")) : "-");
    for (const json& shape : shapes) {
      const json* at = find_row(steps.at("rows"), way, shape.at("name").get<std::string>());
      row.cells.push_back(
          at == nullptr || at->contains("missing") ? "-" : with_spread(at->at("device_us").at("step")));
    }
    table.rows.push_back(std::move(row));
  }
  table.notes.push_back(
      fmt::format("µs, each step waiting for the one before it; medians of {} rounds, in brackets p10 to "
                  "p90. A step is what {} steps cost more than {}, "
                  "divided by the {} between; \"launch\" is what is left of the {}.",
                  steps.at("rows").at(0).value("rounds", 0), steps.at("steps").at(1).get<int>(),
                  steps.at("steps").at(0).get<int>(),
                  steps.at("steps").at(1).get<int>() - steps.at("steps").at(0).get<int>(),
                  steps.at("steps").at(0).get<int>()));
  table.notes.push_back(
      "Host: inside the launch calls. Wall: an isolated launch, to the synchronisation's return. Device: the "
      "host far ahead, between two events. Host, wall and launch at the first shape.");
  return table;
}

Table calls_table(const json& calls) {
  Table table{"Calls on whole graphs", {{"call", false}, {"host", true}}, {}, {}};
  for (const json& call : calls)
    table.rows.push_back({{call.at("what").get<std::string>(), with_spread(call.at("host_us"))}, ""});
  table.notes.emplace_back("µs inside the call, a straight line of next to empty nodes.");
  return table;
}

}  // namespace

Document step_tables(const json& steps) {
  return {ways_table(steps), calls_table(steps.at("calls"))};
}

}  // namespace gvf::study
