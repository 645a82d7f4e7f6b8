// Timing and attribution of one variant at one size, joined from a recording and judged: a row that cannot be
// right carries what is wrong with it and is never shown as a result.
#pragma once

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/pipeline.hpp"
#include "study/recordings/recording.hpp"

namespace gvf::study {

// The byte model of a structure, or nothing where this build knows no such pipeline or structure.
using TrafficOf = std::function<std::optional<ByteModel>(const RowName& name)>;
[[nodiscard]] TrafficOf catalog_traffic();

struct Measured {
  RowName name;  // clock empty
  // Medians over repetitions, µs.
  std::optional<Quantity> wall, host, period, span;
  std::optional<int> kernels;
  std::optional<double> bytes_min;
  std::optional<double> useful_gbps;  // bytes_min / period, or / wall where there is no period
  std::optional<profiling::Attribution> attribution;
  std::optional<profiling::Split> split;
  std::string not_separable;
  profiling::CounterBytes counters;
  std::string fault;              // what is wrong with the timing; nothing above but `name` is set then
  std::string attribution_fault;  // what is wrong with the attribution
  std::vector<std::string> marks;
};

// Variants of one size, in order of presentation.
struct MeasuredSize {
  std::string pipeline;
  std::int64_t n = 0;
  int k = 0;
  std::vector<Measured> variants;

  // By structure and submission, the structure's own slice count; null where it is absent.
  [[nodiscard]] const Measured* find(std::string_view structure, std::string_view submission) const;
};

// All sizes of a pipeline by k, then n.
[[nodiscard]] std::vector<MeasuredSize> measured_sizes(const PipelineRecording& pipeline,
                                                       const Recording& recording);

// The highest rate at which `bytes` of useful data can honestly be moved: the L2 ceiling while they could
// stay in L2 (up to four times its size: part of the data hits), else the best DRAM ceiling. Nothing where
// neither was measured.
struct Ceiling {
  double gbps = 0;
  std::string_view name;
};
[[nodiscard]] std::optional<Ceiling> honest_ceiling(const Recording& recording, double bytes);

// Σ bytes / ceiling over the kernels, each at its own mix of reads and writes, µs: the time per byte is
// interpolated between the read (no writes), copy (half) and write (all) ceilings. Nothing where a needed
// ceiling is missing.
[[nodiscard]] std::optional<double> expected_busy_us(const ByteModel& model, const MachineCeilings& machine);

}  // namespace gvf::study
