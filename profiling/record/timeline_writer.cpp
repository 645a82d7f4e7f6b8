// Lines of a timeline file: see timeline_writer.hpp. Record layouts: cupti_activity.h of 13.0.
#include "profiling/record/timeline_writer.hpp"

#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <concepts>
#include <nlohmann/json.hpp>

namespace gvf::profiling {

namespace {

constexpr std::size_t write_at_bytes = std::size_t{1} << 20;

// A program that names every iteration would fill the memory with names: then the table starts anew, and
// names that come again get new ids.
constexpr std::size_t most_interned_bytes = std::size_t{16} << 20;

std::string json_string(std::string_view text) {
  // NVTX takes any bytes: what is no UTF-8 becomes U+FFFD.
  return nlohmann::json(text).dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

std::string hexadecimal(const CUuuid& uuid) {
  std::string text;
  for (const char byte : uuid.bytes) text += fmt::format("{:02x}", static_cast<unsigned char>(byte));
  return text;
}

}  // namespace

// One record: ["tag",number,...]. Strings would need quoting; numbers do not.
class TimelineWriter::Line {
 public:
  Line(fmt::memory_buffer& out, char tag) : out_(out) {
    const char head[] = {'[', '"', tag, '"'};
    out_.append(head, head + sizeof head);
  }
  Line(const Line&) = delete;
  Line& operator=(const Line&) = delete;
  ~Line() {
    static constexpr char tail[] = {']', '\n'};
    out_.append(tail, tail + sizeof tail);
  }

  Line& operator<<(std::integral auto number) {
    char digits[24] = {','};
    const auto end = std::to_chars(digits + 1, digits + sizeof digits, number).ptr;
    out_.append(digits, end);
    return *this;
  }
  Line& operator<<(std::string_view json) {
    out_.push_back(',');
    out_.append(json.data(), json.data() + json.size());
    return *this;
  }

