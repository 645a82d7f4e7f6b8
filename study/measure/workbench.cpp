// Implements study/measure/workbench.hpp.
#include "study/measure/workbench.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>
#include <variant>

#include "core/error.hpp"
#include "study/exit_code.hpp"
#include "study/measure/matrix.hpp"

namespace gvf::study {
namespace {

std::string key_of(const Pipeline& pipeline, const Problem& problem) {
  return fmt::format("{}/{}", pipeline.name, problem_name(pipeline, problem));
}

std::string key_of(Structure structure, const SubmissionKind& submission) {
  return fmt::format("{}/{}", to_string(structure), submission.name);
}

}  // namespace

Device require_device() {
  auto probed = probe_device();
  if (const auto* missing = std::get_if<NoDevice>(&probed)) throw MachineLacks(missing->reason);
  return std::get<Device>(probed);
}

Device describe_device() {
  Device device = require_device();
  release_device();
  return device;
}

Workbench::Workbench(Device device, Selection selection)
    : device_(std::move(device)), selection_(std::move(selection)), stream_(make_stream()) {}

std::string Workbench::why_not_here(const SubmissionKind& submission, const Problem& problem) const {
  if (problem.repeats > 0 && !submission.has_repeats()) return "carries one iteration a launch";
  return submission.not_applicable(device_, cuda_versions().driver);
}

Station& Workbench::station(const Pipeline& pipeline, const Problem& problem) {
  const auto [position, is_new] = stations_.try_emplace(key_of(pipeline, problem));
  Station& station = position->second;
  if (!is_new) return station;
  const std::int64_t needed = pipeline.device_bytes(problem);
  const std::int64_t free = free_device_bytes();
  if (needed > free - (std::int64_t{256} << 20)) {
    stations_.erase(position);
    throw MachineLacks(fmt::format(
        "{} at n = {} needs {:.2f} GB of device memory, {:.2f} GB are free: choose a "
        "smaller n",
        pipeline.name, problem.n, static_cast<double>(needed) * 1e-9, static_cast<double>(free) * 1e-9));
  }
  station.pipeline = &pipeline;
  station.problem = problem;
  station.workload = pipeline.make_workload(problem, device_, Backing::device);
  station.workload->fill(InputKind::reals, GateOptions{}.seed);
  for (const Structure structure : all_structures) {
    const Implementation* implementation = pipeline.find(structure);
    std::string reason = implementation == nullptr ? fmt::format("{} has no such structure", pipeline.name)
                                                   : implementation->not_applicable(problem, device_);
    for (const SubmissionKind& submission : submissions()) {
      if (!is_wanted(selection_, submission, problem)) continue;
      const std::string name = variant_name(pipeline, structure, submission.name, problem);
      const std::string why_not = reason.empty() ? why_not_here(submission, problem) : reason;
      if (!why_not.empty()) {
        station.unavailable.push_back({name, "", 0, 0, GateStatus::not_applicable, why_not});
        continue;
      }
      try {
        station.variants[key_of(structure, submission)] =
            std::make_unique<Variant>(pipeline, structure, submission, *station.workload, problem, stream());
      } catch (const NotApplicable& not_applicable) {
        station.unavailable.push_back({name, "", 0, 0, GateStatus::not_applicable, not_applicable.what()});
      } catch (const CudaError& error) {
        station.unavailable.push_back({name, "", 0, 0, GateStatus::failed, error.what()});
      }
    }
  }
  return station;
}

void Workbench::gate(Station& station, const GateOptions& options) {
  if (station.gated) return;
  std::vector<Variant*> variants;
  for (const auto& [key, variant] : station.variants) variants.push_back(variant.get());
  for (const GateRow& row : run_gate(*station.workload, variants, options)) {
    if (row.status == GateStatus::failed) station.failures[row.name] = row.input + ": " + row.detail;
  }
  station.gated = true;
}

Workbench::Lookup Workbench::built(const Pipeline& pipeline, const Problem& problem, Structure structure,
                                   const SubmissionKind& submission) {
  Station* found = nullptr;
  try {
    found = &station(pipeline, problem);
  } catch (const MachineLacks& lacks) {
    return {nullptr, lacks.what()};
  }
  if (const auto variant = found->variants.find(key_of(structure, submission));
      variant != found->variants.end()) {
    return {variant->second.get(), {}};
  }
  const std::string name = variant_name(pipeline, structure, submission.name, problem);
  for (const GateRow& row : found->unavailable) {
    if (row.name == name) return {nullptr, row.detail, row.status == GateStatus::not_applicable};
  }
  return {nullptr, "no such variant"};
}

Workbench::Lookup Workbench::passed(const Pipeline& pipeline, const Problem& problem, Structure structure,
                                    const SubmissionKind& submission) {
  Lookup lookup = built(pipeline, problem, structure, submission);
  if (lookup.variant == nullptr) return lookup;
  Station& found = station(pipeline, problem);
  gate(found);
  if (const auto failure = found.failures.find(lookup.variant->name()); failure != found.failures.end()) {
    return {nullptr, "failed the equivalence gate: " + failure->second};
  }
  return lookup;
}

void Workbench::release(const Pipeline& pipeline, const Problem& problem) {
  stations_.erase(key_of(pipeline, problem));
}

}  // namespace gvf::study
