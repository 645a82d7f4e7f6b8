// A CUPTI made of plain functions over one global script: what each call returns, which records it delivers.
#pragma once

#include <cupti.h>

#include <algorithm>
#include <cstring>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "profiling/cupti_api.hpp"

namespace gvf::tests {

struct FakeCupti {
  std::map<std::string, CUptiResult> fail;         // call, or "enable:<kind>", -> what it returns
  std::vector<std::vector<std::uint8_t>> records;  // each one a record, delivered at the next flush
  std::size_t dropped = 0;
  std::size_t buffer_ends_broken = 0;  // this many buffers end with CUPTI_ERROR_INVALID_KIND
  std::uint32_t version = 130001;
  std::uint64_t clock = 1000;

  // What happened.
  std::vector<int> enabled, disabled;
  std::vector<std::uint32_t> calls_enabled, calls_disabled, driver_calls_enabled, driver_calls_disabled;
  bool latency_timestamps = false;
  std::size_t kinds_before_latency_timestamps = 0;
  int subscribed = 0, unsubscribed = 0, flushed = 0;
  std::vector<std::uint8_t*> requested;
  CUpti_BuffersCallbackRequestFunc request = nullptr;
  CUpti_BuffersCallbackCompleteFunc complete = nullptr;

  template <class Record>
  void deliver(const Record& record) {
    std::vector<std::uint8_t> bytes(sizeof record);
    std::memcpy(bytes.data(), &record, sizeof record);
    records.push_back(std::move(bytes));
  }
};

inline FakeCupti& fake() {
  static FakeCupti the;
  return the;
}

inline CUptiResult answer(const std::string& call) {
  const auto found = fake().fail.find(call);
  return found == fake().fail.end() ? CUPTI_SUCCESS : found->second;
}

inline std::size_t record_size(CUpti_ActivityKind kind) {
  switch (kind) {
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL:
      return sizeof(CUpti_ActivityKernel10);
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      return sizeof(CUpti_ActivityMemcpy6);
    case CUPTI_ACTIVITY_KIND_MEMSET:
      return sizeof(CUpti_ActivityMemset4);
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE:
      return sizeof(CUpti_ActivityGraphTrace2);
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER:
      return sizeof(CUpti_ActivityAPI);
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      return sizeof(CUpti_ActivityMemcpyPtoP4);
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION:
      return sizeof(CUpti_ActivitySynchronization2);
    case CUPTI_ACTIVITY_KIND_MARKER:
      return sizeof(CUpti_ActivityMarker2);
    case CUPTI_ACTIVITY_KIND_DEVICE:
      return sizeof(CUpti_ActivityDevice5);
    default:
      return sizeof(CUpti_ActivityName);
  }
}

inline profiling::CuptiApi fake_api() {
  profiling::CuptiApi api;
  api.path = "fake";
  api.version = fake().version;
  api.get_version = [](std::uint32_t* version) {
    *version = fake().version;
    return answer("get_version");
  };
  api.get_result_string = [](CUptiResult result, const char** text) {
    *text = result == CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED
                ? "CUPTI_ERROR_MULTIPLE_SUBSCRIBERS_NOT_SUPPORTED"
                : "CUPTI_ERROR_OF_THE_FAKE";
    return CUPTI_SUCCESS;
  };
  api.get_timestamp = [](std::uint64_t* ns) {
    *ns = fake().clock;
    return answer("get_timestamp");
  };
  api.subscribe = [](CUpti_SubscriberHandle* handle, CUpti_CallbackFunc, void*) {
    const CUptiResult result = answer("subscribe");
    if (result == CUPTI_SUCCESS) {
      ++fake().subscribed;
      *handle = reinterpret_cast<CUpti_SubscriberHandle>(&fake());
    }
    return result;
  };
  api.unsubscribe = [](CUpti_SubscriberHandle) {
    ++fake().unsubscribed;
    return CUPTI_SUCCESS;
  };
  api.get_callback_name = [](CUpti_CallbackDomain domain, std::uint32_t cbid, const char** name) {
    *name = domain == CUPTI_CB_DOMAIN_DRIVER_API                      ? "cuLaunchKernel"
            : cbid == CUPTI_RUNTIME_TRACE_CBID_cudaGraphLaunch_v10000 ? "cudaGraphLaunch_v10000"
                                                                      : "cudaLaunchKernel_v7000";
    return answer("get_callback_name");
  };
  api.activity_enable = [](CUpti_ActivityKind kind) {
    const CUptiResult result = answer("enable:" + std::to_string(static_cast<int>(kind)));
    if (result == CUPTI_SUCCESS) fake().enabled.push_back(kind);
    return result;
  };
  api.activity_disable = [](CUpti_ActivityKind kind) {
    fake().disabled.push_back(kind);
    return CUPTI_SUCCESS;
  };
  api.activity_enable_runtime_api = [](CUpti_CallbackId call, std::uint8_t on) {
    (on ? fake().calls_enabled : fake().calls_disabled).push_back(call);
    const CUptiResult one = answer("enable_runtime_api:" + std::to_string(call));
    return one != CUPTI_SUCCESS ? one : answer("enable_runtime_api");
  };
  api.activity_enable_driver_api = [](CUpti_CallbackId call, std::uint8_t on) {
    (on ? fake().driver_calls_enabled : fake().driver_calls_disabled).push_back(call);
    return answer("enable_driver_api");
  };
  api.activity_enable_latency_timestamps = [](std::uint8_t on) {
    fake().latency_timestamps = on != 0;
    fake().kinds_before_latency_timestamps = fake().enabled.size();
    return answer("enable_latency_timestamps");
  };
  api.activity_register_callbacks = [](CUpti_BuffersCallbackRequestFunc request,
                                       CUpti_BuffersCallbackCompleteFunc complete) {
    fake().request = request;
    fake().complete = complete;
    return answer("register_callbacks");
  };
  // Two records a buffer, so that several buffers are under way.
  api.activity_flush_all = [](std::uint32_t) {
    ++fake().flushed;
    auto pending = std::move(fake().records);
    fake().records.clear();
    for (std::size_t i = 0; i < pending.size(); i += 2) {
      std::uint8_t* buffer = nullptr;
      std::size_t size = 0, most = 1;
      fake().request(&buffer, &size, &most);
      if (!buffer || most != 0) return CUPTI_ERROR_UNKNOWN;
      fake().requested.push_back(buffer);
      std::size_t used = 0;
      for (std::size_t k = i; k < std::min(i + 2, pending.size()); ++k) {
        std::memcpy(buffer + used, pending[k].data(), pending[k].size());
        used += pending[k].size();
      }
      fake().complete(nullptr, 0, buffer, size, used);
    }
    return answer("flush_all");
  };
  api.activity_get_next_record = [](std::uint8_t* buffer, std::size_t valid, CUpti_Activity** record) {
    std::uint8_t* next = buffer;
    if (*record) next = reinterpret_cast<std::uint8_t*>(*record) + record_size((*record)->kind);
    if (next >= buffer + valid) {
      if (fake().buffer_ends_broken == 0) return CUPTI_ERROR_MAX_LIMIT_REACHED;
      --fake().buffer_ends_broken;
      return CUPTI_ERROR_INVALID_KIND;
    }
    *record = reinterpret_cast<CUpti_Activity*>(next);
    return CUPTI_SUCCESS;
  };
  api.activity_get_num_dropped_records = [](CUcontext, std::uint32_t, std::size_t* count) {
    *count = std::exchange(fake().dropped, 0);
    return CUPTI_SUCCESS;
  };
  return api;
}

inline CUpti_ActivityKernel10 kernel_record(std::uint64_t start, std::uint64_t end, std::uint32_t id,
                                            std::uint32_t graph = 0, std::uint64_t node = 0) {
  CUpti_ActivityKernel10 k{};
  k.kind = CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL;
  k.start = start;
  k.end = end;
  k.correlationId = id;
  k.name = "_Z6squarePf";
  k.streamId = 7;
  k.graphId = graph;
  k.graphNodeId = node;
  return k;
}

inline CUpti_ActivityAPI call_record(
    std::uint64_t start, std::uint64_t end, std::uint32_t id,
    CUpti_CallbackId cbid = CUPTI_RUNTIME_TRACE_CBID_cudaLaunchKernel_v7000) {
  CUpti_ActivityAPI c{};
  c.kind = CUPTI_ACTIVITY_KIND_RUNTIME;
  c.cbid = cbid;
  c.start = start;
  c.end = end;
  c.correlationId = id;
  return c;
}

inline CUpti_ActivityMarker2 marker_record(CUpti_ActivityFlag flag, std::uint64_t when, std::uint32_t id,
                                           std::uint32_t thread, const char* name = nullptr,
                                           const char* domain = nullptr) {
  CUpti_ActivityMarker2 m{};
  m.kind = CUPTI_ACTIVITY_KIND_MARKER;
  m.flags = flag;
  m.timestamp = when;
  m.id = id;
  m.objectKind = CUPTI_ACTIVITY_OBJECT_THREAD;
  m.objectId.pt.threadId = thread;
  m.name = name;
  m.domain = domain;
  return m;
}

}  // namespace gvf::tests
