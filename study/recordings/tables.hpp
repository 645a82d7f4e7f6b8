// From a loaded recording to the tables of the study: the answer, where the wall goes, the crossed split, the
// machine.
#pragma once

#include <string>

#include "study/recordings/measured.hpp"
#include "study/recordings/render.hpp"

namespace gvf::study {

struct TableOptions {
  std::string sources_hash;               // of this build; another one in the recording is shown as stale
  TrafficOf traffic = catalog_traffic();  // byte models behind the expected times
};

[[nodiscard]] Document study_tables(const Recording& recording, const TableOptions& options = {});

// The single tables, of one size.
[[nodiscard]] Table answer_table(const MeasuredSize& size);
[[nodiscard]] Table attribution_table(const MeasuredSize& size);
[[nodiscard]] Table split_table(const MeasuredSize& size);
[[nodiscard]] Table ceiling_table(const MeasuredSize& size, const Recording& recording,
                                  const TrafficOf& traffic);
[[nodiscard]] Table counter_table(const MeasuredSize& size);
// Throw BadInput where machine.json is damaged in these parts.
[[nodiscard]] Table instrument_table(const MachineCeilings& machine);
[[nodiscard]] Table knee_table(const MachineCeilings& machine);
[[nodiscard]] Table machine_table(const MachineCeilings& machine);

}  // namespace gvf::study
