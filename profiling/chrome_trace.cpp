// Which tracks, slices and arrows make a timeline readable: see chrome_trace.hpp.
#include "profiling/chrome_trace.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <string_view>
#include <utility>

#include "profiling/lanes.hpp"
#include "profiling/part_intervals.hpp"
#include "profiling/trace_events.hpp"

namespace gvf::profiling {

using nlohmann::json;

namespace {

struct Look {
  std::string_view colour;  // reserved colours: catapult's color_scheme.html
  const char* meaning;
};

Look look_of(Part part) {
  switch (part) {
    case Part::launch_latency:
      return {"thread_state_runnable", "from the first launch call's start to the first work's start"};
    case Part::gap:
      return {"yellow", "device idle between works, as long as it is with the host ahead"};
    case Part::starved:
      return {"terrible", "device idle beyond the gap: an infinitely early host would remove it"};
    case Part::busy:
      return {"good", "at least one kernel, copy or memset is running"};
    case Part::completion:
      return {"grey", "from the last work's end to the return of the synchronisation"};
  }
  return {};
}

// The records of all iterations, with what is to be said about each.
struct Drawn {
  std::vector<Interval> at;
  std::vector<Slice> slices;
  std::vector<Track> tracks;

  void add(Slice slice) {
    at.push_back(slice.at);
    slices.push_back(std::move(slice));
  }
};

// As many tracks as the slices need lanes; those after the first are named as what they are.
void draw(TraceEvents& events, Drawn& drawn, const std::string& process, const std::string& name,
          Overlap overlap) {
  std::vector<Track> lanes;
  for (std::size_t lane : assign_lanes(drawn.at, overlap)) {
    while (lanes.size() <= lane) {
      const std::string suffix = lanes.empty() ? "" : " (overlap " + std::to_string(lanes.size()) + ")";
      lanes.push_back(events.add_track(process, name + suffix));
    }
    drawn.tracks.push_back(lanes[lane]);
  }
  for (std::size_t i = 0; i < drawn.slices.size(); ++i) events.add_slice(drawn.tracks[i], drawn.slices[i]);
}

// Where a record's slice is, for the arrows.
struct Place {
  Drawn* drawn = nullptr;
  std::size_t index = 0;

  Track track() const { return drawn->tracks[index]; }
  Nanoseconds begin() const { return drawn->at[index].begin; }
};

Slice iteration_slice(const std::string& name, std::size_t i, const Timeline& timeline, const Join& joined) {
  return {name + " #" + std::to_string(i),
          "iteration",
          {timeline.start, timeline.sync_return},
          {{"wall_ns", timeline.wall()},
           {"host_ns", joined.host},
           {"calls", timeline.calls.size()},
           {"works", timeline.works.size()},
           {"remark", "times of a traced run: tracing adds to them"}}};
}

void add_account(json& args, const Account& parts, Nanoseconds device_gap) {
  args["launch_latency_ns"] = parts.launch_latency;
  args["starved_ns"] = parts.starved;
  args["gap_ns"] = parts.gap;
  args["busy_ns"] = parts.busy;
  args["completion_ns"] = parts.completion;
  args["device_gap_ns"] = device_gap;
  if (parts.launch_latency < 0 || parts.completion < 0) {
    args["clocks"] = "host and device clock disagree: parts are cut at the iteration's edges";
  }
}

Slice call_slice(const Call& call, std::size_t works) {
  return {std::string(base_name(call.name)),
          "api",
          call.at,
          {{"duration_ns", call.at.length()}, {"correlation_id", call.correlation_id}, {"works", works}}};
}

Slice work_slice(const Timeline& timeline, const Join& joined, std::size_t w) {
  const Work& work = timeline.works[w];
  json args = {
      {"duration_ns", work.at.length()}, {"correlation_id", work.correlation_id}, {"stream", work.stream}};
  if (work.graph_id) args["graph_id"] = work.graph_id;
  if (work.node_id) args["node_id"] = work.node_id;
  if (const auto c = joined.call_of_work[w]) {
    const Call& call = timeline.calls[*c];
    const auto& siblings = joined.works_of_call[*c];
    const auto rank = std::find(siblings.begin(), siblings.end(), w) - siblings.begin() + 1;
    args["submitted_by"] = base_name(call.name);
    args["work_of_that_call"] = std::to_string(rank) + " of " + std::to_string(siblings.size());
    args["since_that_call_began_ns"] = work.at.begin - call.at.begin;
  } else {
    args["submitted_by"] = "a call that was not recorded";
  }
  const std::string kind(to_string(work.kind));
  return {work.name.empty() ? kind : work.name, to_string(work.kind), work.at, std::move(args)};
}

Nanoseconds earliest(const std::vector<Timeline>& timelines, const ChromeTraceOptions& options) {
  Nanoseconds first = timelines.front().start;
  for (const Timeline& timeline : timelines) {
    first = std::min(first, timeline.start);
    for (const Call& call : timeline.calls) first = std::min(first, call.at.begin);
    for (const Work& work : timeline.works) first = std::min(first, work.at.begin);
  }
  for (const BandwidthSample& sample : options.bandwidth) first = std::min(first, sample.at);
  return first;
}

std::optional<Reason> why_not_drawn(const std::vector<Timeline>& timelines,
                                    const ChromeTraceOptions& options) {
  if (timelines.empty()) return Reason{"no timelines to draw"};
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const std::string iteration = "iteration " + std::to_string(i);
    if (const auto fault = find_fault(timelines[i])) return Reason{iteration + ": " + fault->text};
    if (i > 0 && timelines[i].start < timelines[i - 1].sync_return)
      return Reason{iteration +
                    " starts before the one before it has returned: parts are those of isolated " +
                    "iterations"};
  }
  for (const BandwidthSample& sample : options.bandwidth) {
    if (!std::isfinite(sample.gbps) || sample.gbps < 0)
      return Reason{"bandwidth sample at " + std::to_string(sample.at) +
                    " ns is not a rate: " + std::to_string(sample.gbps) + " GB/s"};
  }
  return std::nullopt;
}

}  // namespace

