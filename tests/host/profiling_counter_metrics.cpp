// The table of counter calls and the schedule of metrics: over fakes, and over the real CUPTI's host half,
// which needs no GPU.
#include <limits>

#include "profiling/counters/metrics.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_counters.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// A loader that finds every file but `absent`, and every symbol but `missing`.
struct FakeFiles {
  std::string absent, missing;
  std::vector<std::string> opened;

  DynamicLoader loader() {
    DynamicLoader l;
    l.open = [this](const std::string& name, bool only_if_loaded) -> void* {
      if (only_if_loaded || name == absent) return nullptr;
      opened.push_back(name);
      return this;
    };
    l.find = [this](void*, const char* symbol) -> void* {
      if (missing == symbol) return nullptr;
      const CuptiApi api = fake_api();
      // Only get_version is called while loading; every other pointer just has to be there.
      return std::string(symbol) == "cuptiGetVersion" ? reinterpret_cast<void*>(api.get_version)
                                                      : reinterpret_cast<void*>(api.unsubscribe);
    };
    l.path_of = [](void*) { return std::string("/cuda/lib64/libcupti.so.13"); };
    l.environment = [](const char*) { return std::nullopt; };
    l.list = [](const std::string&) { return std::vector<std::string>{}; };
    return l;
  }
};

Result<MetricSchedule, CuptiProblem> schedule(
    const CounterApi& api, const std::vector<MetricRequest>& requests = default_metrics()) {
  return MetricSchedule::make(api, CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", {}, requests);
}

}  // namespace

TEST_CASE("counter table: CUPTI's neighbours are opened by full path, before anything is called",
          "[profiling][counters]") {
  fake() = {};
  FakeFiles files;
  const auto api = load_counter_api(files.loader());
  REQUIRE(api.ok());
  CHECK(api->cupti.path == "/cuda/lib64/libcupti.so.13");
  CHECK(api->range_push != nullptr);
  CHECK(api->pm_sample_info != nullptr);
  CHECK(files.opened == std::vector<std::string>{"libcupti.so.13", "/cuda/lib64/libnvperf_host.so",
                                                 "/cuda/lib64/libnvperf_target.so", "libcuda.so.1",
                                                 "/cuda/lib64/libcupti.so.13"});
}

TEST_CASE("counter table: what is missing is named", "[profiling][counters][degraded]") {
  fake() = {};
  const auto problem = [](const std::string& absent, const std::string& missing) {
    FakeFiles files;
    files.absent = absent;
    files.missing = missing;
    auto api = load_counter_api(files.loader());
    REQUIRE_FALSE(api.ok());
    CHECK(api.reason().text.find('\n') == std::string::npos);
    return api.reason();
  };
  CHECK(problem("libcuda.so.1", "").kind == Degraded::library_absent);
  CHECK_THAT(problem("libcuda.so.1", "").text, ContainsSubstring("libcuda.so.1 not found"));
  CHECK(problem("", "cuptiRangeProfilerPushRange").kind == Degraded::symbol_missing);
  CHECK_THAT(problem("", "cuptiRangeProfilerPushRange").text,
             ContainsSubstring("/cuda/lib64/libcupti.so.13 has no cuptiRangeProfilerPushRange"));
  CHECK_THAT(problem("", "cuCtxGetCurrent").text, ContainsSubstring("libcuda.so.1 has no cuCtxGetCurrent"));
  CHECK_THAT(problem("", "cuptiGetVersion").text, ContainsSubstring("GVF_CUPTI_LIBRARY"));

  FakeFiles nothing;
  DynamicLoader loader = nothing.loader();
  loader.open = [](const std::string&, bool) -> void* { return nullptr; };
  CHECK(load_counter_api(loader).reason().kind == Degraded::library_absent);
}

