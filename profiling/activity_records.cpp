// Buffers and parsing of activity records: see activity_records.hpp. Record layouts: cupti_activity.h
// of 13.0.
#include "profiling/activity_records.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <cstring>
#include <memory>
#include <mutex>
#include <new>
#include <string>
#include <unordered_map>
#include <utility>

namespace gvf::profiling {

namespace {

// operator new aligns for any fundamental type: at least the 8 bytes that activity records need.
using Memory = std::unique_ptr<std::uint8_t[]>;

struct Completed {
  Memory memory;
  std::size_t valid_bytes;
};

struct Store {
  std::mutex mutex;
  decltype(&cuptiActivityGetNumDroppedRecords) count_dropped = nullptr;
  std::size_t bytes = 0;
  std::vector<Memory> ready;
  std::unordered_map<std::uint8_t*, Memory> lent;
  std::vector<Completed> completed;
  std::size_t dropped = 0;
};

Store& store() {
  static Store* const the =
      new Store;  // never destroyed: CUPTI's threads may call in while the process exits
  return *the;
}

Memory allocate(std::size_t bytes) {
  return Memory(new (std::nothrow) std::uint8_t[bytes]);
}

std::string readable(const char* mangled) {
  if (!mangled) return "";
  int status = 0;
  const std::unique_ptr<char, void (*)(void*)> plain(abi::__cxa_demangle(mangled, nullptr, nullptr, &status),
                                                     std::free);
  return status == 0 && plain ? plain.get() : mangled;
}

// Zero means that CUPTI could not take the time (cupti_activity.h, every start/end field).
bool has_times(std::uint64_t start, std::uint64_t end) {
  return start != 0 && end >= start;
}

Interval interval(std::uint64_t start, std::uint64_t end) {
  return {static_cast<Nanoseconds>(start), static_cast<Nanoseconds>(end)};
}

class Parser {
 public:
  Parser(const CuptiApi& api, Records& out) : api_(api), out_(out) {}

  void parse(std::uint8_t* buffer, std::size_t valid_bytes) {
    CUpti_Activity* record = nullptr;
    for (;;) {
      const CUptiResult status = api_.activity_get_next_record(buffer, valid_bytes, &record);
      if (status == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
      if (status != CUPTI_SUCCESS) {
        ++out_.invalid;  // the rest of this buffer is lost
        return;
      }
      add(*record);
    }
  }

 private:
  void add(const CUpti_Activity& record) {
    switch (record.kind) {
      case CUPTI_ACTIVITY_KIND_KERNEL:
      case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
        const auto& k = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
        add_work({interval(k.start, k.end), k.correlationId, WorkKind::kernel, readable(k.name), k.streamId,
                  k.graphId, k.graphNodeId});
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMCPY: {
        const auto& m = reinterpret_cast<const CUpti_ActivityMemcpy6&>(record);
        add_work({interval(m.start, m.end), m.correlationId, WorkKind::memcpy,
                  "memcpy " + std::to_string(m.bytes) + " B", m.streamId, m.graphId, m.graphNodeId});
        break;
      }
      case CUPTI_ACTIVITY_KIND_MEMSET: {
        const auto& m = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
        add_work({interval(m.start, m.end), m.correlationId, WorkKind::memset,
                  "memset " + std::to_string(m.bytes) + " B", m.streamId, m.graphId, m.graphNodeId});
        break;
      }
      case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
        const auto& g = reinterpret_cast<const CUpti_ActivityGraphTrace2&>(record);
        add_work({interval(g.start, g.end), g.correlationId, WorkKind::graph,
                  "graph " + std::to_string(g.graphId), g.streamId, g.graphId, 0});
        break;
      }
      case CUPTI_ACTIVITY_KIND_RUNTIME:
      case CUPTI_ACTIVITY_KIND_DRIVER: {
        const auto& c = reinterpret_cast<const CUpti_ActivityAPI&>(record);
        if (!has_times(c.start, c.end)) {
          ++out_.invalid;
          break;
        }
        const auto domain = record.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                                       : CUPTI_CB_DOMAIN_DRIVER_API;
        out_.calls.push_back({interval(c.start, c.end), c.correlationId, call_name(domain, c.cbid)});
        break;
      }
      default:
        break;  // kinds that come along uninvited
    }
  }

  void add_work(Work work) {
    if (has_times(static_cast<std::uint64_t>(work.at.begin), static_cast<std::uint64_t>(work.at.end)))
      out_.works.push_back(std::move(work));
    else
      ++out_.invalid;
  }

  std::string call_name(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
    const char* name = nullptr;
    if (api_.get_callback_name(domain, cbid, &name) == CUPTI_SUCCESS && name) return name;
    return "call " + std::to_string(cbid);
  }

  const CuptiApi& api_;
  Records& out_;
};

}  // namespace

void reset_buffers(const CuptiApi& api, std::size_t bytes, std::size_t ready) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  s.count_dropped = api.activity_get_num_dropped_records;
  s.bytes = bytes;
  s.dropped = 0;
  s.completed.clear();
  s.ready.clear();
  for (std::size_t i = 0; i < ready; ++i) {
    Memory memory = allocate(bytes);
    if (!memory) return;
    std::memset(memory.get(), 0, bytes);
    s.ready.push_back(std::move(memory));
  }
}

void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  Memory memory;
  if (!s.ready.empty()) {
    memory = std::move(s.ready.back());
    s.ready.pop_back();
  } else {
    memory = allocate(s.bytes);
  }
  *buffer = memory.get();  // null where memory is out: CUPTI then drops records and counts them
  *bytes = memory ? s.bytes : 0;
  *max_records = 0;
  if (memory) s.lent.emplace(*buffer, std::move(memory));
}

void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer, std::size_t,
                               std::size_t valid_bytes) {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  if (const auto lent = s.lent.find(buffer); lent != s.lent.end()) {
    if (valid_bytes > 0) s.completed.push_back({std::move(lent->second), valid_bytes});
    s.lent.erase(lent);
  }
  std::size_t dropped = 0;
  if (s.count_dropped && s.count_dropped(context, stream, &dropped) == CUPTI_SUCCESS) s.dropped += dropped;
}

Records take_records(const CuptiApi& api) {
  std::vector<Completed> completed;
  {
    Store& s = store();
    const std::lock_guard lock(s.mutex);
    completed.swap(s.completed);
  }
  Records records;
  Parser parser(api, records);
  for (Completed& buffer : completed) parser.parse(buffer.memory.get(), buffer.valid_bytes);
  return records;
}

std::size_t take_dropped() {
  Store& s = store();
  const std::lock_guard lock(s.mutex);
  return std::exchange(s.dropped, 0);
}

}  // namespace gvf::profiling
