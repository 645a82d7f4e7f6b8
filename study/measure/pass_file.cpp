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

json edges_json(const profiling::StreamEdges& edges) {
  json object{{"gap_ns", edges.gap_ns}};
  if (edges.busy_launch_to_start_ns) object["busy_launch_to_start_ns"] = *edges.busy_launch_to_start_ns;
  return object;
}

profiling::StreamEdges edges_from(const json& object) {
  profiling::StreamEdges edges;
  edges.gap_ns = object.at("gap_ns");
  if (object.contains("busy_launch_to_start_ns")) {
    edges.busy_launch_to_start_ns = object["busy_launch_to_start_ns"].get<profiling::Nanoseconds>();
  }
  return edges;
}

json rows_json(const std::map<std::string, PassRow>& rows) {
  json object = json::object();
  for (const auto& [name, row] : rows) {
    json timelines = json::array();
    for (const Timeline& timeline : row.timelines) timelines.push_back(timeline_json(timeline));
    object[name] = {{"wall_us", row.wall_us}, {"host_us", row.host_us}, {"span_us", row.span_us},
                    {"no_span", row.no_span}, {"counts", row.counts},   {"timelines", timelines},
                    {"reason", row.reason}};
  }
  return object;
}

std::map<std::string, PassRow> rows_from(const json& object) {
  std::map<std::string, PassRow> rows;
  for (const auto& [name, row] : object.items()) {
    PassRow& into = rows[name];
    into.wall_us = row.at("wall_us").get<std::vector<double>>();
    into.host_us = row.at("host_us").get<std::vector<double>>();
    into.span_us = row.at("span_us").get<std::vector<double>>();
    into.no_span = row.at("no_span");
    into.counts = row.at("counts").get<std::map<std::string, double>>();
    into.reason = row.at("reason");
    for (const json& timeline : row.at("timelines")) into.timelines.push_back(timeline_from(timeline));
  }
  return rows;
}

}  // namespace

PassRow PassFile::row(const std::string& name) const {
  if (const auto found = rows.find(name); found != rows.end()) return found->second;
  PassRow missing;
  missing.reason = fmt::format("the {} pass has no row {}", mode, name);
  return missing;
}

void add(PassFile& whole, PassFile part) {
  whole.mode = part.mode;
  whole.references.merge(part.references);
  whole.edges.merge(part.edges);
  whole.rows.merge(part.rows);
}

std::vector<const PassFile*> Passes::taken() const {
  std::vector<const PassFile*> taken;
  for (const PassFile* pass : {&untraced, &api, &kernel, &graph, &counters}) {
    if (!pass->mode.empty()) taken.push_back(pass);
  }
  return taken;
}

json to_json(const PassFile& pass) {
  json references = json::object();
  for (const auto& [problem, rows] : pass.references) references[problem] = rows_json(rows);
  json edges = json::object();
  for (const auto& [problem, edge] : pass.edges) edges[problem] = edges_json(edge);
  return {{"mode", pass.mode}, {"references", references}, {"edges", edges}, {"rows", rows_json(pass.rows)}};
}

PassFile pass_from_json(const json& object, const std::string& file) {
  try {
    PassFile pass;
    pass.mode = object.at("mode");
    for (const auto& [problem, rows] : object.at("references").items())
      pass.references[problem] = rows_from(rows);
    for (const auto& [problem, edge] : object.at("edges").items()) pass.edges[problem] = edges_from(edge);
    pass.rows = rows_from(object.at("rows"));
    return pass;
  } catch (const json::exception& error) {
    throw BadInput(fmt::format("{}: not a pass file: {}", file, error.what()));
  }
}

}  // namespace gvf::study
