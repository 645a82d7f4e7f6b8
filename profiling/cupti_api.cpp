// Finding CUPTI and naming its failures: see cupti_api.hpp.
#include "profiling/cupti_api.hpp"

#include <cstdint>
#include <type_traits>

namespace gvf::profiling {

namespace {

constexpr const char* soname = "libcupti.so.13";
// CUPTI opens this one by its bare name and has no run path: it is found only if it is in the process
// already.
constexpr const char* neighbour = "libnvperf_host.so";

// Records are laid out as the 13.0 headers say; a later 13.x only appends to them.
constexpr std::uint32_t required_major = 13;

template <class F>
void each_symbol(CuptiApi& api, F&& symbol) {
  symbol("cuptiGetVersion", api.get_version);
  symbol("cuptiGetResultString", api.get_result_string);
  symbol("cuptiGetTimestamp", api.get_timestamp);
  symbol("cuptiSubscribe", api.subscribe);
  symbol("cuptiUnsubscribe", api.unsubscribe);
  symbol("cuptiGetCallbackName", api.get_callback_name);
  symbol("cuptiActivityEnable", api.activity_enable);
  symbol("cuptiActivityDisable", api.activity_disable);
  symbol("cuptiActivityEnableRuntimeApi", api.activity_enable_runtime_api);
  symbol("cuptiActivityEnableLatencyTimestamps", api.activity_enable_latency_timestamps);
  symbol("cuptiActivityRegisterCallbacks", api.activity_register_callbacks);
  symbol("cuptiActivityFlushAll", api.activity_flush_all);
  symbol("cuptiActivityGetNextRecord", api.activity_get_next_record);
  symbol("cuptiActivityGetNumDroppedRecords", api.activity_get_num_dropped_records);
}

template <class F>
void each_optional_symbol(CuptiApi& api, F&& symbol) {
  symbol("cuptiActivityEnableDriverApi", api.activity_enable_driver_api);
  symbol("cuptiActivityEnableAllSyncRecords", api.activity_enable_all_sync_records);
  symbol("cuptiActivitySetAttribute", api.activity_set_attribute);
  symbol("cuptiSetThreadIdType", api.set_thread_id_type);
  symbol("InitializeInjectionNvtx", api.initialize_nvtx);
  symbol("InitializeInjectionNvtx2", api.initialize_nvtx2);
}

Result<CuptiApi, CuptiProblem> bind(const DynamicLoader& loader, void* handle, const std::string& opened) {
  CuptiApi api;
  api.path = loader.path_of(handle);
  if (api.path.empty()) api.path = opened;
  const auto find = [&](const char* name, auto& pointer) {
    pointer = reinterpret_cast<std::remove_reference_t<decltype(pointer)>>(loader.find(handle, name));
  };
  std::string missing;
  each_symbol(api, [&](const char* name, auto& pointer) {
    find(name, pointer);
    if (!pointer && missing.empty()) missing = name;
  });
  each_optional_symbol(api, find);
  if (!missing.empty())
    return CuptiProblem{Degraded::symbol_missing, "CUPTI at " + api.path + " has no " + missing +
                                                      ": it is not a CUPTI 13; set GVF_CUPTI_LIBRARY to one"};
  if (api.get_version(&api.version) != CUPTI_SUCCESS || api.version / 10000 != required_major)
    return CuptiProblem{
        Degraded::wrong_version,
        "CUPTI at " + api.path + " reports version " + std::to_string(api.version) +
            ", records are read as CUPTI 13 writes them; set GVF_CUPTI_LIBRARY to a CUPTI 13"};
  return api;
}

std::string directory_of(const std::string& path) {
  const auto slash = path.rfind('/');
  return slash == std::string::npos ? "" : path.substr(0, slash);
}

void* open_with_neighbour(const DynamicLoader& loader, const std::string& path) {
  if (const std::string directory = directory_of(path); !directory.empty())
    loader.open(directory + "/" + neighbour, false);  // absent: activity tracing works without it
  return loader.open(path, false);
}

const char* remedy(Degraded kind) {
  switch (kind) {
    case Degraded::other_tool:
      return "another tool (nsys, ncu, a debugger, a framework's profiler) holds CUPTI; run without it";
    case Degraded::no_permission:
      return "the driver restricts profiling to administrators; see developer.nvidia.com/ERR_NVGPUCTRPERM";
    case Degraded::not_initialized:
      return "there is no usable driver or GPU in this process";
    case Degraded::unsupported_device:
      return "this device or environment cannot be traced; timing without tracing still works";
    default:
      return "tracing is left out; timing without tracing still works";
  }
}

}  // namespace

const char* to_string(Degraded kind) {
  switch (kind) {
    case Degraded::library_absent:
      return "library_absent";
    case Degraded::symbol_missing:
      return "symbol_missing";
    case Degraded::wrong_version:
      return "wrong_version";
    case Degraded::other_tool:
      return "other_tool";
    case Degraded::no_permission:
      return "no_permission";
    case Degraded::not_initialized:
      return "not_initialized";
    case Degraded::unsupported_device:
      return "unsupported_device";
    case Degraded::records_dropped:
      return "records_dropped";
    case Degraded::records_invalid:
      return "records_invalid";
    case Degraded::already_active:
      return "already_active";
    case Degraded::no_iterations:
      return "no_iterations";
    case Degraded::metric_unavailable:
      return "metric_unavailable";
    case Degraded::cupti_error:
      return "cupti_error";
  }
  return "unknown";
}

Degraded classify(CUptiResult result) {
  switch (result) {
    case CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED:
    case CUPTI_ERROR_HARDWARE_BUSY:
      return Degraded::other_tool;
    case CUPTI_ERROR_INSUFFICIENT_PRIVILEGES:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_INSUFFICIENT_PRIVILEGES:
      return Degraded::no_permission;
    case CUPTI_ERROR_NOT_INITIALIZED:
    case CUPTI_ERROR_NOT_READY:
      return Degraded::not_initialized;
    case CUPTI_ERROR_NOT_SUPPORTED:
    case CUPTI_ERROR_LEGACY_PROFILER_NOT_SUPPORTED:
    case CUPTI_ERROR_VIRTUALIZED_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_CONFIDENTIAL_COMPUTING_NOT_SUPPORTED:
    case CUPTI_ERROR_CMP_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_SLI_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_WSL_DEVICE_NOT_SUPPORTED:
    case CUPTI_ERROR_INVALID_CHIP_NAME:
      return Degraded::unsupported_device;
    default:
      return Degraded::cupti_error;
  }
}

CuptiProblem describe(const CuptiApi& api, CUptiResult result, const std::string& call) {
  const char* name = nullptr;
  if (!api.get_result_string || api.get_result_string(result, &name) != CUPTI_SUCCESS || !name)
    name = "unknown";
  const Degraded kind = classify(result);
  // What CUPTI says where libcuda.so.1 is missing (13.0 on a machine without a driver).
  const char* advice = result == CUPTI_ERROR_UNKNOWN
                           ? "usually there is no driver or it is older than CUPTI; timing "
                             "without tracing still works"
                           : remedy(kind);
  return {kind,
          call + " failed with " + name + " (" + std::to_string(static_cast<int>(result)) + "): " + advice};
}

std::vector<std::string> cupti_directories(const DynamicLoader& loader) {
  std::vector<std::string> directories;
  const auto add_toolkit = [&](const std::string& root) {
    directories.push_back(root + "/lib64");
    directories.push_back(root + "/extras/CUPTI/lib64");
  };
  for (const char* variable : {"CUDA_HOME", "CUDA_PATH"})
    if (const auto root = loader.environment(variable)) add_toolkit(*root);
  add_toolkit("/usr/local/cuda");

  std::vector<std::string> environments;
  if (const auto active = loader.environment("VIRTUAL_ENV")) environments.push_back(*active);
  for (const char* up : {"/.venv", "/../.venv", "/../../.venv"})
    if (!loader.executable_directory.empty()) environments.push_back(loader.executable_directory + up);
  for (const std::string& environment : environments)
    for (const std::string& python : loader.list(environment + "/lib"))
      if (python.find("/python3") != std::string::npos)
        directories.push_back(python + "/site-packages/nvidia/cu13/lib");
  return directories;
}

Result<CuptiApi, CuptiProblem> load_cupti(const DynamicLoader& loader) {
  if (void* handle = loader.open(soname, true)) return bind(loader, handle, soname);

  if (const auto chosen = loader.environment("GVF_CUPTI_LIBRARY")) {
    if (void* handle = open_with_neighbour(loader, *chosen)) return bind(loader, handle, *chosen);
    return CuptiProblem{Degraded::library_absent, "GVF_CUPTI_LIBRARY names " + *chosen +
                                                      ", which cannot be opened: correct or unset it"};
  }
  if (void* handle = open_with_neighbour(loader, soname)) return bind(loader, handle, soname);

  std::string looked;
  for (const std::string& directory : cupti_directories(loader)) {
    const std::string path = directory + "/" + soname;
    if (void* handle = open_with_neighbour(loader, path)) return bind(loader, handle, path);
    looked += (looked.empty() ? "" : ", ") + directory;
  }
  return CuptiProblem{Degraded::library_absent, std::string("CUPTI (") + soname +
                                                    ") not found by the loader nor in " + looked +
                                                    ": install it with the CUDA 13 toolkit or `pip install "
                                                    "nvidia-cuda-cupti`, or set GVF_CUPTI_LIBRARY"};
}

}  // namespace gvf::profiling
