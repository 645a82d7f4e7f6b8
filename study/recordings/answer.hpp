// The answer in words: is a pipeline paying for launches or for round trips at a size, which of graph and
// fusion takes that away, and is a graph of blocked kernels as good as fusion. Pure functions of medians.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "study/recordings/measured.hpp"

namespace gvf::study {

// What the answer rests on, µs. Absent walls make parts of the answer unknown, and it says so.
struct Evidence {
  std::optional<double> separate_stream, separate_graph, blocked_graph, fused_stream, fused_graph;  // walls
  // separate/stream - separate/graph: the same kernels and trips without a call for each kernel.
  std::optional<double> launches_us;
  // separate/graph - fused/graph: the same submission without the intermediates' trips (and without the ramps
  // of the kernels that made them). Launches, trips and fused/graph add up to the wall of separate/stream.
  std::optional<double> round_trips_us;
};
[[nodiscard]] Evidence evidence_of(const MeasuredSize& size);

enum class Payer { launches, round_trips, both, neither, unknown };
enum class Remedy { graph, fusion, either, neither, unknown };

// A cost below a tenth of the wall is none; of two costs the greater counts alone when it is twice the other.
[[nodiscard]] Payer payer_of(const Evidence& evidence);
// What saves less than a twentieth of the wall is no remedy; two whose walls differ by less are equal.
[[nodiscard]] Remedy remedy_of(const Evidence& evidence);
// blocked/graph within 5 % of fused/graph (or fused/stream where that is absent); nothing where one is
// absent.
[[nodiscard]] std::optional<bool> blocking_as_good_as_fusion(const Evidence& evidence);

// One sentence or two on one size, without its name.
[[nodiscard]] std::string size_sentence(const Evidence& evidence);
// One sentence over all sizes of one pipeline and k, sizes ascending.
[[nodiscard]] std::string pipeline_sentence(const std::string& title, const std::vector<MeasuredSize>& sizes);

// "2^28", "1000".
[[nodiscard]] std::string size_text(std::int64_t n);

}  // namespace gvf::study
