// Google Benchmark JSON as rows of this suite: one row a name, its quantities as medians over the
// repetitions.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>
#include <vector>

#include "study/recordings/row_name.hpp"

namespace gvf::study {

// A quantity over the repetitions of a row. `low` and `high` are the smallest and the largest repetition:
// nine repetitions have no percentiles worth the name.
struct Quantity {
  double median = 0;
  double low = 0;
  double high = 0;
  int repetitions = 0;

  bool operator==(const Quantity&) const = default;
};

// `values` must not be empty.
[[nodiscard]] Quantity summarise(std::vector<double> values);

struct BenchRow {
  RowName name;
  std::map<std::string, Quantity, std::less<>> values;  // wall_us, host_us, period_us, span_us, kernels, ...
  std::string fault;                                    // why the row has no result; empty when it has
  std::string label;                                    // what the run itself remarked

  [[nodiscard]] const Quantity* find(std::string_view quantity) const;
};

// In the order of the file. Google Benchmark's real_time serves as wall_us (latency) or period_us
// (throughput) where that counter is absent. Throws BadInput that names `file` and the entry.
[[nodiscard]] std::vector<BenchRow> bench_rows(const nlohmann::json& json, const std::string& file);

}  // namespace gvf::study
