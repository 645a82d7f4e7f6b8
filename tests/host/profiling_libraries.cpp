// Finding CUPTI and NVML at run time: where is looked, in which order, and what is said when it is not there.
#include <map>
#include <set>

#include "profiling/nvml.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_cupti.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;

namespace {

// A file system and a loader of fakes: `files` can be opened, `loaded` are in the process already.
struct FakeSystem {
  std::set<std::string> files, loaded;
  std::map<std::string, std::string> variables;
  std::map<std::string, std::vector<std::string>> directories;
  std::set<std::string> missing_symbols;
  std::vector<std::string> opened;

  DynamicLoader loader() {
    DynamicLoader l;
    l.open = [this](const std::string& name, bool only_if_loaded) -> void* {
      opened.push_back((only_if_loaded ? "loaded:" : "") + name);
      return (only_if_loaded ? loaded : files).count(name) ? this : nullptr;
    };
    l.find = [this](void*, const char* symbol) -> void* {
      if (missing_symbols.count(symbol)) return nullptr;
      const CuptiApi api = fake_api();
      // Only get_version is called while loading; every other pointer just has to be there.
      return std::string(symbol) == "cuptiGetVersion" ? reinterpret_cast<void*>(api.get_version)
                                                      : reinterpret_cast<void*>(api.unsubscribe);
    };
    l.path_of = [](void*) { return std::string(); };
    l.environment = [this](const char* name) -> std::optional<std::string> {
      const auto found = variables.find(name);
      if (found == variables.end()) return std::nullopt;
      return found->second;
    };
    l.list = [this](const std::string& directory) { return directories[directory]; };
    l.executable_directory = "/repo/build";
    return l;
  }
};

}  // namespace

TEST_CASE("CUPTI: the library already in the process wins", "[profiling][cupti]") {
  fake() = {};
  FakeSystem system;
  system.loaded = {"libcupti.so.13"};
  system.files = {"libcupti.so.13", "/opt/libcupti.so.13"};
  system.variables["GVF_CUPTI_LIBRARY"] = "/opt/libcupti.so.13";
  const auto api = load_cupti(system.loader());
  REQUIRE(api.ok());
  CHECK(api->path == "libcupti.so.13");
  CHECK(api->version == 130001);
  CHECK(system.opened == std::vector<std::string>{"loaded:libcupti.so.13"});
}

TEST_CASE("CUPTI: the chosen library must work, and its neighbour is opened first", "[profiling][cupti]") {
  fake() = {};
  FakeSystem system;
  system.files = {"/opt/cupti/libcupti.so.13", "/usr/local/cuda/lib64/libcupti.so.13"};
  system.variables["GVF_CUPTI_LIBRARY"] = "/opt/cupti/libcupti.so.13";
  auto api = load_cupti(system.loader());
  REQUIRE(api.ok());
  CHECK(api->path == "/opt/cupti/libcupti.so.13");
  CHECK(system.opened == std::vector<std::string>{"loaded:libcupti.so.13", "/opt/cupti/libnvperf_host.so",
                                                  "/opt/cupti/libcupti.so.13"});
  system.variables["GVF_CUPTI_LIBRARY"] = "/gone/libcupti.so.13";
  api = load_cupti(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().kind == Degraded::library_absent);
  CHECK(api.reason().text.find("/gone/libcupti.so.13") != std::string::npos);
}

TEST_CASE("CUPTI: toolkit before wheels, wheels of the active environment and beside the build",
          "[profiling][cupti]") {
  fake() = {};
  FakeSystem system;
  system.variables["CUDA_HOME"] = "/cuda";
  system.variables["VIRTUAL_ENV"] = "/venv";
  system.directories["/venv/lib"] = {"/venv/lib/python3.12", "/venv/lib/other"};
  system.directories["/repo/build/../.venv/lib"] = {"/repo/build/../.venv/lib/python3.11"};
  const std::string active = "/venv/lib/python3.12/site-packages/nvidia/cu13/lib/libcupti.so.13";
  const std::string beside =
      "/repo/build/../.venv/lib/python3.11/site-packages/nvidia/cu13/lib/libcupti.so.13";
  for (const std::string& place :
       {std::string("/cuda/lib64/libcupti.so.13"), std::string("/cuda/extras/CUPTI/lib64/libcupti.so.13"),
        std::string("/usr/local/cuda/lib64/libcupti.so.13"), active, beside}) {
    system.files = {place, beside};
    const auto api = load_cupti(system.loader());
    REQUIRE(api.ok());
    CHECK(api->path == place);
  }
}

