// Implements study/measure/machine.hpp.
#include "study/measure/machine.hpp"

#include <fmt/format.h>

#include <optional>

#include "core/error.hpp"
#include "core/handles.hpp"
#include "profiling/attribution_json.hpp"
#include "profiling/ceilings.hpp"
#include "study/exit_code.hpp"
#include "study/measure/child.hpp"
#include "study/measure/constants.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/session.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

using nlohmann::ordered_json;

ordered_json ceilings_pass() {
  const profiling::Ceilings ceilings = profiling::measure_ceilings(require_device());
  ordered_json json{{"read_gbps", ceilings.read_gbps},
                    {"write_gbps", ceilings.write_gbps},
                    {"copy_gbps", ceilings.copy_gbps},
                    {"l2_read_gbps", ceilings.l2_read_gbps},
                    {"ceiling_buffer_bytes", ceilings.bytes}};
  for (const auto& trial : ceilings.trials) {
    json["ceiling_trials"].push_back(
        {{"kind", trial.kind}, {"kernel", trial.kernel}, {"gbps", trial.gbps}, {"spread", trial.spread}});
  }
  return json;
}

// What two events record with nothing between them, µs, behind a gate like every span, of which it is a part.
double event_pair_us(cudaStream_t stream) {
  Stopwatch stopwatch;
  std::vector<double> samples;
  for (int i = 0; i < 51; ++i) {
    stopwatch.gate.close(stream);
    GVF_CUDA(cudaEventRecord(stopwatch.begin.get(), stream), "timing an empty pair of events");
    GVF_CUDA(cudaEventRecord(stopwatch.end.get(), stream), "timing an empty pair of events");
    stopwatch.gate.open();
    GVF_CUDA(cudaStreamSynchronize(stream), "timing an empty pair of events");
    if (stopwatch.gate.timed_out()) throw MachineLacks("the gate timed out: is a tool serialising launches?");
    float ms = 0;
    GVF_CUDA(cudaEventElapsedTime(&ms, stopwatch.begin.get(), stopwatch.end.get()),
             "timing an empty pair of events");
    samples.push_back(1e3 * ms);
  }
  return median(samples);
}

}  // namespace

ordered_json measure_machine_pass(const std::string& pass) {
  if (pass == "ceilings") return ceilings_pass();
  auto session = start_session(pass);  // before CUDA starts
  const Device device = require_device();
  const PinnedThread pinned;
  const Stream stream = make_stream();
  ordered_json json = measure_empty_kernels(pass, session ? &*session : nullptr, device, stream.get());
  if (pass == "untraced") json["event_pair_us"] = event_pair_us(stream.get());
  return json;
}

ordered_json measure_machine() {
  ordered_json machine;
  for (const auto& [key, value] : provenance(describe_device())) machine["provenance"][key] = value;
  const auto child = [&machine](const char* pass) -> nlohmann::json {
    try {
      return run_child_for_json({"calibrate", "--pass", pass});
    } catch (const MachineLacks& lacks) {
      machine["missing"][pass] = lacks.what();
      return {};
    }
  };
  const nlohmann::json ceilings = child("ceilings");
  for (const auto& [key, value] : ceilings.items()) machine[key] = value;
  const EmptyKernels empty{child("untraced"), child("api"), child("kernel"), child("graph")};
  machine["empty_kernel"] = {
      {"untraced", empty.untraced}, {"api", empty.api}, {"kernel", empty.kernel}, {"graph", empty.graph}};
  if (!machine.contains("missing")) {
    const profiling::Calibration calibration = calibration_of(empty);
    machine["constants"] = profiling::to_json(calibration.constants);
    if (!calibration.marks.empty()) machine["marks"] = calibration.marks;
  }
  return machine;
}

}  // namespace gvf::study
