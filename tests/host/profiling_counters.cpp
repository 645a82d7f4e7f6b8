// Counting a range over a fake CUPTI: what is run how often, what comes out, and a named outcome for each
// refusal.
#include "profiling/activity.hpp"
#include "profiling/counters/counter_session.hpp"
#include "profiling/cupti_lock.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_counters.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Result<CounterSession, CuptiProblem> open_session() {
  return CounterSession::open(fake_counter_api(), 0);
}

// Work that only says in the log that it ran.
const CountedWork logged{[] { counters().calls.push_back("iteration"); },
                         [] { counters().calls.push_back("synchronize"); }};

// What a range looks like from outside: start to stop, in order.
std::vector<std::string> calls_from(const std::string& first, const std::string& last) {
  const auto& calls = counters().calls;
  const auto begin = std::find(calls.begin(), calls.end(), first);
  return {begin, std::find(begin, calls.end(), last) + 1};
}

}  // namespace

TEST_CASE("counting: totals of the range, per iteration", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  CHECK(session->chip() == "GH100");
  CHECK(session->passes() == 1);
  counters().values = {
      {"dram__bytes_read.sum", 2000}, {"dram__bytes_write.sum", 10}, {"lts__t_bytes.sum", 4000}};
  const auto counts = session->count("sum_abs.fused", 20, logged);
  REQUIRE(counts.ok());
  CHECK(counts->iterations == 20);
  CHECK(counts->passes == 1);
  CHECK(counts->per_iteration(quantity::dram_read_bytes) == 100);
  CHECK(counts->per_iteration(quantity::dram_write_bytes) == 0.5);
  CHECK(counts->per_iteration(quantity::l2_bytes) == 200);
  CHECK(counts->per_iteration("no_such_quantity") == std::nullopt);
  CHECK(counters().range == "sum_abs.fused");

  // A launch may carry several iterations: bytes are still those of one.
  CountedWork several = logged;
  several.iterations_a_launch = 4;
  const auto shared = session->count("sum_abs.fused", 20, several);
  REQUIRE(shared.ok());
  CHECK(shared->iterations == 80);
  CHECK(shared->per_iteration(quantity::dram_read_bytes) == 25);
}

TEST_CASE("counting: warm-up outside the range, all iterations finished inside", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  REQUIRE(session->count("range", least_iterations, logged).ok());
  std::vector<std::string> expected{"range_start", "range_push"};
  expected.insert(expected.end(), least_iterations, "iteration");
  expected.insert(expected.end(), {"synchronize", "range_pop", "range_stop"});
  CHECK(calls_from("range_start", "range_stop") == expected);
  CHECK(counters().count("iteration") == least_iterations + warm_up_iterations);
  CHECK(counters().count("range_disable") == 1);
}

TEST_CASE("counting: the work is run again for every pass, and decoded once", "[profiling][counters]") {
  counters() = {};
  counters().passes = counters().passes_asked_for = 3;
  auto session = open_session();
  REQUIRE(session.ok());
  CHECK(session->passes() == 3);
  const auto counts = session->count("range", 10, logged);
  REQUIRE(counts.ok());
  CHECK(counts->passes == 3);
  CHECK(counters().count("iteration") == 3 * (10 + warm_up_iterations));
  CHECK(counters().count("range_start") == 3);
  CHECK(counters().count("range_stop") == 3);
  CHECK(counters().count("range_decode") == 1);
  CHECK(counters().count("range_enable") == 1);
}

TEST_CASE("counting: a second range has a profiler of its own", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  REQUIRE(session->count("first", 10, logged).ok());
  REQUIRE(session->count("second", 10, logged).ok());
  CHECK(counters().range == "second");
  CHECK(counters().count("range_enable") == 2);
  CHECK(counters().count("range_disable") == 2);
  CHECK(counters().count("initialize") == 1);
}

TEST_CASE("counting: too few iterations do not pay for their dirty lines",
          "[profiling][counters][degraded]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  const auto counts = session->count("range", least_iterations - 1, logged);
  REQUIRE_FALSE(counts.ok());
  CHECK(counts.reason().kind == Degraded::no_iterations);
  CHECK_THAT(counts.reason().text, ContainsSubstring("at least 10"));
  CHECK(counters().count("iteration") == 0);
}

TEST_CASE("counting: each step that is refused is named, and what was begun is ended",
          "[profiling][counters][degraded]") {
  const std::pair<const char*, const char*> steps[] = {
      {"range_enable", "cuptiRangeProfilerEnable"},
      {"range_data_size", "cuptiRangeProfilerGetCounterDataSize"},
      {"range_data_initialize", "cuptiRangeProfilerCounterDataImageInitialize"},
      {"range_set_config", "cuptiRangeProfilerSetConfig"},
      {"range_start", "cuptiRangeProfilerStart"},
      {"range_push", "cuptiRangeProfilerPushRange"},
      {"range_pop", "cuptiRangeProfilerPopRange"},
      {"range_stop", "cuptiRangeProfilerStop"},
      {"range_decode", "cuptiRangeProfilerDecodeData"},
      {"range_data_info", "cuptiRangeProfilerGetCounterDataInfo"},
      {"evaluate", "cuptiProfilerHostEvaluateToGpuValues"},
  };
  for (const auto& [step, call] : steps) {
    CAPTURE(step);
    counters() = {};
    // As with a driver that restricts profiling: some calls pass, a later one does not.
    counters().fail[step] = CUPTI_ERROR_INSUFFICIENT_PRIVILEGES;
    {
      auto session = open_session();
      REQUIRE(session.ok());
      const auto counts = session->count("range", 10, logged);
      REQUIRE_FALSE(counts.ok());
      CHECK(counts.reason().kind == Degraded::no_permission);
      CHECK_THAT(counts.reason().text, ContainsSubstring(std::string(call) + " failed"));
      CHECK(counts.reason().text.find('\n') == std::string::npos);
    }
    const bool enabled = std::string(step) != "range_enable";
    const bool started = enabled && counters().count("range_start") > 0 && std::string(step) != "range_start";
    CHECK(counters().count("range_disable") == (enabled ? 1 : 0));
    CHECK(counters().count("range_stop") == (started ? 1 : 0));
    CHECK(counters().count("range_pop") == (started && std::string(step) != "range_push" ? 1 : 0));
    CHECK(counters().count("deinitialize") == 1);
    CHECK(counters().hosts_alive == 0);
    CHECK_FALSE(cupti_session_open());
  }
}