TEST_CASE("counters: each refusal says what to do about it", "[profiling][counters][degraded]") {
  fake() = {};
  const CounterApi api = fake_counter_api();
  const auto check = [&](CUptiResult code, Degraded kind, const char* advice) {
    const CuptiProblem problem = describe_counters(api, code, "cuptiRangeProfilerStart");
    CAPTURE(code);
    CHECK(problem.kind == kind);
    CHECK_THAT(problem.text, ContainsSubstring("cuptiRangeProfilerStart failed with"));
    CHECK_THAT(problem.text, ContainsSubstring(advice));
    CHECK_THAT(problem.text, ContainsSubstring("bytes come from the model only"));
  };
  check(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, Degraded::no_permission,
        "NVreg_RestrictProfilingToAdminUsers=0");
  check(CUPTI_ERROR_INSUFFICIENT_PRIVILEGES, Degraded::no_permission, "CAP_SYS_ADMIN");
  check(CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES, Degraded::no_permission, "enable_profiling");
  check(CUPTI_ERROR_HARDWARE_BUSY, Degraded::other_tool, "dcgmi profile --pause");
  check(CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED, Degraded::other_tool, "another profiler");
  check(CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED, Degraded::unsupported_device, "virtual GPU");
  check(CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED, Degraded::unsupported_device, "MIG");
  check(CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED, Degraded::unsupported_device, "WSL");
  check(CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED, Degraded::unsupported_device, "confidential");
  check(CUPTI_ERROR_INVALID_CHIP_NAME, Degraded::unsupported_device, "does not know the chip");
  check(CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED, Degraded::unsupported_device, "has no counters");
  check(CUPTI_ERROR_NOT_INITIALIZED, Degraded::not_initialized, "no usable driver");
  check(CUPTI_ERROR_INVALID_OPERATION, Degraded::cupti_error, "nothing is known");
}

TEST_CASE("metrics: all in one call, and every host object is given back", "[profiling][counters]") {
  counters() = {};
  const CounterApi api = fake_counter_api();
  {
    auto made = schedule(api);
    REQUIRE(made.ok());
    CHECK(made->unavailable().empty());
    CHECK(made->passes() == 1);
    CHECK(made->config_image().size() == 1664);
    CHECK(made->names().size() == default_metrics().size());
    // The last call is the one that counts: one pass where the chip can.
    CHECK(counters().scheduled.size() == default_metrics().size());
    CHECK(counters().hosts_alive == 1);

    const std::string first = made->names().front();
    const MetricSchedule moved = std::move(made).value();
    CHECK(moved.names().front() == first);
  }
  CHECK(counters().hosts_alive == 0);
}

TEST_CASE("metrics: a chip that lacks one loses only that one, and its name is in the reason",
          "[profiling][counters][degraded]") {
  counters() = {};
  counters().metrics.erase("lts__t_bytes.sum");
  const CounterApi api = fake_counter_api();
  const auto made = schedule(api);
  REQUIRE(made.ok());
  REQUIRE(made->unavailable().size() == 1);
  CHECK(made->unavailable().front().text == "l2_bytes: GH100 offers no lts__t_bytes.sum");
  CHECK(made->names().size() == default_metrics().size() - 1);

  counters().values = {{"dram__bytes_read.sum", 100}, {"gpu__time_duration.sum", 7}};
  const auto values = made->evaluate({}, 0);
  REQUIRE(values.ok());
  CHECK(values->count(quantity::l2_bytes) == 0);
  CHECK(values->at(quantity::dram_read_bytes) == 100);
  CHECK(values->at(quantity::gpu_time_ns) == 7);
}

TEST_CASE("metrics: another chip's spelling is tried next", "[profiling][counters]") {
  counters() = {};
  counters().metrics = {"dram__bytes_op_read.sum", "dram__bytes_op_write.sum"};
  const CounterApi api = fake_counter_api();
  const auto made = schedule(api, bandwidth_metrics());
  REQUIRE(made.ok());
  CHECK(made->unavailable().empty());
  CHECK(std::string(made->names().at(1)) == "dram__bytes_op_write.sum");
}

