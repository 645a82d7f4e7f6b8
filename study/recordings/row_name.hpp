// Row names taken apart: pipeline/structure/submission[/latency|throughput]/n:N[/k:K][/s:S], then whatever
// suffix Google Benchmark adds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <tuple>

namespace gvf::study {

struct RowName {
  std::string pipeline;
  std::string structure;
  std::string submission;
  std::string clock;  // "latency", "throughput"; empty in attribution rows
  std::int64_t n = 0;
  int k = 0;        // 0: the pipeline has no such axis
  int slices = 0;   // 0: the structure's own choice
  int repeats = 0;  // 0: the submission's own choice

  // Equal for rows of the same variant at the same size, whatever the clock.
  [[nodiscard]] auto variant_key() const {
    return std::tie(pipeline, structure, submission, n, k, slices, repeats);
  }
  // "blocked/graph", "blocked/graph/s:8".
  [[nodiscard]] std::string label() const;
};

// Nothing where `name` is no row of this suite.
[[nodiscard]] std::optional<RowName> parse_row_name(std::string_view name);

// Positions in the order of presentation; what is unknown comes last.
[[nodiscard]] int structure_rank(std::string_view structure);
[[nodiscard]] int submission_rank(std::string_view submission);

}  // namespace gvf::study