Result<json> chrome_trace(const std::string& name, const std::vector<Timeline>& timelines,
                          const ChromeTraceOptions& options) {
  if (const auto reason = why_not_drawn(timelines, options)) return *reason;

  Drawn iterations, parts, calls;
  std::map<std::uint32_t, Drawn> streams;
  std::vector<std::pair<Place, Place>> launches;
  for (std::size_t i = 0; i < timelines.size(); ++i) {
    const Timeline& timeline = timelines[i];
    const auto joined = join(timeline);
    if (!joined) return joined.reason();

    Slice iteration = iteration_slice(name, i, timeline, *joined);
    if (options.device_gap) {
      const auto accounted = account(timeline, *options.device_gap);
      const auto pieces = part_intervals(timeline, *options.device_gap);
      if (!accounted || !pieces) return accounted ? pieces.reason() : accounted.reason();
      add_account(iteration.args, *accounted, *options.device_gap);
      for (const PartInterval& piece : *pieces) {
        const Look look = look_of(piece.part);
        parts.add({std::string(to_string(piece.part)),
                   "part",
                   piece.at,
                   {{"duration_ns", piece.at.length()}, {"iteration", i}, {"meaning", look.meaning}},
                   look.colour});
      }
    }
    iterations.add(std::move(iteration));

    std::vector<Place> place_of_work;
    for (std::size_t w = 0; w < timeline.works.size(); ++w) {
      Drawn& stream = streams[timeline.works[w].stream];
      place_of_work.push_back({&stream, stream.slices.size()});
      stream.add(work_slice(timeline, *joined, w));
    }
    for (std::size_t c = 0; c < timeline.calls.size(); ++c) {
      const auto& works = joined->works_of_call[c];
      const Place place{&calls, calls.slices.size()};
      calls.add(call_slice(timeline.calls[c], works.size()));
      // One arrow a launch: a fan to every node of a graph hides the nodes, which name their launch in their
      // args. None back in time, where the clocks disagree.
      if (!works.empty() && place_of_work[works.front()].begin() >= place.begin())
        launches.emplace_back(place, place_of_work[works.front()]);
    }
  }

  TraceEvents events(earliest(timelines, options));
  draw(events, iterations, "iterations", "iteration", Overlap::never);
  if (options.device_gap) draw(events, parts, "iterations", "parts of the iteration", Overlap::never);
  draw(events, calls, "host", "CUDA API calls", Overlap::nests);
  for (auto& [stream, works] : streams)
    draw(events, works, "device", "stream " + std::to_string(stream), Overlap::never);
  for (const BandwidthSample& sample : options.bandwidth)
    events.add_counter("device", sample.track, "GB/s", sample.at, sample.gbps);
  for (const auto& [call, work] : launches)
    events.add_arrow("launch", call.track(), call.begin(), work.track(), work.begin());
  return json{{"traceEvents", events.events()}, {"displayTimeUnit", "ns"}, {"otherData", {{"name", name}}}};
}

}  // namespace gvf::profiling
