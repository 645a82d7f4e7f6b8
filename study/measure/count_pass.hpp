// The counters pass: what each variant moves through DRAM and L2, by the hardware's own counters.
#pragma once

#include <vector>

#include "profiling/attribution_json.hpp"
#include "profiling/counters/byte_check.hpp"
#include "profiling/counters/counter_session.hpp"
#include "study/commands/selection.hpp"
#include "study/measure/pass_file.hpp"

namespace gvf::study {

// Opens the counters of the device whose context is current. Throws MachineLacks with the reason where it
// cannot be counted.
[[nodiscard]] profiling::CounterSession open_counters(const Device& device);

// Rows of mode "counters": `counts` of each variant, an iteration, by quantity
// (profiling/counters/metrics.hpp). In this process, which must be its own: counting serialises what it
// counts. Throws MachineLacks with the reason where the GPU cannot be counted at all.
[[nodiscard]] PassFile count_pass(const Pipeline& pipeline, const std::vector<Problem>& problems,
                                  const Selection& selection);

// What a counters pass says of one variant, beside the byte model. Only the reason where the pass has no
// counts.
[[nodiscard]] profiling::CounterBytes counters_of(const PassRow& row, const profiling::DramModel& model,
                                                  std::int64_t working_set_bytes, std::int64_t l2_bytes);

}  // namespace gvf::study
