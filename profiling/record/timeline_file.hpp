// A recorded process read back from its timeline file (docs/timeline-format.md). The file is read line by
// line; what is kept is one small struct a record.
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <istream>
#include <string>
#include <vector>

#include "profiling/record/timeline_format.hpp"
#include "profiling/result.hpp"
#include "profiling/timeline.hpp"

namespace gvf::profiling {

// `name` and `domain` are indices into RecordedProcess::names. Times are CUPTI's, absolute.

struct RecordedCall {
  Interval at;
  std::uint32_t correlation_id = 0;
  std::uint32_t thread = 0;
  std::uint32_t name = 0;
  std::uint32_t result = 0;  ///< the call's cudaError_t or CUresult
};

struct RecordedWork {
  Interval at;
  std::uint64_t bytes = 0;    ///< of a copy or a memset
  std::uint64_t node_id = 0;  ///< 0: not a node of a graph
  std::uint32_t correlation_id = 0;
  WorkKind kind = WorkKind::kernel;
  std::uint32_t device = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  std::uint32_t name = 0;
  std::uint32_t graph_id = 0;  ///< 0: not part of a graph
};

/// What a synchronising call waited for.
struct RecordedWait {
  std::uint32_t correlation_id = 0;
  std::uint32_t context = 0;
  std::uint32_t stream = 0;
  int type = 0;  ///< CUpti_ActivitySynchronizationType
};

/// A push/pop or a start/end range of NVTX.
struct RecordedRange {
  Interval at;
  std::uint32_t thread = 0;
  std::uint32_t end_thread = 0;
  std::uint32_t name = 0;
  std::uint32_t domain = 0;  ///< the name of the default domain is empty
};

struct RecordedDevice {
  std::uint32_t id = 0;
  std::string name;
  std::string uuid;
  int sm_count = 0;
};

struct RecordedProcess {
  std::string file;
  int pid = 0;
  std::string exe;
  std::vector<std::string> command;
  bool graph_nodes = false;
  std::uint32_t cupti = 0;

  std::vector<std::string> names;
  std::vector<RecordedDevice> devices;
  std::vector<RecordedCall> calls;
  std::vector<RecordedWork> works;
  std::vector<RecordedWait> waits;
  std::vector<RecordedRange> ranges;

  LostRecords lost;
  bool has_end = false;             ///< false: the process crashed, was killed, or is still running
  bool has_cut_line = false;        ///< the last line was not written to its end
  std::size_t unclosed_ranges = 0;  ///< begun, never ended: excluded
  std::size_t unopened_ranges = 0;  ///< ended, never begun: excluded
};

/// The reason names file and line of what cannot be read.
Result<RecordedProcess> read_timeline(const std::filesystem::path& file);
Result<RecordedProcess> read_timeline(std::istream& in, const std::string& file);

}  // namespace gvf::profiling
