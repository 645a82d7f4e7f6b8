// Implements study/measure/constants.hpp.
#include "study/measure/constants.hpp"

#include <fmt/format.h>

#include <optional>
#include <string_view>
#include <vector>

#include "study/measure/references.hpp"
#include "study/measure/samples.hpp"

namespace gvf::study {
namespace {

using profiling::EmptyKernelFigures;
using profiling::Reason;
using profiling::Result;
using profiling::Timeline;

// A reference row, or why it is of no use.
class Lookup {
 public:
  Lookup(const PassFile& pass, const std::string& problem) : pass_(pass), problem_(problem) {}

  Result<PassRow> row(std::string_view submission, int kernels) const {
    const std::string name = reference_name(submission, kernels);
    const auto rows = pass_.references.find(problem_);
    if (rows != pass_.references.end()) {
      if (const auto found = rows->second.find(name); found != rows->second.end()) {
        if (!found->second.reason.empty()) return Reason{describe(name) + ": " + found->second.reason};
        if (!found->second.wall_us.empty()) return found->second;
      }
    }
    return Reason{"the " + describe(name) + " is missing"};
  }

  Result<std::vector<Timeline>> timelines(std::string_view submission, int kernels) const {
    const auto found = row(submission, kernels);
    if (!found) return found.reason();
    if (found->timelines.empty())
      return Reason{describe(reference_name(submission, kernels)) + " has no timelines"};
    return found->timelines;
  }

 private:
  std::string describe(const std::string& name) const {
    return fmt::format("{} pass's reference {} beside {}", pass_.mode, name, problem_);
  }

  const PassFile& pass_;
  const std::string& problem_;
};

std::optional<Reason> add_untraced(const Lookup& untraced, const SubmissionKind& submission,
                                   EmptyKernelFigures& figures) {
  const auto row = untraced.row(submission.name, 1);
  if (!row) return row.reason();
  if (row->span_us.empty())
    return Reason{"the untraced pass has no span of an empty kernel: " + row->no_span};
  figures.wall_us = median(row->wall_us);
  figures.span_us = median(row->span_us);
  return std::nullopt;
}

std::optional<Reason> add_traced(const Lookup& traced, const SubmissionKind& submission,
                                 EmptyKernelFigures& figures) {
  const auto iterations = traced.timelines(submission.name, 1);
  if (!iterations) return iterations.reason();
  const auto empty = profiling::reduce_empty_kernel(*iterations);
  if (!empty) return empty.reason();
  figures.traced = *empty;
  return std::nullopt;
}

std::optional<Reason> add_calls(const Lookup& untraced, const Lookup& api, const SubmissionKind& submission,
                                EmptyKernelFigures& figures) {
  const auto train = untraced.row(submission.name, train_kernels);
  if (!train) return train.reason();
  figures.call_us = median(train->host_us) / train_kernels;
  const auto traced = api.timelines(submission.name, train_kernels);
  if (!traced) return traced.reason();
  const auto call_us = profiling::reduce_calls(*traced);
  if (!call_us) return call_us.reason();
  figures.traced_call_us = *call_us;
  return std::nullopt;
}

}  // namespace

Result<EmptyKernelFigures> empty_kernel_figures(const Passes& passes, const std::string& problem,
                                                const SubmissionKind& submission) {
  const Lookup untraced(passes.untraced, problem);
  const Lookup traced(submission.as_graph ? passes.graph : passes.kernel, problem);
  EmptyKernelFigures figures;
  if (const auto missing = add_untraced(untraced, submission, figures)) return *missing;
  if (const auto missing = add_traced(traced, submission, figures)) return *missing;
  if (submission.as_graph) return figures;
  if (const auto missing = add_calls(untraced, {passes.api, problem}, submission, figures)) return *missing;
  const auto edges = passes.kernel.edges.find(problem);
  if (edges == passes.kernel.edges.end())
    return Reason{fmt::format("the kernel pass measured no edges between kernels beside {}", problem)};
  figures.edges = edges->second;
  return figures;
}

Result<profiling::EdgeConstants> constants_of(const Passes& passes, const std::string& problem,
                                              const SubmissionKind& submission) {
  const auto figures = empty_kernel_figures(passes, problem, submission);
  if (!figures) return figures.reason();
  return profiling::calibrate(*figures);
}

}  // namespace gvf::study
