// Chrome trace events: see chrome_trace.hpp. Format: "Trace Event Format" of the Chromium project.
#include "profiling/chrome_trace.hpp"

#include <algorithm>
#include <set>
#include <string_view>
#include <utility>

namespace gvf::profiling {

using nlohmann::json;

namespace {

// Processes and threads are only names of tracks here; a stream's thread id is its stream id.
constexpr int host_process = 1;
constexpr int device_process = 2;
constexpr int call_track = 0;
constexpr int iteration_track = 1;

json track_name(const char* level, int process, std::uint32_t track, const std::string& name) {
  return {{"ph", "M"}, {"name", level}, {"pid", process}, {"tid", track}, {"args", {{"name", name}}}};
}

}  // namespace

Result<json> chrome_trace(const std::string& name, const std::vector<Timeline>& timelines) {
  if (timelines.empty()) return Reason{"no timelines to draw"};
  const Nanoseconds origin = timelines.front().start;
  const auto us = [origin](Nanoseconds t) { return static_cast<double>(t - origin) / 1000.0; };
  const auto slice = [&](const std::string& title, std::string_view category, const Interval& at, int process,
                         std::uint32_t track, json args) {
    return json{{"ph", "X"},
                {"name", title},
                {"cat", category},
                {"ts", us(at.begin)},
                {"dur", static_cast<double>(at.length()) / 1000.0},
                {"pid", process},
                {"tid", track},
                {"args", std::move(args)}};
  };

  json events = json::array();
  std::set<std::uint32_t> streams;
  int flow = 0;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const Timeline& timeline = timelines[i];
    const auto joined = join(timeline);
    if (!joined) return Reason{"iteration " + std::to_string(i) + ": " + joined.reason().text};

    events.push_back(slice(name + " #" + std::to_string(i), "iteration",
                           {timeline.start, timeline.sync_return}, host_process, iteration_track,
                           json::object()));
    for (const Call& call : timeline.calls)
      events.push_back(slice(std::string(base_name(call.name)), "api", call.at, host_process, call_track,
                             {{"correlation", call.correlation_id}}));
    for (std::size_t w = 0; w < timeline.works.size(); ++w) {
      const Work& work = timeline.works[w];
      streams.insert(work.stream);
      json args = {{"correlation", work.correlation_id}};
      if (work.graph_id) args["graph"] = work.graph_id;
      if (work.node_id) args["node"] = work.node_id;
      const std::string title = work.name.empty() ? std::string(to_string(work.kind)) : work.name;
      events.push_back(
          slice(title, to_string(work.kind), work.at, device_process, work.stream, std::move(args)));
      if (!joined->call_of_work[w]) continue;
      const Call& call = timeline.calls[*joined->call_of_work[w]];
      json from = {{"ph", "s"},
                   {"id", ++flow},
                   {"name", "submit"},
                   {"cat", "submit"},
                   {"ts", us(call.at.begin)},
                   {"pid", host_process},
                   {"tid", call_track}};
      json to = {{"ph", "f"},
                 {"bp", "e"},
                 {"id", flow},
                 {"name", "submit"},
                 {"cat", "submit"},
                 {"ts", us(work.at.begin)},
                 {"pid", device_process},
                 {"tid", work.stream}};
      events.push_back(std::move(from));
      events.push_back(std::move(to));
    }
  }
  events.push_back(track_name("process_name", host_process, 0, "host"));
  events.push_back(track_name("process_name", device_process, 0, "device"));
  events.push_back(track_name("thread_name", host_process, call_track, "CUDA API"));
  events.push_back(track_name("thread_name", host_process, iteration_track, "iterations"));
  for (std::uint32_t stream : streams)
    events.push_back(track_name("thread_name", device_process, stream, "stream " + std::to_string(stream)));
  return json{{"traceEvents", std::move(events)}, {"displayTimeUnit", "ns"}, {"otherData", {{"name", name}}}};
}

}  // namespace gvf::profiling
