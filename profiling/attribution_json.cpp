// JSON of attribution rows: see attribution_json.hpp.
#include "profiling/attribution_json.hpp"

#include <cmath>
#include <stdexcept>
#include <utility>

namespace gvf::profiling {

using nlohmann::json;

namespace {

// One list of fields serves writing and reading.
template <class P, class F>
void each_part(P& parts, F&& field) {
  field("launch_latency_us", parts.launch_latency_us);
  field("starved_us", parts.starved_us);
  field("gap_us", parts.gap_us);
  field("busy_us", parts.busy_us);
  field("completion_us", parts.completion_us);
  field("residual_us", parts.residual_us);
}

template <class S, class F>
void each_difference(S& split, F&& field) {
  field("essential_us", split.essential_us);
  field("ramp_us", split.ramp_us);
  field("round_trip_us", split.round_trip_us);
  field("ramp_per_slice_us", split.ramp_per_slice_us);
  field("fit_relative_error", split.fit_relative_error);
}

template <class S, class F>
void each_optional_difference(S& split, F&& field) {
  field("round_trip_by_clocks_us", split.round_trip_by_clocks_us);
  field("round_trip_by_persistent_us", split.round_trip_by_persistent_us);
  field("round_trip_l2_us", split.round_trip_l2_us);
  field("round_trip_dram_us", split.round_trip_dram_us);
}

template <class A, class F>
void each_optional_clock(A& attribution, F&& field) {
  field("wall_iqr_us", attribution.wall_iqr_us);
  field("span_us", attribution.span_us);
}

template <class C, class F>
void each_counter(C& counters, F&& field) {
  field("dram_read_bytes", counters.dram_read_bytes);
  field("dram_write_bytes", counters.dram_write_bytes);
  field("l2_bytes", counters.l2_bytes);
  field("l2_sm_bytes", counters.l2_sm_bytes);
  field("l2_read_bytes", counters.l2_read_bytes);
  field("l2_write_bytes", counters.l2_write_bytes);
  field("model_bytes", counters.model_bytes);
  field("model_most_bytes", counters.model_most_bytes);
  field("deviation", counters.deviation);
  field("allowed", counters.allowed);
}

// The first field that is not finite, or nothing.
std::string find_not_finite(const AttributionRow& row) {
  std::string found;
  const auto check = [&](const std::string& name, double value) {
    if (found.empty() && !std::isfinite(value)) found = name;
  };
  const auto check_optional = [&](const char* name, const std::optional<double>& value) {
    if (value) check(name, *value);
  };
  if (row.attribution) {
    check("wall_us", row.attribution->wall_us);
    for (const auto& [mode, wall] : row.attribution->passes) check("passes." + mode, wall);
    each_part(row.attribution->parts, check);
    each_optional_clock(*row.attribution, check_optional);
  }
  if (row.split) {
    each_difference(*row.split, check);
    each_optional_difference(*row.split, check_optional);
  }
  each_counter(row.counters, check_optional);
  return found;
}

json row_to_json(const AttributionRow& row) {
  json out = {{"name", row.name}};
  if (const std::string bad = find_not_finite(row); !bad.empty()) {
    out["withheld"] = bad + " is not a finite number";
    return out;
  }
  const auto put_optional = [](json& object) {
    return [&object](const char* name, const std::optional<double>& value) {
      if (value) object[name] = *value;
    };
  };
  if (row.attribution) {
    const Attribution& a = *row.attribution;
    out["wall_us"] = a.wall_us;
    each_optional_clock(a, put_optional(out));
    out["passes"] = a.passes;
    each_part(a.parts, [&](const char* name, double value) { out["parts"][name] = value; });
    out["evidence"] = a.evidence;
    out["modelled"] = a.modelled;
    out["marks"] = a.marks;
  } else {
    out["withheld"] = row.withheld;
  }
  if (row.split) {
    json split;
    each_difference(*row.split, [&](const char* name, double value) { split[name] = value; });
    each_optional_difference(*row.split, put_optional(split));
    out["split"] = std::move(split);
  } else if (!row.not_separable.empty()) {
    out["split"] = {{"reason", row.not_separable}};
  }
  json counters = json::object();
  each_counter(row.counters, put_optional(counters));
  if (!row.counters.residence.empty()) counters["residence"] = row.counters.residence;
  if (!row.counters.missing.empty()) counters["missing"] = row.counters.missing;
  if (!counters.empty()) out["counters"] = std::move(counters);
  return out;
}

// Thrown and caught in this file only: reading stops at the first damaged field.
struct Damaged : std::runtime_error {
  using std::runtime_error::runtime_error;
};

const json& member(const json& object, const std::string& where, const char* name) {
  if (!object.is_object()) throw Damaged(where + " is not an object");
  const auto found = object.find(name);
  if (found == object.end()) throw Damaged(where + " has no '" + name + "'");
  return *found;
}

double number(const json& object, const std::string& where, const char* name) {
  const json& value = member(object, where, name);
  if (!value.is_number() || !std::isfinite(value.get<double>()))
    throw Damaged(where + "." + name + " is not a finite number");
  return value.get<double>();
}

auto read_number(const json& object, const std::string& where) {
  return [&object, where](const char* name, double& value) { value = number(object, where, name); };
}

auto read_optional(const json& object, const std::string& where) {
  return [&object, where](const char* name, std::optional<double>& value) {
    if (object.contains(name) && !object[name].is_null()) value = number(object, where, name);
  };
}

AttributionRow row_from_json(const json& in, const std::string& index) {
  AttributionRow row;
  row.name = member(in, index, "name").get<std::string>();
  const std::string where = index + " (" + row.name + ")";
  if (in.contains("withheld")) {
    row.withheld = in["withheld"].get<std::string>();
  } else {
    Attribution a;
    a.wall_us = number(in, where, "wall_us");
    const json& passes = member(in, where, "passes");
    for (const auto& [mode, wall] : passes.items())
      a.passes[mode] = number(passes, where + ".passes", mode.c_str());
    each_part(a.parts, read_number(member(in, where, "parts"), where + ".parts"));
    each_optional_clock(a, read_optional(in, where));
    a.evidence = in.value("evidence", a.evidence);
    a.modelled = in.value("modelled", false);
    a.marks = in.value("marks", a.marks);
    row.attribution = std::move(a);
  }
  if (in.contains("split")) {
    const json& split_in = in["split"];
    if (split_in.is_object() && split_in.contains("reason")) {
      row.not_separable = split_in["reason"].get<std::string>();
    } else {
      Split split;
      each_difference(split, read_number(split_in, where + ".split"));
      each_optional_difference(split, read_optional(split_in, where + ".split"));
      row.split = split;
    }
  }
  if (in.contains("counters")) {
    if (!in["counters"].is_object()) throw Damaged(where + ".counters is not an object");
    each_counter(row.counters, read_optional(in["counters"], where + ".counters"));
    row.counters.residence = in["counters"].value("residence", "");
    row.counters.missing = in["counters"].value("missing", "");
  }
  return row;
}

template <class F>
auto guarded(const char* what, F&& read) -> Result<decltype(read())> {
  try {
    return read();
  } catch (const Damaged& damage) {
    return Reason{std::string(what) + ": " + damage.what()};
  } catch (const json::exception& error) {
    return Reason{std::string(what) + ": " + error.what()};
  }
}

}  // namespace

AttributionRow make_row(std::string name, const Result<Attribution>& attribution) {
  AttributionRow row;
  row.name = std::move(name);
  if (attribution)
    row.attribution = *attribution;
  else
    row.withheld = attribution.reason().text;
  return row;
}

void set_split(AttributionRow& row, const Result<Split>& split) {
  if (split)
    row.split = *split;
  else
    row.not_separable = split.reason().text;
}

json to_json(const std::vector<AttributionRow>& rows) {
  json list = json::array();
  for (const AttributionRow& row : rows) list.push_back(row_to_json(row));
  return {{"rows", std::move(list)}};
}

Result<std::vector<AttributionRow>> rows_from_json(const json& file) {
  return guarded("not an attribution file", [&] {
    const json& list = member(file, "the file", "rows");
    if (!list.is_array()) throw Damaged("'rows' is not an array");
    std::vector<AttributionRow> rows;
    for (std::size_t i = 0; i < list.size(); ++i)
      rows.push_back(row_from_json(list[i], "row " + std::to_string(i)));
    return rows;
  });
}

json to_json(const EdgeConstants& k) {
  json out = {{"gap_ns", k.gap_ns},
              {"launch_to_start_ns", k.launch_to_start_ns},
              {"completion_ns", k.completion_ns},
              {"empty_kernel_ns", k.empty_kernel_ns},
              {"span_cost_ns", k.span_cost_ns},
              {"api_trace_cost_ns", k.api_trace_cost_ns},
              {"trace_cost_ns", k.trace_cost_ns}};
  if (k.busy_launch_to_start_ns) out["busy_launch_to_start_ns"] = *k.busy_launch_to_start_ns;
  return out;
}

Result<ConstantsBySubmission> constants_from_json(const json& object) {
  return guarded("not launch constants", [&] {
    if (!object.is_object() || object.empty()) throw Damaged("there is no kind of submission in them");
    ConstantsBySubmission all;
    for (const auto& [submission, constants] : object.items()) {
      const auto whole = [&constants = constants, where = "constants." + submission](const char* name) {
        return static_cast<Nanoseconds>(std::llround(number(constants, where, name)));
      };
      EdgeConstants& k = all[submission];
      k.gap_ns = whole("gap_ns");
      k.launch_to_start_ns = whole("launch_to_start_ns");
      k.completion_ns = whole("completion_ns");
      k.empty_kernel_ns = whole("empty_kernel_ns");
      k.span_cost_ns = whole("span_cost_ns");
      k.api_trace_cost_ns = whole("api_trace_cost_ns");
      k.trace_cost_ns = whole("trace_cost_ns");
      if (constants.contains("busy_launch_to_start_ns"))
        k.busy_launch_to_start_ns = whole("busy_launch_to_start_ns");
    }
    return all;
  });
}

}  // namespace gvf::profiling
