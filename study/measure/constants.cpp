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

std::optional<Reason> add_untraced(const Lookup& untraced, EmptyKernelFigures& figures) {
  const auto stream = untraced.row("stream", 1);
  const auto graph = untraced.row("graph", 1);
  const auto train = untraced.row("stream", train_kernels);
  for (const auto* row : {&stream, &graph, &train}) {
    if (!*row) return row->reason();
  }
  if (graph->span_us.empty() || stream->span_us.empty())
    return Reason{"the untraced pass has no span of an empty kernel: " + graph->no_span};
  figures.span_us = median(stream->span_us);
  figures.wall_us = median(stream->wall_us);
  figures.graph_span_us = median(graph->span_us);
  figures.graph_wall_us = median(graph->wall_us);
  figures.call_us = median(train->host_us) / train_kernels;
  return std::nullopt;
}

std::optional<Reason> add_api(const Lookup& api, EmptyKernelFigures& figures) {
  const auto trains = api.timelines("stream", train_kernels);
  if (!trains) return trains.reason();
  const auto call_us = profiling::reduce_calls(*trains);
  if (!call_us) return call_us.reason();
  figures.traced_call_us = *call_us;
  return std::nullopt;
}

std::optional<Reason> add_kernel(const Lookup& kernel, EmptyKernelFigures& figures) {
  const auto singles = kernel.timelines("stream", 1);
  if (!singles) return singles.reason();
  const auto traced = profiling::reduce_empty_kernel(*singles);
  if (!traced) return traced.reason();
  figures.traced = *traced;
  return std::nullopt;
}

std::optional<Reason> add_graph(const Lookup& graph, EmptyKernelFigures& figures) {
  const auto iterations = graph.timelines("graph", 1);
  if (!iterations) return iterations.reason();
  const auto traced = profiling::reduce_empty_kernel(*iterations);
  if (!traced) return traced.reason();
  figures.traced_graph = *traced;
  return std::nullopt;
}

}  // namespace

Result<EmptyKernelFigures> empty_kernel_figures(const Passes& passes, const std::string& problem) {
  EmptyKernelFigures figures;
  const auto edges = passes.kernel.edges.find(problem);
  if (edges == passes.kernel.edges.end())
    return Reason{fmt::format("the kernel pass measured no edges between kernels beside {}", problem)};
  figures.edges = edges->second;
  for (const auto& missing :
       {add_untraced({passes.untraced, problem}, figures), add_api({passes.api, problem}, figures),
        add_kernel({passes.kernel, problem}, figures), add_graph({passes.graph, problem}, figures)}) {
    if (missing) return *missing;
  }
  return figures;
}

Result<profiling::EdgeConstants> constants_of(const Passes& passes, const std::string& problem) {
  const auto figures = empty_kernel_figures(passes, problem);
  if (!figures) return figures.reason();
  return profiling::calibrate(*figures).constants;
}

}  // namespace gvf::study
