// The activity session over a fake CUPTI: what is enabled, what is read, and a named outcome for each
// failure.
#include "profiling/activity.hpp"

#include <algorithm>
#include <set>

#include "profiling/activity_records.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_cupti.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;

namespace {

Result<ActivitySession, CuptiProblem> start(ActivityMode mode, ApiScope scope = ApiScope::runtime) {
  ActivityOptions options;
  options.mode = mode;
  options.api_scope = scope;
  options.buffer_bytes = 4096;
  return ActivitySession::start(fake_api(), options);
}

void mark(ActivitySession& session, std::uint64_t begin, std::uint64_t end) {
  fake().clock = begin;
  session.begin_iteration();
  fake().clock = end;
  session.end_iteration();
}

// The outcome of one marked iteration whose records are already waiting.
CuptiProblem problem_of_collect(ActivityMode mode) {
  auto session = start(mode);
  REQUIRE(session.ok());
  mark(*session, 1000, 9000);
  const auto activity = session->collect();
  REQUIRE_FALSE(activity.ok());
  return activity.reason();
}

}  // namespace

TEST_CASE("each mode enables its kinds and disables them at the end", "[profiling][activity]") {
  const auto kinds = [](ActivityMode mode, ApiScope scope = ApiScope::runtime) {
    fake() = {};
    { REQUIRE(start(mode, scope).ok()); }
    auto enabled = fake().enabled, disabled = fake().disabled;
    CHECK(enabled == disabled);
    CHECK(fake().subscribed == 1);
    CHECK(fake().unsubscribed == 1);
    return std::set<int>(enabled.begin(), enabled.end());
  };
  CHECK(kinds(ActivityMode::api) == std::set<int>{CUPTI_ACTIVITY_KIND_RUNTIME});
  CHECK(kinds(ActivityMode::api, ApiScope::runtime_and_driver) ==
        std::set<int>{CUPTI_ACTIVITY_KIND_RUNTIME, CUPTI_ACTIVITY_KIND_DRIVER});
  const std::set<int> works = {CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL, CUPTI_ACTIVITY_KIND_MEMCPY,
                               CUPTI_ACTIVITY_KIND_MEMSET};
  CHECK(kinds(ActivityMode::kernel) == works);
  CHECK(kinds(ActivityMode::graph) == std::set<int>{CUPTI_ACTIVITY_KIND_GRAPH_TRACE});
  auto both = works;
  both.insert(CUPTI_ACTIVITY_KIND_RUNTIME);
  CHECK(kinds(ActivityMode::kernel_api) == both);

  CHECK(kinds(ActivityMode::api, ApiScope::submitting).empty());
  CHECK(fake().calls_enabled == fake().calls_disabled);
  const auto& calls = fake().calls_enabled;
  for (CUpti_CallbackId call :
       {CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000, CUPTI_RUNTIME_TRACE_CBID___cudaLaunchKernel_v13000,
        CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernelExC_v11060,
        CUPTI_RUNTIME_TRACE_CBID_cudaStreamSynchronize_v3020})
    CHECK(std::count(calls.begin(), calls.end(), call) == 1);
}

TEST_CASE("latency timestamps are asked for before any kind, and only on demand", "[profiling][activity]") {
  fake() = {};
  { REQUIRE(start(ActivityMode::kernel).ok()); }
  CHECK_FALSE(fake().latency_timestamps);
  fake() = {};
  ActivityOptions options;
  options.latency_timestamps = true;
  { REQUIRE(ActivitySession::start(fake_api(), options).ok()); }
  CHECK(fake().latency_timestamps);
  CHECK(fake().kinds_before_latency_timestamps == 0);
  fake() = {};
  fake().fail["enable_latency_timestamps"] = CUPTI_ERROR_NOT_INITIALIZED;
  const auto refused = ActivitySession::start(fake_api(), options);
  REQUIRE_FALSE(refused.ok());
  CHECK(refused.reason().text.find("cuptiActivityEnableLatencyTimestamps") != std::string::npos);
}