TEST_CASE("metrics: nothing to count, an unknown chip, and each refused step",
          "[profiling][counters][degraded]") {
  counters() = {};
  counters().metrics.clear();
  const CounterApi api = fake_counter_api();
  const auto made = schedule(api, bandwidth_metrics());
  REQUIRE_FALSE(made.ok());
  CHECK(made.reason().kind == Degraded::metric_unavailable);
  CHECK_THAT(made.reason().text, ContainsSubstring("dram__bytes_read.sum or dram__bytes_op_read.sum"));
  CHECK_THAT(made.reason().text, ContainsSubstring("dram_write_bytes"));

  counters() = {};
  counters().fail["host_initialize"] = CUPTI_ERROR_INVALID_CHIP_NAME;
  const auto unknown = schedule(api);
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.reason().kind == Degraded::unsupported_device);
  CHECK_THAT(unknown.reason().text, ContainsSubstring("cuptiProfilerHostInitialize(GH100)"));

  const std::pair<const char*, const char*> steps[] = {
      {"add_metrics", "cuptiProfilerHostConfigAddMetrics"},
      {"config_image_size", "cuptiProfilerHostGetConfigImageSize"},
      {"config_image", "cuptiProfilerHostGetConfigImage"},
      {"passes", "cuptiProfilerHostGetNumOfPasses"},
  };
  for (const auto& [step, call] : steps) {
    counters() = {};
    counters().fail[step] = CUPTI_ERROR_UNKNOWN;
    const auto refused = schedule(api);
    REQUIRE_FALSE(refused.ok());
    CHECK_THAT(refused.reason().text, ContainsSubstring(std::string(call) + " failed"));
    CHECK(counters().hosts_alive == 0);
  }
}

TEST_CASE("metrics: a value that is no count is a problem, not a figure", "[profiling][counters][degraded]") {
  counters() = {};
  const CounterApi api = fake_counter_api();
  const auto made = schedule(api);
  REQUIRE(made.ok());
  for (const double bad :
       {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity(), -1.0}) {
    counters().values["lts__t_bytes.sum"] = bad;
    const auto values = made->evaluate({}, 0);
    REQUIRE_FALSE(values.ok());
    CHECK(values.reason().kind == Degraded::records_invalid);
    CHECK_THAT(values.reason().text, ContainsSubstring("lts__t_bytes.sum"));
  }
  counters().values.clear();
  counters().fail["evaluate"] = CUPTI_ERROR_INVALID_METRIC_NAME;
  CHECK_THAT(made->evaluate({}, 0).reason().text, ContainsSubstring("cuptiProfilerHostEvaluateToGpuValues"));
}

// The host half of the CUPTI of this machine, where there is one: whether the names above exist, and how many
// passes they take, is NVIDIA's to say and not a fake's.
TEST_CASE("metrics: the real CUPTI schedules the defaults in one pass", "[profiling][counters]") {
  fake() = {};
  DynamicLoader loader = system_loader();
  // No driver is needed for the host half; its two symbols are not called.
  loader.open = [](const std::string& name, bool only_if_loaded) -> void* {
    static int driver = 0;
    return name == "libcuda.so.1" ? &driver : system_loader().open(name, only_if_loaded);
  };
  loader.find = [](void* handle, const char* symbol) -> void* {
    if (std::string(symbol).rfind("cu", 0) == 0 && std::string(symbol).rfind("cupti", 0) != 0)
      return reinterpret_cast<void*>(fake_counter_api().device_get);
    return system_loader().find(handle, symbol);
  };
  const auto api = load_counter_api(loader);
  if (!api.ok()) GVF_SKIP(api.reason().text);

  for (const char* chip : {"GA100", "GH100", "GB100", "AD102"}) {
    CAPTURE(chip);
    const auto range =
        MetricSchedule::make(*api, CUPTI_PROFILER_TYPE_RANGE_PROFILER, chip, {}, default_metrics());
    REQUIRE(range.ok());
    CHECK(range->unavailable().empty());
    CHECK(range->passes() == 1);
    CHECK_FALSE(range->config_image().empty());
    const auto pm =
        MetricSchedule::make(*api, CUPTI_PROFILER_TYPE_PM_SAMPLING, chip, {}, bandwidth_metrics());
    REQUIRE(pm.ok());
    CHECK(pm->unavailable().empty());
    CHECK(pm->passes() == 1);
  }

  std::vector<MetricRequest> requests = default_metrics();
  requests.push_back({"unheard_of", {"lts__t_bytes_op_read.sum"}});
  const auto most = MetricSchedule::make(*api, CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GH100", {}, requests);
  REQUIRE(most.ok());
  REQUIRE(most->unavailable().size() == 1);
  CHECK_THAT(most->unavailable().front().text, ContainsSubstring("lts__t_bytes_op_read.sum"));
  CHECK(most->passes() == 1);

  const auto unknown =
      MetricSchedule::make(*api, CUPTI_PROFILER_TYPE_RANGE_PROFILER, "GX1", {}, default_metrics());
  REQUIRE_FALSE(unknown.ok());
  CHECK(unknown.reason().kind == Degraded::unsupported_device);
}
