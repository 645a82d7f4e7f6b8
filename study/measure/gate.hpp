// The equivalence gate: a variant is timed only after it has given the right result, twice, on two inputs.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "pipelines/pipeline.hpp"
#include "study/measure/variant.hpp"

namespace gvf::study {

struct GateOptions {
  bool poison = true;  // off for compute-sanitizer initcheck, which poison would blind
  std::uint64_t seed = 20240229;
};

enum class GateStatus { passed, failed, not_applicable };

struct GateRow {
  std::string name;   // variant name
  std::string input;  // integers, reals; empty where not applicable
  double error = 0;
  double bound = 0;
  GateStatus status = GateStatus::passed;
  std::string detail;
};

[[nodiscard]] std::string_view to_string(GateStatus status) noexcept;

// Runs each of `variants` (all of one workload) on both inputs, twice each, outputs poisoned in between. The
// two runs must agree bit for bit as well. Leaves the workload filled with reals.
[[nodiscard]] std::vector<GateRow> run_gate(Workload& workload, const std::vector<Variant*>& variants,
                                            const GateOptions& options = {});

}  // namespace gvf::study
