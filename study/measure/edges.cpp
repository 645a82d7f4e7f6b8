// Implements study/measure/edges.hpp.
#include "study/measure/edges.hpp"

#include "profiling/calibrate.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {

profiling::StreamEdges measure_edges(profiling::ActivitySession& session, const Device& device,
                                     cudaStream_t stream) {
  profiling::CalibrationOptions options;
  const int threads = static_cast<int>(options.edge_config.block.x);
  options.edge_config.grid =
      dim3(static_cast<unsigned>(device.sm_count * (device.max_threads_per_sm / threads)));
  auto edges = profiling::measure_stream_edges(session, stream, options);
  if (!edges) throw MachineLacks(edges.reason().text);
  return *edges;
}

}  // namespace gvf::study