TEST_CASE("CUPTI: absent, incomplete and of another version", "[profiling][cupti][degraded]") {
  fake() = {};
  FakeSystem system;
  auto api = load_cupti(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().kind == Degraded::library_absent);
  CHECK(api.reason().text.find("/usr/local/cuda/extras/CUPTI/lib64") != std::string::npos);
  CHECK(api.reason().text.find("GVF_CUPTI_LIBRARY") != std::string::npos);
  CHECK(api.reason().text.find('\n') == std::string::npos);

  system.files = {"libcupti.so.13"};
  system.missing_symbols = {"cuptiActivityFlushAll"};
  api = load_cupti(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().kind == Degraded::symbol_missing);
  CHECK(api.reason().text.find("cuptiActivityFlushAll") != std::string::npos);

  system.missing_symbols.clear();
  fake().version = 28;  // 12.9
  api = load_cupti(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().kind == Degraded::wrong_version);
  CHECK(std::string(to_string(api.reason().kind)) == "wrong_version");
}

namespace {

struct FakeNvml {
  int init = 0, clock = 0, device = 0;
  unsigned long long reasons = 0;
  int inits = 0, shutdowns = 0;
  std::string asked_for;
};
FakeNvml nvml;

NvmlApi fake_nvml() {
  NvmlApi api;
  api.init = [] { return ++nvml.inits, nvml.init; };
  api.shutdown = [] { return ++nvml.shutdowns, 0; };
  api.error_string = [](int code) { return code == 4 ? "Insufficient Permissions" : "Unknown"; };
  api.driver_version = [](char* text, unsigned) { return std::strcpy(text, "580.65.06"), 0; };
  api.device_by_bus_id = [](const char* id, NvmlApi::Device*) { return nvml.asked_for = id, nvml.device; };
  api.device_by_index = [](unsigned, NvmlApi::Device*) { return nvml.asked_for = "first", nvml.device; };
  api.clock_mhz = [](NvmlApi::Device, int type, unsigned* mhz) {
    return *mhz = type == 1 ? 1980 : 0, nvml.clock;
  };
  api.event_reasons = [](NvmlApi::Device, unsigned long long* r) { return *r = nvml.reasons, 0; };
  return api;
}

}  // namespace

TEST_CASE("NVML: absent or incomplete", "[profiling][nvml][degraded]") {
  FakeSystem system;
  auto api = load_nvml(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().text.find("libnvidia-ml.so.1") != std::string::npos);
  system.files = {"libnvidia-ml.so.1"};
  CHECK(load_nvml(system.loader()).ok());
  // The old name of the reasons is enough; without either it is not.
  system.missing_symbols = {"nvmlDeviceGetCurrentClocksEventReasons"};
  CHECK(load_nvml(system.loader()).ok());
  system.missing_symbols.insert("nvmlDeviceGetCurrentClocksThrottleReasons");
  api = load_nvml(system.loader());
  REQUIRE_FALSE(api.ok());
  CHECK(api.reason().text.find("nvmlDeviceGetCurrentClocksEventReasons") != std::string::npos);
}

TEST_CASE("NVML: clock, reasons, version, failures", "[profiling][nvml]") {
  nvml = {};
  nvml.reasons = 0x1 | 0x4 | 0x40;
  {
    const auto gpu = Nvml::open(fake_nvml(), "0000:0f:00.0");
    REQUIRE(gpu.ok());
    CHECK(nvml.asked_for == "0000:0f:00.0");
    CHECK(*gpu->sm_clock_mhz() == 1980);
    CHECK(*gpu->clock_event_reasons() ==
          std::vector<std::string>{"software power cap", "hardware thermal slowdown"});
    CHECK(*gpu->driver_version() == "580.65.06");
    nvml.clock = 4;
    CHECK(gpu->sm_clock_mhz().reason().text == "nvmlDeviceGetClockInfo failed: Insufficient Permissions (4)");
  }
  CHECK(nvml.inits == 1);
  CHECK(nvml.shutdowns == 1);
  CHECK(clock_event_names(0x1).empty());
  CHECK(clock_event_names(0x4000) == std::vector<std::string>{"reason bits 16384"});

  nvml = {};
  nvml.init = 9;
  CHECK_FALSE(Nvml::open(fake_nvml()).ok());
  CHECK(nvml.shutdowns == 0);
  nvml = {};
  nvml.device = 6;
  CHECK_FALSE(Nvml::open(fake_nvml()).ok());
  CHECK(nvml.shutdowns == 1);
}
