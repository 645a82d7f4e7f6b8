// One row's account in sentences: what each part is, what would take it away, and where its number comes
// from.
#pragma once

#include <string>
#include <vector>

#include "study/recordings/recording.hpp"

namespace gvf::study {

// One line a sentence. A row without an account gives the reason.
[[nodiscard]] std::vector<std::string> explain(const profiling::AttributionRow& row);

// The row of this name ("sum_abs/separate/stream/n:65536"). Throws BadInput that names close ones where there
// is none.
[[nodiscard]] const profiling::AttributionRow& find_row(const std::vector<AttributedRow>& rows,
                                                        const std::string& name);

}  // namespace gvf::study
