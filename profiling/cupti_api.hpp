// Every CUPTI call that gvf makes goes through one table of function pointers: the library is opened at run
// time, never linked, and tests put fakes in its place.
#pragma once

#include <cupti.h>

#include <cstdint>
#include <string>
#include <vector>

#include "profiling/dynamic_library.hpp"
#include "profiling/result.hpp"

namespace gvf::profiling {

struct CuptiApi {
  decltype(&cuptiGetVersion) get_version = nullptr;
  decltype(&cuptiGetResultString) get_result_string = nullptr;
  decltype(&cuptiGetTimestamp) get_timestamp = nullptr;
  decltype(&cuptiSubscribe) subscribe = nullptr;
  decltype(&cuptiUnsubscribe) unsubscribe = nullptr;
  decltype(&cuptiGetCallbackName) get_callback_name = nullptr;
  decltype(&cuptiActivityEnable) activity_enable = nullptr;
  decltype(&cuptiActivityDisable) activity_disable = nullptr;
  decltype(&cuptiActivityEnableRuntimeApi) activity_enable_runtime_api = nullptr;
  decltype(&cuptiActivityEnableLatencyTimestamps) activity_enable_latency_timestamps = nullptr;
  decltype(&cuptiActivityRegisterCallbacks) activity_register_callbacks = nullptr;
  decltype(&cuptiActivityFlushAll) activity_flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) activity_get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) activity_get_num_dropped_records = nullptr;

  // What only the recorder of foreign programs wants; null in a CUPTI that lacks it.
  decltype(&cuptiActivityEnableDriverApi) activity_enable_driver_api = nullptr;
  decltype(&cuptiActivityEnableAllSyncRecords) activity_enable_all_sync_records = nullptr;
  decltype(&cuptiActivitySetAttribute) activity_set_attribute = nullptr;
  decltype(&cuptiSetThreadIdType) set_thread_id_type = nullptr;
  int (*initialize_nvtx)(void* get_export_table) = nullptr;   ///< what NVTX_INJECTION64_PATH leads to
  int (*initialize_nvtx2)(void* get_export_table) = nullptr;  ///< the same for NVTX 3

  std::string path;           ///< where the library came from
  std::uint32_t version = 0;  ///< CUPTI_API_VERSION of the library: 130001 is 13.0 update 1
};

/// What is degraded, by name, so that a study can label a run and go on.
enum class Degraded {
  library_absent,
  symbol_missing,
  wrong_version,
  other_tool,
  no_permission,
  not_initialized,
  unsupported_device,
  records_dropped,
  records_invalid,
  already_active,
  no_iterations,
  metric_unavailable,
  cupti_error,
};
const char* to_string(Degraded kind);

struct CuptiProblem {
  Degraded kind = Degraded::cupti_error;
  std::string text;  ///< one line: what failed, on what, what to do about it
};

/// Looks in this order: already in the process (PyTorch brings its own), $GVF_CUPTI_LIBRARY (must work if
/// set), the loader's own search, CUDA toolkit directories, pip wheels of $VIRTUAL_ENV and of .venv beside
/// the build.
Result<CuptiApi, CuptiProblem> load_cupti(const DynamicLoader& loader = system_loader());

/// Directories that load_cupti tries after the loader's own search.
std::vector<std::string> cupti_directories(const DynamicLoader& loader);

/// Which kind of problem a result code stands for; what is not listed there is cupti_error.
Degraded classify(CUptiResult result);

/// The problem behind a failed call; `call` is its name. Result strings come from the table.
CuptiProblem describe(const CuptiApi& api, CUptiResult result, const std::string& call);

}  // namespace gvf::profiling
