// Implements study/recordings/slim_bench.hpp.
#include "study/recordings/slim_bench.hpp"

#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "study/exit_code.hpp"
#include "study/io/json_file.hpp"

namespace gvf::study {
namespace {

using nlohmann::json;

std::string without_names(const std::string& text) {
  static const std::regex host("\"host_name\": \"[^\"]*\"");
  static const std::regex program("\"executable\": \"[^\"]*\"");
  return std::regex_replace(std::regex_replace(text, host, "\"host_name\": \"\""), program,
                            "\"executable\": \"gvf-bench\"");
}

bool is_dropped(const json& entry, std::set<std::string>& failed) {
  if (entry.value("run_type", "") == "aggregate") return entry.value("aggregate_name", "") != "median";
  return entry.value("error_occurred", false) && !failed.insert(entry.value("name", "")).second;
}

void round_numbers(json& entry) {
  for (auto& [key, value] : entry.items()) {
    if (!value.is_number_float()) continue;
    const double exact = value.get<double>();
    if (exact == std::floor(exact) && std::abs(exact) < 1e15) {
      value = static_cast<std::int64_t>(exact);
    } else {
      value = std::stod(fmt::format("{:.6g}", exact));
    }
  }
}

}  // namespace

std::string slim_bench(const std::string& text) {
  const std::string anonymous = without_names(text);
  json file;
  try {
    file = parse_json(anonymous, "", "");
  } catch (const BadInput&) {
    return anonymous;
  }
  if (!file.is_object() || !file.contains("benchmarks") || !file["benchmarks"].is_array()) return anonymous;
  std::string slim =
      "{\n\"context\": " + file.value("context", json::object()).dump() + ",\n\"benchmarks\": [";
  std::set<std::string> failed;
  bool is_first = true;
  for (json& entry : file["benchmarks"]) {
    if (!entry.is_object()) return anonymous;
    if (is_dropped(entry, failed)) continue;
    round_numbers(entry);
    slim += (is_first ? "\n" : ",\n") + entry.dump();
    is_first = false;
  }
  return slim + "\n]\n}\n";
}

}  // namespace gvf::study