TEST_CASE("a stream iteration arrives as a timeline, by value", "[profiling][activity]") {
  fake() = {};
  auto session = start(ActivityMode::kernel_api);
  REQUIRE(session.ok());
  mark(*session, 1000, 9000);
  mark(*session, 20000, 30000);
  fake().deliver(call_record(1100, 1500, 1));
  fake().deliver(kernel_record(5000, 5900, 1));
  fake().deliver(call_record(20100, 20500, 2));
  fake().deliver(kernel_record(24000, 24900, 2));
  CUpti_ActivityMemset4 memset{};
  memset.kind = CUPTI_ACTIVITY_KIND_MEMSET;
  memset.start = 25000;
  memset.end = 25100;
  memset.bytes = 64;
  fake().deliver(memset);
  CUpti_ActivityMemcpy6 copy{};
  copy.kind = CUPTI_ACTIVITY_KIND_MEMCPY;
  copy.start = 26000;
  copy.end = 26100;
  copy.graphId = 4;
  copy.graphNodeId = 8;
  fake().deliver(copy);
  CUpti_ActivityName other{};  // a kind nobody asked for
  other.kind = CUPTI_ACTIVITY_KIND_NAME;
  fake().deliver(other);
  fake().deliver(kernel_record(500, 600, 3));  // warm-up, before the first mark
  const auto activity = session->collect();
  REQUIRE(activity.ok());
  CHECK(activity->records == 7);
  CHECK(activity->outside == 1);
  REQUIRE(activity->iterations.size() == 2);
  const Timeline& first = activity->iterations[0];
  CHECK(first.start == 1000);
  CHECK(first.sync_return == 9000);
  REQUIRE(first.calls.size() == 1);
  CHECK(first.calls[0] == Call{{1100, 1500}, 1, "cudaLaunchKernel_v7000"});
  REQUIRE(first.works.size() == 1);
  CHECK(first.works[0] == Work{{5000, 5900}, 1, WorkKind::kernel, "square(float*)", 7, 0, 0});
  CHECK(*account(first, 1700) == Account{4000, 900, 0, 0, 3100});
  const Timeline& second = activity->iterations[1];
  REQUIRE(second.works.size() == 3);
  CHECK(second.works[1].kind == WorkKind::memset);
  CHECK(second.works[2].kind == WorkKind::memcpy);
  CHECK(second.works[2].graph_id == 4);
  CHECK(second.works[2].node_id == 8);
  // Four buffers for eight records, none of them handed out twice.
  CHECK(std::set<std::uint8_t*>(fake().requested.begin(), fake().requested.end()).size() == 4);

  // A second collect has new iterations only.
  mark(*session, 40000, 50000);
  fake().deliver(kernel_record(41000, 42000, 9));
  const auto again = session->collect();
  REQUIRE(again.ok());
  CHECK(again->iterations.size() == 1);
  CHECK(again->records == 1);
}

TEST_CASE("a graph launch with many kernels under one correlation id", "[profiling][activity]") {
  fake() = {};
  auto session = start(ActivityMode::kernel_api);
  REQUIRE(session.ok());
  mark(*session, 1000, 90000);
  fake().deliver(call_record(1000, 2200, 5, CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000));
  for (std::uint32_t k = 0; k < 32; ++k)
    fake().deliver(kernel_record(6000 + 1100 * k, 6900 + 1100 * k, 5, 3, k + 1));
  const auto activity = session->collect();
  REQUIRE(activity.ok());
  const auto joined = join(activity->iterations.at(0));
  REQUIRE(joined.ok());
  REQUIRE(joined->works_of_call.at(0).size() == 32);
  CHECK(joined->orphans == 0);
  CHECK(joined->host == 1200);
  CHECK(activity->iterations[0].works[31].node_id == 32);
  // 32 kernels of 900 with 31 gaps of 200; 90000 - 41000 to complete.
  CHECK(*account(activity->iterations[0], 200) == Account{5000, 28800, 6200, 0, 49000});
}

TEST_CASE("graph level: one record a launch", "[profiling][activity]") {
  fake() = {};
  auto session = start(ActivityMode::graph);
  REQUIRE(session.ok());
  mark(*session, 1000, 50000);
  CUpti_ActivityGraphTrace2 graph{};
  graph.kind = CUPTI_ACTIVITY_KIND_GRAPH_TRACE;
  graph.correlationId = 5;
  graph.start = 7000;
  graph.end = 43000;
  graph.graphId = 3;
  graph.streamId = 7;
  fake().deliver(graph);
  const auto activity = session->collect();
  REQUIRE(activity.ok());
  REQUIRE(activity->iterations.at(0).works.size() == 1);
  CHECK(activity->iterations[0].works[0] == Work{{7000, 43000}, 5, WorkKind::graph, "graph 3", 7, 3, 0});
}

