// Reading timeline files: see timeline_file.hpp.
#include "profiling/record/timeline_file.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstring>
#include <fstream>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <unordered_map>

namespace gvf::profiling {

namespace {

using nlohmann::json;

// The elements of one record, in order. A wrong one is remembered rather than thrown.
class Fields {
 public:
  explicit Fields(const json& line) : line_(line) {}

  template <class Number>
  Number number() {
    const json* const field = next();
    if (field && field->is_number_integer()) {
      if (std::numeric_limits<Number>::is_signed) return field->get<Number>();
      if (field->is_number_unsigned() && field->get<std::uint64_t>() <= std::numeric_limits<Number>::max())
        return field->get<Number>();
    }
    is_good_ = false;
    return 0;
  }
  std::string text() {
    const json* const field = next();
    if (field && field->is_string()) return field->get<std::string>();
    is_good_ = false;
    return "";
  }
  /// All were read, and each was of its type.
  bool are_good() const { return is_good_ && at_ == line_.size(); }

 private:
  const json* next() { return at_ < line_.size() ? &line_[at_++] : nullptr; }

  const json& line_;
  std::size_t at_ = 1;  // after the tag
  bool is_good_ = true;
};

class Reader {
 public:
  explicit Reader(RecordedProcess& process) : process_(process) {}

  /// What is wrong with this first line, or nothing.
  std::optional<std::string> read_header(const json& line) {
    constexpr const char* foreign = "this is no timeline of `gvf record`";
    if (!line.is_object() || !line.contains("gvf_timeline")) return foreign;
    const json& version = line["gvf_timeline"];
    if (version != timeline_version)
      return fmt::format("timeline version {}, this gvf reads version {}: use the gvf that recorded it",
                         version.dump(), timeline_version);
    try {
      epoch_ = line.at("epoch_ns").get<Nanoseconds>();
      process_.pid = line.at("pid").get<int>();
      process_.exe = line.at("exe").get<std::string>();
      process_.command = line.value("command", std::vector<std::string>{});
      process_.graph_nodes = line.at("graphs").get<std::string>() == "nodes";
      process_.cupti = line.value("cupti", 0U);
    } catch (const json::exception& error) {
      return fmt::format("the header is damaged: {}", error.what());
    }
    return std::nullopt;
  }

  /// What is wrong with this line, or nothing.
  std::optional<std::string> read(const json& line) {
    if (line.is_object()) return read_object(line);
    if (!line.is_array() || line.empty() || !line[0].is_string() ||
        line[0].get_ref<const std::string&>().size() != 1)
      return "this is no record of a timeline";
    const char kind = line[0].get_ref<const std::string&>()[0];
    Fields fields(line);
    const bool is_known = read_record(kind, fields);
    if (!is_known) return fmt::format("unknown kind of record '{}'", kind);
    if (!fields.are_good()) return fmt::format("a damaged record of kind '{}'", kind);
    if (has_unknown_name_) return "a record has a name that no earlier line gives";
    return std::nullopt;
  }

  void finish() {
    process_.lost.reversed += reversed_ranges_;
    process_.unopened_ranges = ends_.size();
    process_.unclosed_ranges = begins_.size();
  }

 private:
  struct RangeEnd {
    Nanoseconds at;
    std::uint32_t thread;
  };

  std::optional<std::string> read_object(const json& line) {
    if (!line.contains("lost")) return "this is no record of a timeline";
    bool is_good = true;
    LostRecords::each(process_.lost, [&](const char* name, std::size_t& count) {
      const auto found = line["lost"].find(name);
      if (found != line["lost"].end() && found->is_number_unsigned())
        count = found->get<std::size_t>();
      else
        is_good = false;
    });
    if (!is_good) return "damaged counts of lost records";
    const auto end = line.find("end");
    if (end != line.end() && !end->is_boolean()) return "a damaged 'end'";
    process_.has_end = end != line.end() && end->get<bool>();
    return std::nullopt;
  }

  bool read_record(char kind, Fields& fields) {
    switch (kind) {
      case tag::text: {
        const auto id = fields.number<std::uint32_t>();
        add_name(id, fields.text());
        return true;
      }
      case tag::device: {
        RecordedDevice device;
        device.id = fields.number<std::uint32_t>();
        device.name = fields.text();
        device.uuid = fields.text();
        device.sm_count = fields.number<int>();
        fields.number<int>();  // compute capability
        fields.number<int>();
        process_.devices.push_back(std::move(device));
        return true;
      }
      case tag::kernel:
      case tag::copy:
      case tag::memset:
      case tag::graph:
        process_.works.push_back(read_work(kind, fields));
        return true;
      case tag::call: {
        RecordedCall call;
        call.at = read_interval(fields);
        call.correlation_id = fields.number<std::uint32_t>();
        call.thread = fields.number<std::uint32_t>();
        call.name = name_of(fields);
        call.result = fields.number<std::uint32_t>();
        process_.calls.push_back(call);
        return true;
      }
      case tag::wait: {
        RecordedWait wait;
        static_cast<void>(read_interval(fields));  // the call's record has the times
        wait.correlation_id = fields.number<std::uint32_t>();
        wait.context = fields.number<std::uint32_t>();
        wait.stream = fields.number<std::uint32_t>();
        wait.type = fields.number<int>();
        process_.waits.push_back(wait);
        return true;
      }
      case tag::range_begin:
      case tag::mark: {
        RecordedRange range;
        range.at.begin = epoch_ + fields.number<Nanoseconds>();
        const auto id = fields.number<std::uint32_t>();
        range.thread = fields.number<std::uint32_t>();
        range.name = name_of(fields);
        range.domain = name_of(fields);
        if (kind == tag::range_begin) begin_range(id, range);
        return true;
      }
      case tag::range_end: {
        RangeEnd end{};
        end.at = epoch_ + fields.number<Nanoseconds>();
        const auto id = fields.number<std::uint32_t>();
        end.thread = fields.number<std::uint32_t>();
        end_range(id, end);
        return true;
      }
      default:
        return false;
    }
  }

