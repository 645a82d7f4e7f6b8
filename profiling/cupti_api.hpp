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
  decltype(&cuptiActivityRegisterCallbacks) activity_register_callbacks = nullptr;
  decltype(&cuptiActivityFlushAll) activity_flush_all = nullptr;
  decltype(&cuptiActivityGetNextRecord) activity_get_next_record = nullptr;
  decltype(&cuptiActivityGetNumDroppedRecords) activity_get_num_dropped_records = nullptr;

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
