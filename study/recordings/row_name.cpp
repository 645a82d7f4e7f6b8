// Implements study/recordings/row_name.hpp.
#include "study/recordings/row_name.hpp"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "study/catalog.hpp"

namespace gvf::study {

namespace {

std::vector<std::string_view> split(std::string_view text) {
  std::vector<std::string_view> parts;
  while (true) {
    const std::size_t slash = text.find('/');
    parts.push_back(text.substr(0, slash));
    if (slash == std::string_view::npos) return parts;
    text.remove_prefix(slash + 1);
  }
}

// The positive whole number after `prefix`, or nothing.
template <class Number>
std::optional<Number> number_after(std::string_view part, std::string_view prefix) {
  if (!part.starts_with(prefix)) return std::nullopt;
  part.remove_prefix(prefix.size());
  Number value = 0;
  const auto [end, error] = std::from_chars(part.data(), part.data() + part.size(), value);
  if (error != std::errc() || end != part.data() + part.size() || value <= 0) return std::nullopt;
  return value;
}

template <std::size_t N>
int rank(const std::array<std::string_view, N>& order, std::string_view name) {
  return static_cast<int>(std::find(order.begin(), order.end(), name) - order.begin());
}

}  // namespace

std::string RowName::label() const {
  std::string text = structure + "/" + submission;
  if (slices > 0) text += "/s:" + std::to_string(slices);
  if (repeats > 0) text += "/r:" + std::to_string(repeats);
  return text;
}

std::optional<RowName> parse_row_name(std::string_view name) {
  const std::vector<std::string_view> parts = split(name);
  if (parts.size() < 4) return std::nullopt;
  if (parts[0].empty() || parts[1].empty() || parts[2].empty()) return std::nullopt;
  RowName row;
  row.pipeline = parts[0];
  row.structure = parts[1];
  row.submission = parts[2];
  std::size_t next = 3;
  if (parts[next] == "latency" || parts[next] == "throughput") row.clock = parts[next++];
  if (next == parts.size()) return std::nullopt;
  const auto n = number_after<std::int64_t>(parts[next++], "n:");
  if (!n) return std::nullopt;
  row.n = *n;
  // What follows in any order is ours (k:, s:, r:) or Google Benchmark's (iterations:, repeats:, manual_time,
  // ...).
  for (; next < parts.size(); ++next) {
    if (const auto k = number_after<int>(parts[next], "k:")) row.k = *k;
    if (const auto slices = number_after<int>(parts[next], "s:")) row.slices = *slices;
    if (const auto repeats = number_after<int>(parts[next], "r:")) row.repeats = *repeats;
  }
  return row;
}

int structure_rank(std::string_view structure) {
  static constexpr std::array<std::string_view, 6> order{"separate",   "sliced", "blocked",
                                                         "persistent", "fused",  "library"};
  return rank(order, structure);
}

int submission_rank(std::string_view submission) {
  const auto& kinds = submissions();
  const auto found = std::find_if(kinds.begin(), kinds.end(), [submission](const SubmissionKind& kind) {
    return kind.name == submission;
  });
  return static_cast<int>(found - kinds.begin());
}

}  // namespace gvf::study
