// Implements study/measure/gate.hpp.
#include "study/measure/gate.hpp"

#include <fmt/format.h>

#include "core/error.hpp"

namespace gvf::study {
namespace {

constexpr int runs = 2;

GateRow gate_one(Workload& workload, Variant& variant, InputKind input, bool poison) {
  GateRow row{variant.name(), std::string(to_string(input)), 0, 0, GateStatus::passed, {}};
  std::uint64_t first_run = 0;
  for (int run = 0; run < runs; ++run) {
    if (poison) workload.poison();
    variant.submit();
    variant.synchronize();
    const Verdict verdict = workload.verify(variant.slices());
    row.error = verdict.error;
    row.bound = verdict.bound;
    if (!verdict.passed) {
      row.status = GateStatus::failed;
      row.detail = fmt::format("run {}: {}", run + 1, verdict.detail);
      return row;
    }
    if (verdict.bound == 0) continue;  // equal to the reference, hence to the other run
    const std::uint64_t bits = workload.output_fingerprint();
    if (run > 0 && bits != first_run) {
      row.status = GateStatus::failed;
      row.detail = "two runs on the same input differ in their bits";
      return row;
    }
    first_run = bits;
  }
  return row;
}

}  // namespace

std::string_view to_string(GateStatus status) noexcept {
  switch (status) {
    case GateStatus::passed:
      return "pass";
    case GateStatus::failed:
      return "FAIL";
    case GateStatus::not_applicable:
      return "not applicable";
  }
  return "";
}

std::vector<GateRow> run_gate(Workload& workload, const std::vector<Variant*>& variants,
                              const GateOptions& options) {
  std::vector<GateRow> rows;
  for (const InputKind input : {InputKind::integers, InputKind::reals}) {
    workload.fill(input, options.seed);
    for (Variant* variant : variants) {
      try {
        rows.push_back(gate_one(workload, *variant, input, options.poison));
      } catch (const CudaError& error) {
        rows.push_back(
            {variant->name(), std::string(to_string(input)), 0, 0, GateStatus::failed, error.what()});
      }
    }
  }
  return rows;
}

}  // namespace gvf::study