  RecordedWork read_work(char kind, Fields& fields) {
    RecordedWork work;
    work.at = read_interval(fields);
    work.correlation_id = fields.number<std::uint32_t>();
    work.device = fields.number<std::uint32_t>();
    work.context = fields.number<std::uint32_t>();
    work.stream = fields.number<std::uint32_t>();
    if (kind == tag::kernel) {
      work.kind = WorkKind::kernel;
      work.name = name_of(fields);
    } else if (kind == tag::copy) {
      work.kind = WorkKind::memcpy;
      work.bytes = fields.number<std::uint64_t>();
      fields.number<int>();  // direction
    } else if (kind == tag::memset) {
      work.kind = WorkKind::memset;
      work.bytes = fields.number<std::uint64_t>();
    } else {
      work.kind = WorkKind::graph;
    }
    work.graph_id = fields.number<std::uint32_t>();
    if (kind != tag::graph) work.node_id = fields.number<std::uint64_t>();
    return work;
  }

  Interval read_interval(Fields& fields) {
    const Nanoseconds begin = epoch_ + fields.number<Nanoseconds>();
    return {begin, begin + static_cast<Nanoseconds>(fields.number<std::uint64_t>())};
  }

  // Ids of the file grow without end where a program has ever new names; equal texts share one index here.
  void add_name(std::uint32_t id, std::string text) {
    const auto [entry, is_new] =
        index_of_text_.emplace(std::move(text), static_cast<std::uint32_t>(process_.names.size()));
    if (is_new) process_.names.push_back(entry->first);
    index_of_id_[id] = entry->second;
  }

  std::uint32_t name_of(Fields& fields) {
    const auto found = index_of_id_.find(fields.number<std::uint32_t>());
    if (found != index_of_id_.end()) return found->second;
    has_unknown_name_ = true;
    return 0;
  }

  // Threads have buffers of their own, so the end of a range may come before its begin.
  void begin_range(std::uint32_t id, const RecordedRange& range) {
    const auto end = ends_.find(id);
    if (end == ends_.end()) {
      begins_[id] = range;
      return;
    }
    close_range(range, end->second);
    ends_.erase(end);
  }

  void end_range(std::uint32_t id, const RangeEnd& end) {
    const auto begin = begins_.find(id);
    if (begin == begins_.end()) {
      ends_[id] = end;
      return;
    }
    close_range(begin->second, end);
    begins_.erase(begin);
  }

  void close_range(RecordedRange range, const RangeEnd& end) {
    range.at.end = end.at;
    range.end_thread = end.thread;
    if (range.at.end < range.at.begin)
      ++reversed_ranges_;
    else
      process_.ranges.push_back(range);
  }

  RecordedProcess& process_;
  Nanoseconds epoch_ = 0;
  std::unordered_map<std::string, std::uint32_t> index_of_text_;
  std::unordered_map<std::uint32_t, std::uint32_t> index_of_id_;
  std::unordered_map<std::uint32_t, RecordedRange> begins_;
  std::unordered_map<std::uint32_t, RangeEnd> ends_;
  bool has_unknown_name_ = false;
  std::size_t reversed_ranges_ = 0;  // the process's own counts, which do not hold them, may come after them
};

}  // namespace

Result<RecordedProcess> read_timeline(std::istream& in, const std::string& file) {
  RecordedProcess process;
  process.file = file;
  Reader reader(process);
  std::size_t number = 0;
  for (std::string text; std::getline(in, text);) {
    ++number;
    const bool is_cut = in.eof();  // without its line feed: a crash, or the process writes still
    if (is_cut && number > 1) {
      process.has_cut_line = true;
      break;
    }
    const json line = json::parse(text, nullptr, false);
    std::optional<std::string> fault;
    if (line.is_discarded())
      fault = number == 1 ? "this is no timeline of `gvf record`" : "this is no JSON: the file is damaged";
    else
      fault = number == 1 ? reader.read_header(line) : reader.read(line);
    if (fault) return Reason{fmt::format("{}:{}: {}", file, number, *fault)};
  }
  if (number == 0) return Reason{file + ": the file is empty; record the program again"};
  reader.finish();
  return process;
}

Result<RecordedProcess> read_timeline(const std::filesystem::path& file) {
  if (std::filesystem::is_directory(file))
    return Reason{file.string() + ": is a folder; name the .gvft files in it"};
  std::ifstream in(file, std::ios::binary);
  if (!in) return Reason{fmt::format("{}: cannot be read ({})", file.string(), std::strerror(errno))};
  return read_timeline(in, file.string());
}

}  // namespace gvf::profiling
