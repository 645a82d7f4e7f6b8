// Implements study/measure/pass_file.hpp. Timelines are arrays, not objects: a pass holds tens of thousands
// of records.
#include "study/measure/pass_file.hpp"

#include <fmt/format.h>

#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

using nlohmann::json;
using profiling::Timeline;

json timeline_json(const Timeline& timeline) {
  json calls = json::array();
  for (const auto& call : timeline.calls) {
    calls.push_back({call.at.begin, call.at.end, call.correlation_id, call.name});
  }
  json works = json::array();
  for (const auto& work : timeline.works) {
    works.push_back({work.at.begin, work.at.end, work.correlation_id, static_cast<int>(work.kind), work.name,
                     work.stream, work.graph_id, work.node_id});
  }
  return {
      {"start", timeline.start}, {"sync_return", timeline.sync_return}, {"calls", calls}, {"works", works}};
}

Timeline timeline_from(const json& object) {
  Timeline timeline;
  timeline.start = object.at("start").get<profiling::Nanoseconds>();
  timeline.sync_return = object.at("sync_return").get<profiling::Nanoseconds>();
  for (const json& call : object.at("calls")) {
    timeline.calls.push_back({{call.at(0), call.at(1)}, call.at(2), call.at(3)});
  }
  for (const json& work : object.at("works")) {
    timeline.works.push_back({{work.at(0), work.at(1)},
                              work.at(2),
                              static_cast<profiling::WorkKind>(work.at(3).get<int>()),
                              work.at(4),
                              work.at(5),
                              work.at(6),
                              work.at(7)});
  }
  return timeline;
}

}  // namespace

PassRow PassFile::row(const std::string& name) const {
  if (const auto found = rows.find(name); found != rows.end()) return found->second;
  return {{}, {}, fmt::format("the {} pass has no row {}", mode, name)};
}

json to_json(const PassFile& pass) {
  json rows = json::object();
  for (const auto& [name, row] : pass.rows) {
    json timelines = json::array();
    for (const Timeline& timeline : row.timelines) timelines.push_back(timeline_json(timeline));
    rows[name] = {{"wall_us", row.wall_us}, {"timelines", timelines}, {"reason", row.reason}};
  }
  return {{"mode", pass.mode}, {"empty_kernels", pass.empty_kernels}, {"rows", rows}};
}

PassFile pass_from_json(const json& object, const std::string& file) {
  try {
    PassFile pass;
    pass.mode = object.at("mode");
    pass.empty_kernels = object.at("empty_kernels");
    for (const auto& [name, row] : object.at("rows").items()) {
      PassRow& into = pass.rows[name];
      into.wall_us = row.at("wall_us").get<std::vector<double>>();
      into.reason = row.at("reason");
      for (const json& timeline : row.at("timelines")) into.timelines.push_back(timeline_from(timeline));
    }
    return pass;
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: not a pass file: {}", file, error.what()));
  }
}

}  // namespace gvf::study