TEST_CASE("a failing call gives a named outcome and leaves nothing enabled",
          "[profiling][activity][degraded]") {
  const auto outcome = [](const std::string& call, CUptiResult result) {
    fake() = {};
    fake().fail[call] = result;
    const auto session = start(ActivityMode::kernel);
    REQUIRE_FALSE(session.ok());
    CHECK(fake().enabled == fake().disabled);
    CHECK(fake().subscribed == fake().unsubscribed);
    CHECK(session.reason().text.find(" failed with CUPTI_ERROR_") != std::string::npos);
    return session.reason().kind;
  };
  const std::string kernel = "enable:" + std::to_string(CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL);
  const std::string memset = "enable:" + std::to_string(CUPTI_ACTIVITY_KIND_MEMSET);
  CHECK(outcome("subscribe", CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) == Degraded::other_tool);
  CHECK(outcome(kernel, CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED) == Degraded::other_tool);
  CHECK(outcome(kernel, CUPTI_ERROR_INSUFFICIENT_PRIVILEGES) == Degraded::no_permission);
  CHECK(outcome(kernel, CUPTI_ERROR_NOT_INITIALIZED) == Degraded::not_initialized);
  CHECK(outcome(kernel, CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED) == Degraded::unsupported_device);
  CHECK(outcome(kernel, CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED) == Degraded::unsupported_device);
  CHECK(outcome(memset, CUPTI_ERROR_UNKNOWN) == Degraded::cupti_error);
  CHECK(outcome("register_callbacks", CUPTI_ERROR_UNKNOWN) == Degraded::cupti_error);
  // After every one of these failures a session can start.
  fake() = {};
  CHECK(start(ActivityMode::kernel).ok());
}

TEST_CASE("records that cannot be trusted withhold the iterations", "[profiling][activity][degraded]") {
  fake() = {};
  fake().deliver(kernel_record(5000, 5900, 1));
  fake().dropped = 3;
  auto problem = problem_of_collect(ActivityMode::kernel);
  CHECK(problem.kind == Degraded::records_dropped);
  CHECK(problem.text.find("3 activity records dropped") == 0);

  fake() = {};
  fake().deliver(kernel_record(0, 0, 1));  // no times: out of device memory
  fake().deliver(kernel_record(5000, 4000, 1));
  problem = problem_of_collect(ActivityMode::kernel);
  CHECK(problem.kind == Degraded::records_invalid);
  CHECK(problem.text.find("2 activity records") == 0);

  fake() = {};
  fake().deliver(kernel_record(5000, 5900, 1));
  fake().buffer_ends_broken = 1;
  CHECK(problem_of_collect(ActivityMode::kernel).kind == Degraded::records_invalid);

  fake() = {};
  fake().deliver(call_record(0, 0, 1));
  CHECK(problem_of_collect(ActivityMode::api).kind == Degraded::records_invalid);

  fake() = {};
  fake().fail["flush_all"] = CUPTI_ERROR_UNKNOWN;
  CHECK(problem_of_collect(ActivityMode::kernel).kind == Degraded::cupti_error);

  fake() = {};
  fake().fail["get_timestamp"] = CUPTI_ERROR_NOT_INITIALIZED;
  CHECK(problem_of_collect(ActivityMode::kernel).kind == Degraded::not_initialized);
}

TEST_CASE("misuse of marks and sessions is named", "[profiling][activity][degraded]") {
  fake() = {};
  auto session = start(ActivityMode::kernel);
  REQUIRE(session.ok());
  CHECK(start(ActivityMode::api).reason().kind == Degraded::already_active);
  CHECK(session->collect().reason().kind == Degraded::no_iterations);
  session->begin_iteration();
  CHECK(session->collect().reason().kind == Degraded::records_invalid);
  CHECK_THROWS(session->end_iteration());
  // The refused second session has not ended the first one.
  CHECK(fake().disabled.empty());
  mark(*session, 1000, 9000);
  CHECK(session->collect().ok());
}

TEST_CASE("buffers: a new one per request, also beyond those made ready", "[profiling][activity]") {
  fake() = {};
  reset_buffers(fake_api(), 1024, 2);
  std::set<std::uint8_t*> handed_out;
  for (int i = 0; i < 5; ++i) {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, most = 7;
    buffer_requested(&buffer, &bytes, &most);
    REQUIRE(buffer != nullptr);
    CHECK(bytes == 1024);
    CHECK(most == 0);
    CHECK(reinterpret_cast<std::uintptr_t>(buffer) % ACTIVITY_RECORD_ALIGNMENT == 0);
    handed_out.insert(buffer);
  }
  CHECK(handed_out.size() == 5);
  for (std::uint8_t* buffer : handed_out) buffer_completed(nullptr, 0, buffer, 1024, 0);
  CHECK(take_records(fake_api()).works.empty());
}
