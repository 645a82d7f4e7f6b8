// DRAM bandwidth over time, over a fake CUPTI.
#include "profiling/counters/pm_sampling.hpp"

#include "profiling/cupti_lock.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_counters.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// `count` samples of 1000 ns; sample i reads 2000 + i bytes.
std::vector<FakeSample> samples_of(std::size_t count) {
  std::vector<FakeSample> samples;
  for (std::size_t i = 0; i < count; ++i)
    samples.push_back(
        {1000 * i,
         1000 * (i + 1),
         {{"dram__bytes_read.sum", 2000.0 + static_cast<double>(i)}, {"dram__bytes_write.sum", 500.0}}});
  return samples;
}

Result<PmSamplingSession, CuptiProblem> open_session() {
  return PmSamplingSession::open(fake_counter_api());
}

void work() {
  counters().calls.push_back("work");
}

CuptiProblem refusal() {
  auto session = open_session();
  if (!session) return session.reason();
  const auto samples = session->sample(work);
  REQUIRE_FALSE(samples.ok());
  return samples.reason();
}

}  // namespace

TEST_CASE("PM sampling: bytes of an interval over its length, without the first", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  counters().samples = samples_of(3);
  const auto samples = session->sample(work);
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 2);
  CHECK(samples->at(0) == PmSample{1000, 2000, 2.001, 0.5});
  CHECK(samples->at(1) == PmSample{2000, 3000, 2.002, 0.5});
  const auto& calls = counters().calls;
  const auto start = std::find(calls.begin(), calls.end(), "pm_start");
  REQUIRE(start != calls.end());
  CHECK(*(start + 1) == "work");
  CHECK(*(start + 2) == "pm_stop");
}

TEST_CASE("PM sampling: a full counter data image is emptied and filled again", "[profiling][counters]") {
  counters() = {};
  counters().samples = samples_of(25);
  counters().samples_per_decode = 10;
  auto session = open_session();
  REQUIRE(session.ok());
  const auto samples = session->sample(work);
  REQUIRE(samples.ok());
  REQUIRE(samples->size() == 24);
  CHECK(samples->back().begin_ns == 24'000);
  CHECK(*samples->back().dram_read_gbps == 2.024);
  CHECK(counters().count("pm_decode") == 3);
}

TEST_CASE("PM sampling: what the chip does not count is absent and named",
          "[profiling][counters][degraded]") {
  counters() = {};
  counters().metrics.erase("dram__bytes_write.sum");
  counters().samples = samples_of(2);
  auto session = open_session();
  REQUIRE(session.ok());
  REQUIRE(session->unavailable().size() == 1);
  CHECK_THAT(session->unavailable().front().text, ContainsSubstring("dram__bytes_write.sum"));
  const auto samples = session->sample(work);
  REQUIRE(samples.ok());
  CHECK(samples->front().dram_read_gbps.has_value());
  CHECK_FALSE(samples->front().dram_write_gbps.has_value());
}

TEST_CASE("PM sampling: more than one pass is not to be had", "[profiling][counters][degraded]") {
  counters() = {};
  counters().passes = 2;
  const CuptiProblem problem = refusal();
  CHECK(problem.kind == Degraded::metric_unavailable);
  CHECK_THAT(problem.text, ContainsSubstring("one pass"));
  CHECK(counters().count("pm_enable") == 0);
}

TEST_CASE("PM sampling: each step that is refused is named, and what was begun is ended",
          "[profiling][counters][degraded]") {
  const std::pair<const char*, const char*> steps[] = {
      {"pm_availability", "cuptiPmSamplingGetCounterAvailability"},
      {"pm_enable", "cuptiPmSamplingEnable"},
      {"pm_set_config", "cuptiPmSamplingSetConfig"},
      {"pm_data_size", "cuptiPmSamplingGetCounterDataSize"},
      {"pm_start", "cuptiPmSamplingStart"},
      {"pm_stop", "cuptiPmSamplingStop"},
      {"pm_data_initialize", "cuptiPmSamplingCounterDataImageInitialize"},
      {"pm_decode", "cuptiPmSamplingDecodeData"},
      {"pm_data_info", "cuptiPmSamplingGetCounterDataInfo"},
      {"pm_sample_info", "cuptiPmSamplingCounterDataGetSampleInfo"},
      {"evaluate", "cuptiProfilerHostEvaluateToGpuValues"},
  };
  for (const auto& [step, call] : steps) {
    CAPTURE(step);
    counters() = {};
    counters().samples = samples_of(3);
    counters().fail[step] = CUPTI_ERROR_HARDWARE_BUSY;
    const CuptiProblem problem = refusal();
    CHECK(problem.kind == Degraded::other_tool);
    CHECK_THAT(problem.text, ContainsSubstring(std::string(call) + " failed"));
    const bool enabled = counters().count("pm_enable") > 0 && std::string(step) != "pm_enable";
    CHECK(counters().count("pm_disable") == (enabled ? 1 : 0));
    CHECK(counters().count("pm_stop") == (counters().count("work") > 0 ? 1 : 0));
    CHECK(counters().hosts_alive == 0);
    CHECK_FALSE(cupti_session_open());
  }
}

TEST_CASE("PM sampling: overflow, disorder and too short a work give no track",
          "[profiling][counters][degraded]") {
  counters() = {};
  counters().samples = samples_of(3);
  counters().overflow = true;
  CHECK(refusal().kind == Degraded::records_dropped);

  counters() = {};
  counters().samples = samples_of(3);
  counters().fail["pm_decode"] = CUPTI_ERROR_OUT_OF_MEMORY;
  CHECK(refusal().kind == Degraded::records_dropped);

  counters() = {};
  counters().samples = samples_of(3);
  counters().samples[2].begin = 500;
  CHECK(refusal().kind == Degraded::records_invalid);

  counters() = {};
  counters().samples = samples_of(3);
  counters().samples[1].end = counters().samples[1].begin;
  CHECK(refusal().kind == Degraded::records_invalid);

  counters() = {};
  counters().samples = samples_of(2);
  counters().samples_per_decode = 0;  // full at once, for ever
  CHECK(refusal().kind == Degraded::records_invalid);

  counters() = {};
  counters().samples = samples_of(1);
  const CuptiProblem problem = refusal();
  CHECK(problem.kind == Degraded::no_iterations);
  CHECK_THAT(problem.text, ContainsSubstring("100000 ns"));
}

TEST_CASE("PM sampling: an exception from the work stops the sampling", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  CHECK_THROWS_WITH(static_cast<void>(session->sample([] { throw std::runtime_error("a kernel failed"); })),
                    "a kernel failed");
  CHECK(counters().count("pm_stop") == 1);
}
