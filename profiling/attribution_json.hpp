// attribution/<pipeline>.json: rows of parts, split and counters, µs and bytes, to and from JSON. A number
// that is not finite is never written: the row goes out withheld, with the reason.
#pragma once

#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "profiling/attribution.hpp"
#include "profiling/split.hpp"

namespace gvf::profiling {

/// Bytes of one iteration by hardware counters, beside the byte model; an absent one was not counted.
struct CounterBytes {
  std::optional<double> dram_read_bytes, dram_write_bytes;
  std::optional<double> l2_bytes;                       ///< all that L2 moves, between its halves too
  std::optional<double> l2_sm_bytes;                    ///< of that, asked for by SMs
  std::optional<double> l2_read_bytes, l2_write_bytes;  ///< by operation
  std::optional<double> model_bytes;                    ///< what the model expects of DRAM, read and written
  std::optional<double> model_most_bytes;    ///< its other end, where it has two: what if L2 keeps nothing
  std::optional<double> deviation, allowed;  ///< counted / model - 1, and how far it may be from 0
  std::string residence;                     ///< "resident", "transitional", "streaming"; empty: not known
  std::string missing;                       ///< why there is no count, or no comparison; empty: there is
  bool operator==(const CounterBytes&) const = default;
};

/// One row of the file. Exactly one of `attribution` and `withheld` is set; of `split` and `not_separable` at
/// most one (neither: the row is no arm of a crossed split).
struct AttributionRow {
  std::string name;  ///< "sum_abs/separate/stream/n:268435456"
  std::optional<Attribution> attribution;
  std::string withheld;
  std::optional<Split> split;
  std::string not_separable;
  CounterBytes counters;
  bool operator==(const AttributionRow&) const = default;
};

/// A row from what the attribution and split functions returned.
AttributionRow make_row(std::string name, const Result<Attribution>& attribution);
void set_split(AttributionRow& row, const Result<Split>& split);

nlohmann::json to_json(const std::vector<AttributionRow>& rows);
/// The reason names the row and field that is wrong.
Result<std::vector<AttributionRow>> rows_from_json(const nlohmann::json& file);

nlohmann::json to_json(const EdgeConstants& constants);
/// What machine.json holds under "constants".
using ConstantsBySubmission = std::map<std::string, EdgeConstants>;
Result<ConstantsBySubmission> constants_from_json(const nlohmann::json& object);

}  // namespace gvf::profiling
