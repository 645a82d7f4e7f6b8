// Implements study/measure/count_pass.hpp.
#include "study/measure/count_pass.hpp"

#include <algorithm>
#include <string>
#include <utility>

#include "profiling/counters/byte_check.hpp"
#include "profiling/counters/counter_session.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/measure/find_variants.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

namespace quantity = profiling::quantity;

// Enough launches that the edges of a range are little against it: short ones are many.
int launches_for(const Variant& variant) {
  constexpr double range_us = 2000;
  return static_cast<int>(
      std::clamp(range_us / variant.expected_us(), double{profiling::least_iterations}, 100.0));
}

}  // namespace

profiling::CounterSession open_counters(const Device& device) {
  auto api = profiling::load_counter_api();
  if (!api) throw MachineLacks(api.reason().text);
  auto session = profiling::CounterSession::open(api.value(), device.ordinal);
  if (!session) throw MachineLacks(session.reason().text);
  return std::move(session).value();
}

PassFile count_pass(const Pipeline& pipeline, const std::vector<Problem>& problems,
                    const Selection& selection) {
  Workbench bench(require_device(), selection);
  auto session = open_counters(bench.device());
  for (const profiling::Reason& reason : session.unavailable()) note("not counted here: " + reason.text);
  PassFile pass;
  pass.mode = "counters";
  for (const Problem& problem : problems) {
    for (Variant* variant : find_variants(bench, pipeline, problem, selection, pass)) {
      PassRow& row = pass.rows[variant->name()];
      const auto counts = session.count(
          variant->name(), launches_for(*variant),
          {[variant] { variant->submit(); }, [variant] { variant->synchronize(); }, variant->iterations()});
      if (!counts) {
        row.reason = counts.reason().text;
        continue;
      }
      for (const auto& [name, total] : counts->totals) row.counts[name] = total / counts->iterations;
    }
    bench.release(pipeline, problem);
  }
  return pass;
}

profiling::CounterBytes counters_of(const PassRow& row, const profiling::DramModel& model,
                                    std::int64_t working_set_bytes, std::int64_t l2_bytes) {
  profiling::CounterBytes counters;
  if (row.counts.empty()) {
    counters.missing = row.reason;
    return counters;
  }
  const auto of = [&row](const char* name) -> std::optional<double> {
    const auto found = row.counts.find(name);
    if (found == row.counts.end()) return std::nullopt;
    return found->second;
  };
  constexpr double sector_bytes = 32;
  const auto sectors = [&of](const char* name) -> std::optional<double> {
    const auto count = of(name);
    if (!count) return std::nullopt;
    return sector_bytes * *count;
  };
  counters.dram_read_bytes = of(quantity::dram_read_bytes);
  counters.dram_write_bytes = of(quantity::dram_write_bytes);
  counters.l2_bytes = of(quantity::l2_bytes);
  counters.l2_sm_bytes = sectors(quantity::l2_sm_sectors);
  counters.l2_read_bytes = sectors(quantity::l2_read_sectors);
  counters.l2_write_bytes = sectors(quantity::l2_write_sectors);
  counters.model_bytes = static_cast<double>(model.least);
  if (model.most > model.least) counters.model_most_bytes = static_cast<double>(model.most);
  if (!counters.dram_read_bytes || !counters.dram_write_bytes) return counters;
  const auto check = profiling::check_bytes(*counters.dram_read_bytes + *counters.dram_write_bytes, model,
                                            working_set_bytes, l2_bytes);
  if (!check) {
    counters.missing = check.reason().text;
    return counters;
  }
  counters.deviation = check->deviation;
  counters.allowed = check->allowed;
  counters.residence = profiling::to_string(check->residence);
  return counters;
}

}  // namespace gvf::study
