// A CUPTI to load at run time: what libgvf_inject.so needs of it, and emit_launch, which does what a launch
// on a GPU would leave behind. Buffers fill and complete as CUPTI's do, on the thread that flushes or fills
// them.
#include <ctime>
#include <mutex>

#include "tests/host/profiling_fake_cupti.hpp"

using gvf::tests::record_size;

namespace {

CUpti_BuffersCallbackRequestFunc request = nullptr;
CUpti_BuffersCallbackCompleteFunc complete = nullptr;
std::mutex mutex;
std::uint8_t* buffer = nullptr;
std::size_t size = 0;
std::size_t used = 0;

void finish_buffer() {
  if (buffer) complete(nullptr, 0, buffer, size, used);
  buffer = nullptr;
}

template <class Record>
void append(const Record& record) {
  if (buffer && used + sizeof record > size) finish_buffer();
  if (!buffer) {
    std::size_t most = 0;
    used = 0;
    request(&buffer, &size, &most);
    if (!buffer) return;
  }
  std::memcpy(buffer + used, &record, sizeof record);
  used += sizeof record;
}

std::uint64_t now() {
  timespec time{};
  clock_gettime(CLOCK_REALTIME, &time);
  return static_cast<std::uint64_t>(time.tv_sec) * 1'000'000'000U + static_cast<std::uint64_t>(time.tv_nsec);
}

}  // namespace

#define FAKE extern "C" __attribute__((visibility("default")))

FAKE CUptiResult cuptiGetVersion(std::uint32_t* version) {
  *version = 130001;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetResultString(CUptiResult, const char** text) {
  *text = "CUPTI_ERROR_OF_THE_FAKE";
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetTimestamp(std::uint64_t* ns) {
  *ns = now();
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiSubscribe(CUpti_SubscriberHandle*, CUpti_CallbackFunc, void*) {
  return std::getenv("FAKE_CUPTI_IS_TAKEN") ? CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED : CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiUnsubscribe(CUpti_SubscriberHandle) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiGetCallbackName(CUpti_CallbackDomain domain, std::uint32_t, const char** name) {
  *name = domain == CUPTI_CB_DOMAIN_RUNTIME_API ? "cudaLaunchKernel_v7000" : "cuLaunchKernel";
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityEnable(CUpti_ActivityKind) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityDisable(CUpti_ActivityKind) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityEnableRuntimeApi(CUpti_CallbackId, std::uint8_t) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityEnableDriverApi(CUpti_CallbackId, std::uint8_t) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityEnableLatencyTimestamps(std::uint8_t) {
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityRegisterCallbacks(CUpti_BuffersCallbackRequestFunc requested,
                                                CUpti_BuffersCallbackCompleteFunc completed) {
  request = requested;
  complete = completed;
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityFlushAll(std::uint32_t) {
  const std::lock_guard lock(mutex);
  finish_buffer();
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityGetNextRecord(std::uint8_t* begin, std::size_t valid, CUpti_Activity** record) {
  std::uint8_t* next = begin;
  if (*record) next = reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
  if (next >= begin + valid) return CUPTI_ERROR_MAX_LIMIT_REACHED;
  *record = reinterpret_cast<CUpti_Activity*>(next);
  return CUPTI_SUCCESS;
}
FAKE CUptiResult cuptiActivityGetNumDroppedRecords(CUcontext, std::uint32_t, std::size_t* count) {
  *count = 0;
  return CUPTI_SUCCESS;
}
FAKE int InitializeInjectionNvtx2(void*) {
  return 7;
}

/// A launch, its kernel, and a range around them.
FAKE void emit_launch(std::uint32_t id) {
  const std::lock_guard lock(mutex);
  const std::uint64_t start = now();
  append(gvf::tests::marker_record(CUPTI_ACTIVITY_FLAG_MARKER_START, start, id, 1, "launches"));
  auto call = gvf::tests::call_record(start + 100, start + 2100, id);
  call.threadId = 1;
  append(call);
  append(gvf::tests::kernel_record(start + 5100, start + 9100, id));
  append(gvf::tests::marker_record(CUPTI_ACTIVITY_FLAG_MARKER_END, start + 9500, id, 1));
}
