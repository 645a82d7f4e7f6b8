// Launch constants: what an empty kernel costs under each instrument, measured in the very process whose rows
// they explain, since a process's luck with cores, clocks and addresses moves both alike.
#pragma once

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "core/device.hpp"

#include "profiling/activity.hpp"
#include "profiling/calibration.hpp"

namespace gvf::study {

// Empty kernels in one mode: "untraced" (without a session), "api", "kernel" or "graph" (with one in that
// mode). Throws MachineLacks with the reason where the records cannot be trusted.
[[nodiscard]] nlohmann::json measure_empty_kernels(const std::string& mode,
                                                   profiling::ActivitySession* session, const Device& device,
                                                   cudaStream_t stream);

// The four of one place and round.
struct EmptyKernels {
  nlohmann::json untraced;
  nlohmann::json api;
  nlohmann::json kernel;
  nlohmann::json graph;
};
// Each figure's median over many places and rounds: what a neighbour's burst did to one of them is no
// constant. A figure that only some have (the busy latency) takes the idle one's place in the others. Throws
// BadInput on none.
[[nodiscard]] EmptyKernels pool(const std::vector<EmptyKernels>& all);

// Throws BadInput where one lacks a figure.
[[nodiscard]] profiling::Calibration calibration_of(const EmptyKernels& round);

}  // namespace gvf::study
