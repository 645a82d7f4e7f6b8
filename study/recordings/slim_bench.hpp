// Google Benchmark JSON as a recording keeps it: what was measured, on nobody's machine, in little space.
#pragma once

#include <string>

namespace gvf::study {

// The same file without host and program name; six significant digits of what is not a whole number; of the
// aggregates the median alone, since the others follow from the repetitions; a row that is an error once and
// not once a repetition. Google Benchmark's own compare tool reads it. Text that is not JSON, as where a
// value is NaN, only loses the names: whoever loads it judges it.
[[nodiscard]] std::string slim_bench(const std::string& text);

}  // namespace gvf::study
