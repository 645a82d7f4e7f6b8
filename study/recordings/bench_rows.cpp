// Implements study/recordings/bench_rows.hpp.
#include "study/recordings/bench_rows.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>

#include "study/exit_code.hpp"

namespace gvf::study {

using nlohmann::json;

namespace {

// Counters that a row may carry; everything else in an entry is Google Benchmark's own.
constexpr std::array<const char*, 12> counters{
    "host_us", "wall_us",     "wall_us_p10", "wall_us_p90",        "period_us", "span_us",
    "kernels", "submissions", "bytes_min",   "bytes_intermediate", "verified",  "sm_mhz"};

// Everything of one name before medians are taken.
struct Samples {
  BenchRow row;
  std::map<std::string, std::vector<double>> repetitions;
  std::map<std::string, std::vector<double>> aggregated_medians;
};

double microseconds_per(const std::string& unit, const std::string& where) {
  if (unit == "ns") return 1e-3;
  if (unit == "us") return 1;
  if (unit == "ms") return 1e3;
  if (unit == "s") return 1e6;
  throw BadInput(fmt::format("{}: unknown time_unit '{}'; there are: ns, us, ms, s", where, unit));
}

std::string error_of(const json& entry) {
  const auto text = [&](const char* key, const char* otherwise) {
    const auto found = entry.find(key);
    return found != entry.end() && found->is_string() ? found->get<std::string>() : std::string(otherwise);
  };
  if (entry.value("error_occurred", false)) return text("error_message", "failed without a message");
  if (entry.value("skipped", false)) return text("skip_message", "skipped without a reason");
  return {};
}

// Adds the numbers of one entry. A null stands where Google Benchmark wrote NaN or Infinity.
void add_values(const json& entry, const std::string& where, std::map<std::string, std::vector<double>>& into,
                std::string& fault) {
  const auto add = [&](const char* key, const std::string& as, double factor) {
    const auto found = entry.find(key);
    if (found == entry.end()) return;
    if (found->is_null()) {
      if (fault.empty()) fault = fmt::format("{} is not a finite number", as);
      return;
    }
    if (!found->is_number()) throw BadInput(fmt::format("{}: '{}' is not a number", where, key));
    const double value = found->get<double>() * factor;
    if (std::isfinite(value)) {
      into[as].push_back(value);
    } else if (fault.empty()) {
      fault = fmt::format("{} is not a finite number", as);
    }
  };
  for (const char* counter : counters) add(counter, counter, 1);
  const auto unit = entry.find("time_unit");
  if (unit != entry.end() && unit->is_string()) add("real_time", "real_us", microseconds_per(*unit, where));
}

std::string text_or(const json& entry, const char* key, std::string otherwise) {
  const auto found = entry.find(key);
  return found != entry.end() && found->is_string() ? found->get<std::string>() : std::move(otherwise);
}

BenchRow finish(Samples samples) {
  BenchRow row = std::move(samples.row);
  if (!row.fault.empty()) return row;
  const bool has_repetitions = !samples.repetitions.empty();
  for (auto& [key, values] : has_repetitions ? samples.repetitions : samples.aggregated_medians)
    row.values[key] = summarise(std::move(values));
  if (const auto real = row.values.extract("real_us"); !real.empty())
    row.values.try_emplace(row.name.clock == "throughput" ? "period_us" : "wall_us", real.mapped());
  if (row.values.empty()) row.fault = "the entry carries no numbers";
  return row;
}

}  // namespace

Quantity summarise(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  const std::size_t middle = values.size() / 2;
  const double median = values.size() % 2 == 1 ? values[middle] : (values[middle - 1] + values[middle]) / 2;
  return {median, values.front(), values.back(), static_cast<int>(values.size())};
}

const Quantity* BenchRow::find(std::string_view quantity) const {
  const auto found = values.find(quantity);
  return found == values.end() ? nullptr : &found->second;
}

std::vector<BenchRow> bench_rows(const json& file_json, const std::string& file) {
  if (!file_json.is_object() || !file_json.contains("benchmarks") || !file_json["benchmarks"].is_array())
    throw BadInput(fmt::format("{}: has no list 'benchmarks': this is not Google Benchmark JSON", file));
  std::vector<Samples> rows;
  std::size_t index = 0;
  for (const json& entry : file_json["benchmarks"]) {
    const std::string place = fmt::format("{}: benchmarks[{}]", file, index++);
    const std::string name = entry.is_object() ? text_or(entry, "run_name", text_or(entry, "name", "")) : "";
    if (name.empty()) throw BadInput(fmt::format("{} has no 'name'", place));
    const std::string where = fmt::format("{} ({})", place, name);
    const std::optional<RowName> parsed = parse_row_name(name);
    if (!parsed || parsed->clock.empty())
      throw BadInput(fmt::format(
          "{} is no row of gvf-bench: expected pipeline/structure/submission/latency|throughput/n:N", where));
    const auto same = [&](const Samples& samples) {
      return samples.row.name.variant_key() == parsed->variant_key() &&
             samples.row.name.clock == parsed->clock;
    };
    auto found = std::find_if(rows.begin(), rows.end(), same);
    if (found == rows.end()) {
      found = rows.emplace(rows.end());
      found->row.name = *parsed;
    }
    if (found->row.fault.empty()) found->row.fault = error_of(entry);
    if (!found->row.fault.empty()) continue;
    if (found->row.label.empty()) found->row.label = text_or(entry, "label", "");
    if (text_or(entry, "run_type", "iteration") == "iteration")
      add_values(entry, where, found->repetitions, found->row.fault);
    else if (text_or(entry, "aggregate_name", "") == "median")
      add_values(entry, where, found->aggregated_medians, found->row.fault);
  }
  std::vector<BenchRow> finished;
  for (Samples& samples : rows) finished.push_back(finish(std::move(samples)));
  return finished;
}

}  // namespace gvf::study
