// Writes Chrome traces of invented timelines, one of each kind that matters to a viewer, for
// test_timeline.py:
//   gvf_sample_timelines FOLDER
// Each file says in otherData.expected what a reader should count.
#include <algorithm>
#include <cstdio>
#include <exception>
#include <filesystem>
#include <fstream>
#include <stdexcept>
#include <string>

#include "profiling/chrome_trace.hpp"

using namespace gvf::profiling;

namespace {

// Far from zero and not a whole number of µs, as CUPTI's clock is.
constexpr Nanoseconds epoch = 1'700'000'000'123'456'789;
constexpr Nanoseconds period = 7'334'466;
constexpr Nanoseconds gap = 1'703;

struct Sample {
  std::string name;
  std::vector<Timeline> timelines;
  ChromeTraceOptions options;
  int arrows = 0;
};

Work kernel(Nanoseconds begin, Nanoseconds length, std::uint32_t correlation, std::uint32_t stream) {
  return {{begin, begin + length}, correlation, WorkKind::kernel, "kernel<float>", stream, 0, 0};
}

// `launches` calls that each put one kernel on the device, `step` apart there.
Timeline stream_iteration(Nanoseconds start, std::uint32_t id, int launches, Nanoseconds length,
                          Nanoseconds step) {
  Timeline t{start, 0, {}, {}};
  Nanoseconds at = start + 217;
  for (int i = 0; i < launches; ++i) {
    t.calls.push_back({{at, at + 3'101}, id, "cudaLaunchKernel_v7000"});
    t.calls.push_back({{at + 300, at + 2'900}, id, "cuLaunchKernel"});
    t.works.push_back(kernel(start + 5'009 + i * step, length, id++, 13));
    at += 3'347;
  }
  t.sync_return = std::max(t.works.back().at.end, at) + 2'003;
  t.calls.push_back({{at, t.sync_return - 1}, id, "cudaStreamSynchronize_v3020"});
  return t;
}

Timeline graph_iteration(Nanoseconds start, std::uint32_t id, int nodes) {
  Timeline t{start, 0, {}, {}};
  for (int i = 0; i < nodes; ++i) {
    Work work = kernel(start + 6'007 + i * 1'499, 1'297, id, 13 + i % 2);
    work.graph_id = 4;
    work.node_id = (std::uint64_t{4} << 32) + static_cast<std::uint64_t>(i);
    if (i == 0) {
      work.kind = WorkKind::memset;
      work.name.clear();
    }
    t.works.push_back(work);
  }
  t.sync_return = t.works.back().at.end + 2'003;
  t.calls = {{{start + 270, start + 5'920}, id, "cudaGraphLaunch_v10000"},
             {{start + 6'626, t.sync_return - 235}, id + 1, "cudaStreamSynchronize_v3020"}};
  return t;
}

std::vector<Sample> samples() {
  std::vector<Sample> all;
  ChromeTraceOptions with_parts;
  with_parts.device_gap = gap;

  all.push_back(
      {"stream",
       {stream_iteration(epoch, 1, 5, 905, 3'350), stream_iteration(epoch + period, 51, 5, 33'001, 34'704)},
       with_parts,
       10});
  all.push_back(
      {"graph", {graph_iteration(epoch, 1, 8), graph_iteration(epoch + period, 3, 8)}, with_parts, 2});
  // Programmatic dependent launch: each kernel starts before the one before has ended.
  all.push_back({"stream_pdl", {stream_iteration(epoch, 1, 6, 3'911, 3'350)}, with_parts, 6});
  Sample no_calls = all[0];
  no_calls.name = "works_without_calls";
  for (Timeline& t : no_calls.timelines) t.calls.clear();
  no_calls.arrows = 0;
  all.push_back(no_calls);
  Sample no_parts = all[1];
  no_parts.name = "without_parts";
  no_parts.options = {};
  all.push_back(no_parts);
  Sample skewed = all[1];
  skewed.name = "clocks_disagree";
  for (Timeline& t : skewed.timelines) {
    t.works.front().at.begin = t.start - 31;
    t.sync_return = t.works.back().at.end - 17;
  }
  skewed.arrows = 0;
  all.push_back(skewed);
  Sample bandwidth = all[0];
  bandwidth.name = "bandwidth";
  for (int i = 0; i < 20; ++i) bandwidth.options.bandwidth.push_back({epoch + i * 1'001, 200.5 * i});
  all.push_back(bandwidth);
  return all;
}

void write(const std::filesystem::path& folder, const Sample& sample) {
  auto trace = chrome_trace("sample/separate/" + sample.name, sample.timelines, sample.options);
  if (!trace) throw std::runtime_error(sample.name + ": " + trace.reason().text);
  std::size_t calls = 0, works = 0;
  nlohmann::json walls = nlohmann::json::array();
  for (const Timeline& t : sample.timelines) {
    calls += t.calls.size();
    works += t.works.size();
    walls.push_back(t.wall());
  }
  trace.value()["otherData"]["expected"] = {{"calls", calls},
                                            {"works", works},
                                            {"walls_ns", walls},
                                            {"arrows", sample.arrows},
                                            {"parts", sample.options.device_gap.has_value()},
                                            {"counters", sample.options.bandwidth.size()}};
  std::ofstream file(folder / (sample.name + ".json"));
  file << trace->dump() << "\n";
  if (!file.flush()) throw std::runtime_error("cannot write into " + folder.string());
}

}  // namespace

int main(int argc, char** argv) try {
  if (argc != 2) throw std::runtime_error("usage: gvf_sample_timelines FOLDER");
  std::filesystem::create_directories(argv[1]);
  for (const Sample& sample : samples()) write(argv[1], sample);
  return 0;
} catch (const std::exception& error) {
  std::fprintf(stderr, "gvf_sample_timelines: %s\n", error.what());
  return 2;
}
