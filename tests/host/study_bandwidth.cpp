// Bandwidth over time as a trace: stamps and samples by hand, and what cannot be drawn.
#include "study/measure/bandwidth_pass.hpp"

#include "tests/catch.hpp"

using namespace gvf::study;
using gvf::profiling::PmSample;

namespace {

// Idle, three intervals of traffic, idle.
std::vector<PmSample> samples(std::uint64_t shift = 0) {
  std::vector<PmSample> samples{{1000, 2000, 10.0, 0.0},
                                {2000, 3000, 4000.0, 10.0},
                                {3000, 4000, 4500.0, 20.0},
                                {4000, 5000, 3000.0, 0.0},
                                {5000, 6000, 0.0, 0.0}};
  for (PmSample& sample : samples) {
    sample.begin_ns += shift;
    sample.end_ns += shift;
  }
  return samples;
}

std::string why_not(const std::vector<gvf::profiling::Nanoseconds>& stamps, const std::vector<PmSample>& of) {
  const auto trace = bandwidth_trace("p/fused/stream/n:1", stamps, of);
  return trace ? std::string() : trace.reason().text;
}

}  // namespace

TEST_CASE("bandwidth: two counters a sample, a slice an iteration", "[study][bandwidth]") {
  const auto trace = bandwidth_trace("p/fused/stream/n:1", {2000, 3500, 3500, 5000}, samples());
  REQUIRE(trace.ok());
  int reads = 0, writes = 0, iterations = 0;
  for (const auto& event : trace->at("traceEvents")) {
    const std::string name = event.value("name", "");
    if (event.at("ph") == "C" && name == "DRAM read") ++reads;
    if (event.at("ph") == "C" && name == "DRAM write") ++writes;
    if (event.at("ph") == "X" && (name == "iteration 0" || name == "iteration 1")) {
      ++iterations;
      CHECK(event.at("dur") == 1.5);
    }
  }
  CHECK(reads == 5);
  CHECK(writes == 5);
  CHECK(iterations == 2);
}

TEST_CASE("bandwidth: clocks that are apart are brought together by the first traffic",
          "[study][bandwidth]") {
  for (const std::uint64_t shift : {std::uint64_t{0}, std::uint64_t{1'400'000}}) {
    const auto trace = bandwidth_trace("p/fused/stream/n:1", {2000, 3500, 3500, 5000}, samples(shift));
    REQUIRE(trace.ok());
    CHECK(trace->at("otherData").at("clocks_apart_ns") == shift);
    double first_traffic = -1, first_iteration = -2;
    for (const auto& event : trace->at("traceEvents")) {
      if (event.at("ph") == "C" && event.at("args").value("GB/s", 0.0) == 4000.0)
        first_traffic = event.at("ts");
      if (event.at("ph") == "X" && event.value("name", "") == "iteration 0") first_iteration = event.at("ts");
    }
    CHECK(first_traffic == first_iteration);
  }
}

TEST_CASE("bandwidth: no picture where stamps and samples do not belong together", "[study][bandwidth]") {
  CHECK(why_not({2000, 9000}, samples()) ==
        "PM samples saw traffic for 3.0 us, the iterations took 7.0 us by %globaltimer");
  CHECK(why_not({2000}, samples()) == "there are no two stamps an iteration");
  CHECK(why_not({2000, 5000}, {}) == "there are no PM samples");
  CHECK(why_not({2000, 5000}, {{1000, 2000, 0.0, 0.0}}) == "PM samples saw no traffic");
  auto one_rate = samples();
  one_rate[1].dram_write_gbps.reset();
  CHECK(why_not({2000, 5000}, one_rate) == "this chip does not count both rates");
}