 private:
  fmt::memory_buffer& out_;
};

TimelineWriter::TimelineWriter(const CuptiApi& api, int descriptor, Nanoseconds epoch)
    : api_(api), descriptor_(descriptor), epoch_(epoch) {}

void TimelineWriter::add_object(const nlohmann::json& object) {
  const std::string line = object.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace) + "\n";
  text_.append(line.data(), line.data() + line.size());
}

void TimelineWriter::add_buffer(std::uint8_t* buffer, std::size_t valid_bytes) {
  if (error_ != 0) return;
  CUpti_Activity* record = nullptr;
  for (;;) {
    const CUptiResult status = api_.activity_get_next_record(buffer, valid_bytes, &record);
    if (status == CUPTI_ERROR_MAX_LIMIT_REACHED) return;
    if (status != CUPTI_SUCCESS) {
      ++lost_.broken_buffers;
      return;
    }
    add(*record);
    if (text_.size() >= write_at_bytes && !flush()) return;
  }
}

bool TimelineWriter::flush() {
  const char* next = text_.data();
  const char* const end = next + text_.size();
  while (error_ == 0 && next != end) {
    const ssize_t written = write(descriptor_, next, static_cast<std::size_t>(end - next));
    if (written >= 0)
      next += written;
    else if (errno != EINTR)
      error_ = errno;
  }
  text_.clear();
  return error_ == 0;
}

bool TimelineWriter::has_times(std::uint64_t start, std::uint64_t end, bool is_work) {
  // Zero means that CUPTI has no time (cupti_activity.h, every start/end field).
  if (start == 0 || end == 0)
    ++lost_.without_times;
  else if (end < start)
    ++lost_.reversed;
  else if (is_work && end == start)
    ++lost_.zero_length;
  else
    return true;
  return false;
}

std::uint32_t TimelineWriter::intern(const char* text) {
  const std::string_view name(text ? text : "");
  if (const auto known = ids_.find(name); known != ids_.end()) return known->second;
  if (interned_bytes_ + name.size() > most_interned_bytes) {
    ids_.clear();
    interned_bytes_ = 0;
  }
  const std::uint32_t id = next_id_++;
  ids_.emplace(name, id);
  interned_bytes_ += name.size() + 64;  // and about that much of table
  Line(text_, tag::text) << id << json_string(name);
  return id;
}

std::uint32_t TimelineWriter::call_name(CUpti_CallbackDomain domain, CUpti_CallbackId cbid) {
  std::string& known = call_names_[(std::uint64_t{domain} << 32) | cbid];
  if (known.empty()) {
    const char* name = nullptr;
    const bool found = api_.get_callback_name(domain, cbid, &name) == CUPTI_SUCCESS && name;
    known = found ? std::string(base_name(name)) : fmt::format("call {}", cbid);
  }
  return intern(known.c_str());
}

void TimelineWriter::add(const CUpti_Activity& record) {
  const auto since_epoch = [this](std::uint64_t ns) { return static_cast<Nanoseconds>(ns) - epoch_; };
  // The fields that every device work has, under the same names in every layout.
  const auto place = [&](Line& line, const auto& w) -> Line& {
    return line << since_epoch(w.start) << w.end - w.start << w.correlationId << w.deviceId << w.contextId
                << w.streamId;
  };
  const auto add_copy = [&](const auto& m) {
    if (!has_times(m.start, m.end, true)) return;
    Line line(text_, tag::copy);
    place(line, m) << m.bytes << m.copyKind << m.graphId << m.graphNodeId;
  };
  switch (record.kind) {
    case CUPTI_ACTIVITY_KIND_KERNEL:
    case CUPTI_ACTIVITY_KIND_CONCURRENT_KERNEL: {
      const auto& k = reinterpret_cast<const CUpti_ActivityKernel10&>(record);
      if (!has_times(k.start, k.end, true)) break;
      const std::uint32_t name = intern(k.name);
      Line line(text_, tag::kernel);
      place(line, k) << name << k.graphId << k.graphNodeId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_MEMCPY:
      add_copy(reinterpret_cast<const CUpti_ActivityMemcpy6&>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMCPY2:
      add_copy(reinterpret_cast<const CUpti_ActivityMemcpyPtoP4&>(record));
      break;
    case CUPTI_ACTIVITY_KIND_MEMSET: {
      const auto& m = reinterpret_cast<const CUpti_ActivityMemset4&>(record);
      if (!has_times(m.start, m.end, true)) break;
      Line line(text_, tag::memset);
      place(line, m) << m.bytes << m.graphId << m.graphNodeId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_GRAPH_TRACE: {
      const auto& g = reinterpret_cast<const CUpti_ActivityGraphTrace2&>(record);
      if (!has_times(g.start, g.end, true)) break;
      Line line(text_, tag::graph);
      place(line, g) << g.graphId;
      break;
    }
    case CUPTI_ACTIVITY_KIND_RUNTIME:
    case CUPTI_ACTIVITY_KIND_DRIVER: {
      const auto& c = reinterpret_cast<const CUpti_ActivityAPI&>(record);
      if (!has_times(c.start, c.end, false)) break;
      const auto domain = record.kind == CUPTI_ACTIVITY_KIND_RUNTIME ? CUPTI_CB_DOMAIN_RUNTIME_API
                                                                     : CUPTI_CB_DOMAIN_DRIVER_API;
      const std::uint32_t name = call_name(domain, c.cbid);
      Line(text_, tag::call) << since_epoch(c.start) << c.end - c.start << c.correlationId << c.threadId
                             << name << c.returnValue;
      break;
    }
    case CUPTI_ACTIVITY_KIND_SYNCHRONIZATION: {
      const auto& s = reinterpret_cast<const CUpti_ActivitySynchronization2&>(record);
      if (!has_times(s.start, s.end, false)) break;
      Line(text_, tag::wait) << since_epoch(s.start) << s.end - s.start << s.correlationId << s.contextId
                             << s.streamId << static_cast<int>(s.type);
      break;
    }
    case CUPTI_ACTIVITY_KIND_MARKER: {
      const auto& m = reinterpret_cast<const CUpti_ActivityMarker2&>(record);
      if (m.timestamp == 0) {
        ++lost_.without_times;
        break;
      }
      const std::uint32_t thread = m.objectKind == CUPTI_ACTIVITY_OBJECT_THREAD ? m.objectId.pt.threadId : 0;
      if (m.flags & CUPTI_ACTIVITY_FLAG_MARKER_END) {
        Line(text_, tag::range_end) << since_epoch(m.timestamp) << m.id << thread;
        break;
      }
      const bool opens = (m.flags & CUPTI_ACTIVITY_FLAG_MARKER_START) != 0;
      if (!opens && (m.flags & CUPTI_ACTIVITY_FLAG_MARKER_INSTANTANEOUS) == 0) break;  // NVTX synchronisation
      const std::uint32_t name = intern(m.name);
      const std::uint32_t domain = intern(m.domain);
      Line(text_, opens ? tag::range_begin : tag::mark)
          << since_epoch(m.timestamp) << m.id << thread << name << domain;
      break;
    }
    case CUPTI_ACTIVITY_KIND_DEVICE: {
      const auto& d = reinterpret_cast<const CUpti_ActivityDevice5&>(record);
      Line(text_, tag::device) << d.id << json_string(d.name ? d.name : "")
                               << json_string(hexadecimal(d.uuid)) << d.numMultiprocessors
                               << d.computeCapabilityMajor << d.computeCapabilityMinor;
      break;
    }
    default:
      break;  // kinds that come along uninvited
  }
}

}  // namespace gvf::profiling
