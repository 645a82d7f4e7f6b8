// `gvf trace`: a clean, annotated workload for Nsight Systems and Nsight Compute. No CUPTI of its own.
#include <cuda_profiler_api.h>
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <algorithm>
#include <memory>
#include <nlohmann/json.hpp>

#include "core/error.hpp"
#include "profiling/nvtx.hpp"
#include "study/commands/command.hpp"
#include "study/commands/selection.hpp"
#include "study/exit_code.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

struct Options {
  Selection selection;
  int iterations = 1;
  bool json = false;
};

// NVTX categories are the structures; 0 means none, so they count from 1.
std::uint32_t category_of(Structure structure) {
  return static_cast<std::uint32_t>(structure) + 1;
}

int trace(const Options& options) {
  std::vector<std::pair<const Pipeline*, Problem>> problems;
  for (const Pipeline* pipeline : selected_pipelines(options.selection)) {
    for (const Problem& problem :
         selected_problems(options.selection, *pipeline, {1 << 20}, {pipeline->default_k})) {
      problems.emplace_back(pipeline, problem);
    }
  }
  require_submissions(options.selection);
  const auto structures = selected_structures(options.selection);
  const auto kinds = selected_submissions(options.selection);

  Workbench bench(require_device(), options.selection);
  profiling::NvtxDomain& domain = profiling::gvf_domain();
  for (const Structure structure : structures) {
    domain.name_category(category_of(structure), std::string(to_string(structure)));
  }
  // Ready before the profiler starts: what it records is the variants and nothing else.
  std::vector<std::pair<Variant*, profiling::Annotation>> traced;
  for (const auto& [pipeline, problem] : problems) {
    for (const auto& [key, variant] : bench.station(*pipeline, problem).variants) {
      if (std::find(structures.begin(), structures.end(), variant->structure()) == structures.end()) continue;
      if (std::find(kinds.begin(), kinds.end(), &variant->kind()) == kinds.end()) continue;
      traced.emplace_back(
          variant.get(),
          domain.annotate(range_name(*pipeline, variant->structure(), variant->kind().name),
                          category_of(variant->structure()), variant->kind().colour_argb, problem.n));
    }
  }
  GVF_CUDA(cudaProfilerStart(), "starting the profiler's range");
  for (auto& [variant, annotation] : traced) {
    for (int i = 0; i < options.iterations; ++i) {
      const profiling::NvtxRange range(annotation);
      variant->submit();
      variant->synchronize();
    }
  }
  GVF_CUDA(cudaProfilerStop(), "ending the profiler's range");

  nlohmann::ordered_json json{{"ranges", nlohmann::ordered_json::array()}};
  if (!options.json)
    fmt::print("{:<32} {:>12} {:>8} {:>11}\n", "range in domain gvf", "n", "kernels", "iterations");
  for (const auto& [variant, annotation] : traced) {
    const std::string range = range_name(variant->pipeline(), variant->structure(), variant->kind().name);
    json["ranges"].push_back({{"range", range},
                              {"n", variant->problem().n},
                              {"kernels", variant->kernels()},
                              {"iterations", options.iterations}});
    if (!options.json) {
      fmt::print("{:<32} {:>12} {:>8} {:>11}\n", range, variant->problem().n, variant->kernels(),
                 options.iterations);
    }
  }
  if (options.json) fmt::print("{}\n", json.dump(1));
  return exit_done;
}

}  // namespace

void add_trace(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand("trace", "Run variants inside NVTX ranges, for nsys and ncu");
  command->footer(
      "Examples:\n"
      "  nsys profile -t cuda,nvtx --capture-range=cudaProfilerApi gvf trace -n 2^24 --iterations 20\n"
      "  ncu --nvtx --nvtx-include \"gvf@sum_abs.fused.stream/\" gvf trace -p sum_abs\n"
      "A range is pipeline.structure.submission in domain gvf; its payload is n.");
  const auto options = std::make_shared<Options>();
  add_selection_options(*command, options->selection);
  command
      ->add_option("--iterations", options->iterations,
                   "Iterations of each variant, each in a range of its own")
      ->check(CLI::Range(1, 1000000));
  command->add_flag("--json", options->json, "Print JSON");
  command->callback([&run, options] { run = [options] { return trace(*options); }; });
}

}  // namespace gvf::study
