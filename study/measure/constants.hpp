// Launch constants out of the reference rows that every pass takes beside the rows it is for: a process's
// luck with cores, clocks and addresses, and what the instrument costs at that moment, move both alike.
#pragma once

#include <map>
#include <string>

#include "profiling/calibration.hpp"
#include "study/catalog.hpp"
#include "study/measure/pass_file.hpp"

namespace gvf::study {

// What empty kernels under this submission cost with and without their instruments, beside the rows of
// `problem`, a key of PassFile::references. The reason names the pass and the reference that is missing or
// not to be trusted.
[[nodiscard]] profiling::Result<profiling::EmptyKernelFigures> empty_kernel_figures(
    const Passes& passes, const std::string& problem, const SubmissionKind& submission);

// The constants for the rows of `problem` under this submission.
[[nodiscard]] profiling::Result<profiling::EdgeConstants> constants_of(const Passes& passes,
                                                                       const std::string& problem,
                                                                       const SubmissionKind& submission);

}  // namespace gvf::study
