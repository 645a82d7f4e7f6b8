// Chrome traces as text: tracks, slices, arrows, counters, and times that survive a reader's arithmetic.
#include "profiling/chrome_trace.hpp"

#include <cmath>
#include <limits>
#include <map>
#include <random>
#include <set>

#include "profiling/trace_events.hpp"
#include "tests/catch.hpp"

using namespace gvf::profiling;
using nlohmann::json;

namespace {

constexpr Nanoseconds epoch = 1'700'000'000'000'001'000;

Work work(Nanoseconds begin, Nanoseconds end, std::uint32_t correlation, const char* name,
          std::uint32_t stream) {
  return {{epoch + begin, epoch + end}, correlation, WorkKind::kernel, name, stream, 0, 0};
}

Call call(Nanoseconds begin, Nanoseconds end, std::uint32_t correlation, const char* name) {
  return {{epoch + begin, epoch + end}, correlation, name};
}

// A graph of two nodes on two streams, and a memset whose call was not recorded.
Timeline graph_iteration() {
  Timeline t{epoch, epoch + 100'000, {}, {}};
  t.calls = {call(0, 2000, 9, "cudaGraphLaunch_v10000"),
             call(3000, 100'000, 10, "cudaStreamSynchronize_v3020")};
  t.works = {work(6000, 8500, 9, "square", 7), work(9000, 9500, 9, "sum", 8)};
  t.works[0].graph_id = t.works[1].graph_id = 3;
  t.works[0].node_id = 11;
  t.works[1].node_id = 12;
  t.works.push_back({{epoch + 9600, epoch + 9700}, 77, WorkKind::memset, "", 8, 0, 0});
  return t;
}

struct Parsed {
  std::vector<json> events;
  std::map<std::pair<int, int>, std::string> threads;
  std::map<int, std::string> processes;

  std::vector<json> of_phase(const std::string& phase) const {
    std::vector<json> found;
    for (const json& event : events)
      if (event.at("ph") == phase) found.push_back(event);
    return found;
  }
  json slice(const std::string& name) const {
    for (const json& event : of_phase("X"))
      if (event.at("name") == name) return event;
    return {};
  }
  std::string track(const json& event) const {
    return processes.at(event.at("pid")) + "/" + threads.at({event.at("pid"), event.at("tid")});
  }
};

Parsed parse(const Result<json>& trace) {
  INFO((trace.ok() ? "" : trace.reason().text));
  REQUIRE(trace.ok());
  Parsed parsed;
  const json file = json::parse(trace->dump());
  for (const json& event : file.at("traceEvents")) {
    parsed.events.push_back(event);
    if (event.at("name") == "thread_name")
      parsed.threads[{event.at("pid"), event.at("tid")}] = event.at("args").at("name");
    if (event.at("name") == "process_name") parsed.processes[event.at("pid")] = event.at("args").at("name");
  }
  return parsed;
}

std::string why_not(const std::vector<Timeline>& timelines, const ChromeTraceOptions& options = {}) {
  const auto trace = chrome_trace("x", timelines, options);
  return trace.ok() ? "drawn" : trace.reason().text;
}

}  // namespace

TEST_CASE("chrome trace: each record on its track", "[profiling][trace]") {
  ChromeTraceOptions options;
  options.device_gap = 200;
  const Parsed trace = parse(chrome_trace("sum_abs/fused/graph", {graph_iteration()}, options));
  CHECK(trace.track(trace.slice("sum_abs/fused/graph #0")) == "iterations/iteration");
  CHECK(trace.track(trace.slice("launch latency")) == "iterations/parts of the iteration");
  CHECK(trace.track(trace.slice("cudaGraphLaunch")) == "host/CUDA API calls");
  CHECK(trace.track(trace.slice("cudaStreamSynchronize")) == "host/CUDA API calls");
  CHECK(trace.track(trace.slice("square")) == "device/stream 7");
  CHECK(trace.track(trace.slice("memset")) == "device/stream 8");
  CHECK(trace.slice("square").at("ts") == 6.0);
  CHECK(trace.slice("square").at("dur") == 2.5);
  CHECK(trace.slice("memset").at("cat") == "memset");
}

TEST_CASE("chrome trace: no track has the id 0 or that of another process's track", "[profiling][trace]") {
  const Parsed trace = parse(chrome_trace("x", {graph_iteration()}));
  std::set<int> threads;
  for (const auto& [track, name] : trace.threads) {
    CHECK(track.second > 0);
    CHECK(threads.insert(track.second).second);
  }
  for (const auto& [process, name] : trace.processes) CHECK(trace.threads.count({process, process}) == 1);
  CHECK(trace.of_phase("M").size() == 2 * (trace.threads.size() + trace.processes.size()));
}

TEST_CASE("chrome trace: one arrow a launch, to its first work, args join the others", "[profiling][trace]") {
  const Parsed trace = parse(chrome_trace("x", {graph_iteration()}));
  const auto tails = trace.of_phase("s");
  const auto heads = trace.of_phase("f");
  REQUIRE(tails.size() == 1);
  REQUIRE(heads.size() == 1);
  CHECK(tails[0].at("id") == heads[0].at("id"));
  CHECK(tails[0].at("ts") == trace.slice("cudaGraphLaunch").at("ts"));
  CHECK(trace.track(tails[0]) == "host/CUDA API calls");
  CHECK(heads[0].at("ts") == trace.slice("square").at("ts"));
  CHECK(heads[0].at("bp") == "e");
  CHECK(trace.track(heads[0]) == "device/stream 7");

  const json args = trace.slice("sum").at("args");
  CHECK(args.at("submitted_by") == "cudaGraphLaunch");
  CHECK(args.at("work_of_that_call") == "2 of 2");
  CHECK(args.at("since_that_call_began_ns") == 9000);
  CHECK(args.at("node_id") == 12);
  CHECK(trace.slice("cudaGraphLaunch").at("args").at("works") == 2);
  CHECK(trace.slice("memset").at("args").at("submitted_by") == "a call that was not recorded");
  CHECK_FALSE(trace.slice("memset").at("args").contains("graph_id"));
}

TEST_CASE("chrome trace: an arrow never points back in time", "[profiling][trace]") {
  Timeline t = graph_iteration();
  t.works[0].at.begin = t.works[0].at.end = t.calls[0].at.begin - 1;
  CHECK(parse(chrome_trace("x", {t})).of_phase("s").empty());
  t.works[0].at.begin = t.works[0].at.end = t.calls[0].at.begin;
  CHECK(parse(chrome_trace("x", {t})).of_phase("s").size() == 1);
}

TEST_CASE("chrome trace: works without calls have no host track and no arrows", "[profiling][trace]") {
  Timeline t = graph_iteration();
  t.calls.clear();
  const Parsed trace = parse(chrome_trace("x", {t}));
  CHECK(trace.of_phase("s").empty());
  for (const auto& [process, name] : trace.processes) CHECK(name != "host");
  CHECK(trace.slice("sum").at("dur") == 0.5);
}

TEST_CASE("chrome trace: kernels that overlap in one stream get a lane of their own", "[profiling][trace]") {
  Timeline t{epoch, epoch + 100, {}, {}};
  t.works = {work(10, 50, 1, "producer", 7), work(40, 80, 2, "consumer", 7), work(45, 46, 3, "other", 8)};
  const Parsed trace = parse(chrome_trace("x", {t}));
  CHECK(trace.track(trace.slice("producer")) == "device/stream 7");
  CHECK(trace.track(trace.slice("consumer")) == "device/stream 7 (overlap 1)");
  CHECK(trace.track(trace.slice("other")) == "device/stream 8");
}

TEST_CASE("chrome trace: a driver call inside a runtime call stays on its track", "[profiling][trace]") {
  Timeline t = graph_iteration();
  t.calls.insert(t.calls.begin() + 1, call(100, 1900, 9, "cuGraphLaunch"));
  const Parsed trace = parse(chrome_trace("x", {t}));
  CHECK(trace.track(trace.slice("cuGraphLaunch")) == "host/CUDA API calls");
  CHECK(trace.slice("cuGraphLaunch").at("args").at("works") == 0);
  CHECK(trace.of_phase("s").size() == 1);
}

TEST_CASE("chrome trace: the parts add up to the wall in ns", "[profiling][trace]") {
  ChromeTraceOptions options;
  options.device_gap = 200;
  Timeline second = graph_iteration();
  const Nanoseconds later = 7'334'466'003;
  second.start += later;
  second.sync_return += later + 1;
  for (Call& c : second.calls) c.at = {c.at.begin + later, c.at.end + later};
  for (Work& w : second.works) w.at = {w.at.begin + later, w.at.end + later};
  const Parsed trace = parse(chrome_trace("x", {graph_iteration(), second}, options));

  std::map<int, Nanoseconds> wall, sum;
  std::map<std::string, std::set<std::string>> colours;
  for (const json& slice : trace.of_phase("X")) {
    if (slice.at("cat") == "part") {
      sum[slice.at("args").at("iteration")] += std::llround(slice.at("dur").get<double>() * 1000);
      colours[slice.at("name")].insert(slice.at("cname").get<std::string>());
    }
  }
  wall[0] = trace.slice("x #0").at("args").at("wall_ns");
  wall[1] = trace.slice("x #1").at("args").at("wall_ns");
  CHECK(wall == std::map<int, Nanoseconds>{{0, 100'000}, {1, 100'001}});
  CHECK(sum == wall);
  CHECK(colours.size() == 5);
  std::set<std::string> distinct;
  for (const auto& [name, of_name] : colours) {
    CHECK(of_name.size() == 1);
    distinct.insert(of_name.begin(), of_name.end());
  }
  CHECK(distinct.size() == 5);

  const json args = trace.slice("x #0").at("args");
  CHECK(args.at("launch_latency_ns") == 6000);
  CHECK(args.at("gap_ns") == 300);
  CHECK(args.at("starved_ns") == 300);
  CHECK(args.at("busy_ns") == 3100);
  CHECK(args.at("completion_ns") == 90'300);
  CHECK_FALSE(args.contains("clocks"));
}

TEST_CASE("chrome trace: without a calibrated gap there are no parts", "[profiling][trace]") {
  const Parsed trace = parse(chrome_trace("x", {graph_iteration()}));
  for (const json& slice : trace.of_phase("X")) CHECK(slice.at("cat") != "part");
  CHECK_FALSE(trace.slice("x #0").at("args").contains("gap_ns"));
}

TEST_CASE("chrome trace: clocks that disagree are said, and no time is negative", "[profiling][trace]") {
  ChromeTraceOptions options;
  options.device_gap = 200;
  Timeline t = graph_iteration();
  t.works[0].at.begin = t.start - 300;
  const Parsed trace = parse(chrome_trace("x", {t}, options));
  CHECK(trace.slice("x #0").at("args").at("launch_latency_ns") == -300);
  CHECK(trace.slice("x #0").at("args").contains("clocks"));
  for (const json& slice : trace.of_phase("X")) {
    CHECK(slice.at("ts") >= 0.0);
    CHECK(slice.at("dur") >= 0.0);
  }
  CHECK(trace.slice("square").at("ts") == 0.0);
}

TEST_CASE("chrome trace: bandwidth is a counter of the device", "[profiling][trace]") {
  ChromeTraceOptions options;
  options.bandwidth = {{epoch + 9000, 4000.5}, {epoch - 1000, 0}};
  const Parsed trace = parse(chrome_trace("x", {graph_iteration()}, options));
  const auto counters = trace.of_phase("C");
  REQUIRE(counters.size() == 2);
  CHECK(counters[0].at("ts") == 0.0);
  CHECK(counters[1].at("ts") == 10.0);
  CHECK(counters[1].at("args").at("GB/s") == 4000.5);
  CHECK(trace.processes.at(counters[1].at("pid")) == "device");
  CHECK(trace.slice("x #0").at("ts") == 1.0);
}

TEST_CASE("chrome trace: what cannot be drawn says which and why", "[profiling][trace]") {
  CHECK(why_not({}) == "no timelines to draw");
  Timeline empty = graph_iteration();
  empty.works.clear();
  CHECK_THAT(why_not({graph_iteration(), empty}), Catch::Matchers::ContainsSubstring("iteration 1: "));
  CHECK_THAT(why_not({graph_iteration(), graph_iteration()}),
             Catch::Matchers::ContainsSubstring("iteration 1 starts before the one before it has returned"));
  ChromeTraceOptions options;
  options.device_gap = -1;
  CHECK_THAT(why_not({graph_iteration()}, options), Catch::Matchers::ContainsSubstring("gap is negative"));
  options = {};
  options.bandwidth = {{epoch, std::numeric_limits<double>::quiet_NaN()}};
  CHECK_THAT(why_not({graph_iteration()}, options), Catch::Matchers::ContainsSubstring("is not a rate"));
  options.bandwidth = {{epoch, -1}};
  CHECK_THAT(why_not({graph_iteration()}, options), Catch::Matchers::ContainsSubstring("is not a rate"));
}

TEST_CASE("events of one time come in the order in which readers must meet them", "[profiling][trace]") {
  TraceEvents events(0);
  const Track calls = events.add_track("host", "calls");
  const Track works = events.add_track("device", "works");
  events.add_arrow("launch", calls, 5, works, 5);
  events.add_slice(works, {"kernel", "kernel", {5, 6}});
  events.add_slice(calls, {"inner", "api", {5, 6}});
  events.add_slice(calls, {"outer", "api", {5, 9}});
  std::string order;
  for (const json& event : events.events())
    if (event.at("ph") != "M")
      order += event.at("ph") == "X" ? event.at("name").get<std::string>() + " "
                                     : event.at("ph").get<std::string>();
  CHECK(order == "outer kernel inner sf");
}

TEST_CASE("a time reads back to the ns, whether truncated, rounded, or cut as text", "[profiling][trace]") {
  std::mt19937_64 random(3);
  std::vector<Nanoseconds> times = {0, 1, 999, 1000, 1001, 4035, 8019};
  for (int bits = 10; bits <= 50; ++bits)
    for (int i = 0; i < 2000; ++i)
      times.push_back(static_cast<Nanoseconds>(random() & ((std::uint64_t{1} << bits) - 1)));
  int bumped = 0;
  for (Nanoseconds time : times) {
    const double us = trace_us(time);
    bumped += us != static_cast<double>(time) / 1000.0;
    const std::string text = json(us).dump();
    const std::size_t point = text.find('.');
    Nanoseconds cut = -1;
    if (text.find('e') == std::string::npos && point != std::string::npos) {
      std::string digits = text.substr(point + 1, 3);
      digits.resize(3, '0');
      cut = std::stoll(text.substr(0, point) + digits);
    }
    if (static_cast<Nanoseconds>(us * 1000.0) != time || std::llround(us * 1000.0) != time || cut != time)
      FAIL("time " << time << " is written as " << text);
  }
  CHECK(bumped > 0);  // else the plain quotient would do
}