TEST_CASE("counting: an exception from the work ends the range and goes on", "[profiling][counters]") {
  counters() = {};
  auto session = open_session();
  REQUIRE(session.ok());
  int left = warm_up_iterations + 3;
  const CountedWork failing{[&left] {
                              if (left-- == 0) throw std::runtime_error("a kernel failed");
                            },
                            [] {}};
  CHECK_THROWS_WITH(static_cast<void>(session->count("range", 10, failing)), "a kernel failed");
  CHECK(counters().count("range_pop") == 1);
  CHECK(counters().count("range_stop") == 1);
  CHECK(counters().count("range_disable") == 1);
  CHECK(session->count("range", 10, logged).ok());
}

TEST_CASE("counting: CUPTI that contradicts itself gives no figure", "[profiling][counters][degraded]") {
  const auto kind_with = [](auto&& set) {
    counters() = {};
    set(counters());
    auto session = open_session();
    REQUIRE(session.ok());
    const auto counts = session->count("range", 10, logged);
    REQUIRE_FALSE(counts.ok());
    return counts.reason().kind;
  };
  CHECK(kind_with([](FakeCounters& c) { c.passes_asked_for = 2; }) == Degraded::cupti_error);
  CHECK(kind_with([](FakeCounters& c) { c.dropped = 1; }) == Degraded::records_dropped);
  CHECK(kind_with([](FakeCounters& c) { c.ranges = 0; }) == Degraded::records_invalid);
  CHECK(kind_with([](FakeCounters& c) { c.values["lts__t_bytes.sum"] = -1; }) == Degraded::records_invalid);
}

TEST_CASE("counters: no context, nothing else of CUPTI is called", "[profiling][counters][degraded]") {
  counters() = {};
  counters().context = false;
  const auto session = open_session();
  REQUIRE_FALSE(session.ok());
  CHECK(session.reason().kind == Degraded::not_initialized);
  CHECK_THAT(session.reason().text, ContainsSubstring("cudaFree(nullptr)"));
  CHECK(counters().calls.empty());
  CHECK_FALSE(cupti_session_open());
}

TEST_CASE("counters: a refused device is given back", "[profiling][counters][degraded]") {
  const std::pair<const char*, const char*> steps[] = {
      {"initialize", "cuptiProfilerInitialize"},
      {"device_supported", "cuptiProfilerDeviceSupported"},
      {"get_chip_name", "cuptiDeviceGetChipName"},
      {"range_availability", "cuptiProfilerGetCounterAvailability"},
  };
  for (const auto& [step, call] : steps) {
    CAPTURE(step);
    counters() = {};
    counters().fail[step] = CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED;
    const auto session = open_session();
    REQUIRE_FALSE(session.ok());
    CHECK(session.reason().kind == Degraded::unsupported_device);
    CHECK_THAT(session.reason().text, ContainsSubstring(std::string(call) + " failed"));
    CHECK(counters().count("deinitialize") == (std::string(step) == "initialize" ? 0 : 1));
    CHECK_FALSE(cupti_session_open());
  }
}

TEST_CASE("counters: why CUPTI does not support this device", "[profiling][counters][degraded]") {
  using Support = CUpti_Profiler_DeviceSupported_Params;
  const std::pair<CUpti_Profiler_Support_Level Support::*, const char*> flags[] = {
      {&Support::architecture, "architecture"},
      {&Support::sli, "SLI"},
      {&Support::vGpu, "virtual GPU"},
      {&Support::confidentialCompute, "confidential computing"},
      {&Support::cmp, "mining"},
      {&Support::wsl, "WSL"},
  };
  for (const auto& [flag, word] : flags) {
    counters() = {};
    counters().support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    counters().support.*flag = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
    const auto session = open_session();
    REQUIRE_FALSE(session.ok());
    CHECK(session.reason().kind == Degraded::unsupported_device);
    CHECK_THAT(session.reason().text, ContainsSubstring(word));
  }
  counters() = {};
  counters().support.isSupported = CUPTI_PROFILER_CONFIGURATION_UNSUPPORTED;
  counters().support.vGpu = CUPTI_PROFILER_CONFIGURATION_DISABLED;
  CHECK_THAT(open_session().reason().text, ContainsSubstring("disabled by the system"));
}

TEST_CASE("counters: one CUPTI session in a process, whichever kind", "[profiling][counters][degraded]") {
  fake() = {};
  counters() = {};
  {
    auto session = open_session();
    REQUIRE(session.ok());
    const CounterSession moved = std::move(session).value();
    CHECK(open_session().reason().kind == Degraded::already_active);
    CHECK(ActivitySession::start(fake_api(), {}).reason().kind == Degraded::already_active);
    CHECK(counters().count("deinitialize") == 0);
  }
  CHECK(counters().count("deinitialize") == 1);
  const auto activity = ActivitySession::start(fake_api(), {});
  REQUIRE(activity.ok());
  const auto refused = open_session();
  REQUIRE_FALSE(refused.ok());
  CHECK_THAT(refused.reason().text, ContainsSubstring("process of their own"));
}
