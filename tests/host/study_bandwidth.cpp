// Bandwidth over time as a trace: stamps and samples by hand, and what cannot be drawn.
#include "study/measure/bandwidth_pass.hpp"

#include "tests/catch.hpp"

using namespace gvf::study;
using gvf::profiling::PmSample;

namespace {

std::vector<PmSample> samples() {
  return {{1000, 2000, 4000.0, 10.0}, {2000, 3000, 4500.0, 20.0}, {3000, 4000, 0.0, 0.0}};
}

std::string why_not(const std::vector<gvf::profiling::Nanoseconds>& stamps, const std::vector<PmSample>& of) {
  const auto trace = bandwidth_trace("p/fused/stream/n:1", stamps, of);
  return trace ? std::string() : trace.reason().text;
}

}  // namespace

TEST_CASE("bandwidth: two counters a sample, a slice an iteration", "[study][bandwidth]") {
  const auto trace = bandwidth_trace("p/fused/stream/n:1", {1500, 2500, 2600, 3600}, samples());
  REQUIRE(trace.ok());
  int reads = 0, writes = 0, iterations = 0;
  for (const auto& event : trace->at("traceEvents")) {
    const std::string name = event.value("name", "");
    if (event.at("ph") == "C" && name == "DRAM read") ++reads;
    if (event.at("ph") == "C" && name == "DRAM write") ++writes;
    if (event.at("ph") == "X" && (name == "iteration 0" || name == "iteration 1")) {
      ++iterations;
      CHECK(event.at("dur") == 1.0);
    }
  }
  CHECK(reads == 3);
  CHECK(writes == 3);
  CHECK(iterations == 2);
}

TEST_CASE("bandwidth: no picture where stamps and samples do not belong together", "[study][bandwidth]") {
  CHECK(why_not({9000, 9900}, samples()) == "PM samples and %globaltimer are on different clocks");
  CHECK(why_not({10, 900}, samples()) == "PM samples and %globaltimer are on different clocks");
  CHECK(why_not({1500}, samples()) == "there are no two stamps an iteration");
  CHECK(why_not({1500, 2500}, {}) == "there are no PM samples");
  auto one_rate = samples();
  one_rate[1].dram_write_gbps.reset();
  CHECK(why_not({1500, 2500}, one_rate) == "this chip does not count both rates");
}
