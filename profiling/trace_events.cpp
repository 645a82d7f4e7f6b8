// Chrome trace events: see trace_events.hpp.
#include "profiling/trace_events.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <tuple>
#include <utility>

namespace gvf::profiling {

using nlohmann::json;

namespace {

// At one time, slices come before what binds to them, and an arrow's tail before its head.
constexpr int slice_rank = 0;
constexpr int tail_rank = 1;
constexpr int head_rank = 2;
constexpr int counter_rank = 3;

}  // namespace

double trace_us(Nanoseconds time) {
  const double us = static_cast<double>(time) / 1000.0;
  if (us * 1000.0 >= static_cast<double>(time)) return us;
  return std::nextafter(us, std::numeric_limits<double>::infinity());
}

// Perfetto finds a thread by its id alone, takes 0 for the idle thread, and the thread with its process's id
// for the main one. So ids start at 1, none is used twice, and a process has the id of its first track.
Track TraceEvents::add_track(const std::string& process, const std::string& name) {
  const int thread = ++tracks_;
  const auto [known, is_new] = process_ids_.emplace(process, thread);
  const Track track{known->second, thread};
  if (is_new) {
    add_metadata("process_name", track, {{"name", process}});
    add_metadata("process_sort_index", track, {{"sort_index", track.process}});
  }
  add_metadata("thread_name", track, {{"name", name}});
  add_metadata("thread_sort_index", track, {{"sort_index", track.thread}});
  return track;
}

void TraceEvents::add_slice(const Track& track, const Slice& slice) {
  json event = {{"ph", "X"},
                {"name", slice.name},
                {"cat", slice.category},
                {"dur", trace_us(slice.at.length())},
                {"args", slice.args}};
  if (!slice.colour.empty()) event["cname"] = slice.colour;
  add(slice.at.begin, slice_rank, slice.at.length(), track, std::move(event));
}

void TraceEvents::add_arrow(const std::string& name, const Track& from_track, Nanoseconds from,
                            const Track& to_track, Nanoseconds to) {
  const json both = {{"name", name}, {"cat", "flow"}, {"id", ++arrows_}};
  json tail = both;
  tail["ph"] = "s";
  json head = both;
  head["ph"] = "f";
  head["bp"] = "e";  // bind to the slice that covers `to`, not to the next one
  add(from, tail_rank, 0, from_track, std::move(tail));
  add(to, head_rank, 0, to_track, std::move(head));
}

void TraceEvents::add_counter(const std::string& process, const std::string& name, const std::string& unit,
                              Nanoseconds at, double value) {
  const int id = process_ids_.at(process);
  add(at, counter_rank, 0, {id, id}, {{"ph", "C"}, {"name", name}, {"args", {{unit, value}}}});
}

json TraceEvents::events() const {
  std::vector<const Event*> ordered;
  for (const Event& event : events_) ordered.push_back(&event);
  std::stable_sort(ordered.begin(), ordered.end(), [](const Event* a, const Event* b) {
    return std::tuple(a->at, a->rank, -a->length) < std::tuple(b->at, b->rank, -b->length);
  });
  json all = metadata_;
  for (const Event* event : ordered) all.push_back(event->json);
  return all;
}

void TraceEvents::add(Nanoseconds at, int rank, Nanoseconds length, const Track& track, json event) {
  event["ts"] = trace_us(at - origin_);
  event["pid"] = track.process;
  event["tid"] = track.thread;
  events_.push_back({at, rank, length, std::move(event)});
}

void TraceEvents::add_metadata(const char* what, const Track& track, json args) {
  metadata_.push_back({{"ph", "M"},
                       {"name", what},
                       {"pid", track.process},
                       {"tid", track.thread},
                       {"args", std::move(args)}});
}

}  // namespace gvf::profiling
