// Implements study/measure/l2_knee.hpp. What is read is sum_abs's input, by its fused kernel.
#include "study/measure/l2_knee.hpp"

#include <algorithm>

#include "profiling/counters/byte_check.hpp"
#include "profiling/counters/counter_session.hpp"
#include "study/exit_code.hpp"
#include "study/measure/count_pass.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

// From a sixty-fourth of L2 to eight times it, closest where the knee is expected.
constexpr double parts_of_l2[] = {1.0 / 64, 1.0 / 16, 0.25, 0.375, 0.5, 0.625, 0.75, 0.875, 1.0,
                                  1.125,    1.25,     1.5,  1.75,  2.0, 3.0,   4.0,  8.0};

double period_us(Variant& variant) {
  Stopwatch stopwatch;
  std::vector<double> samples;
  for (int i = 0; i < 9; ++i) samples.push_back(measure_throughput(stopwatch, variant, 100).period_us);
  return median(std::move(samples));
}

}  // namespace

Knee knee_of(const std::vector<KneePoint>& points) {
  const profiling::ByteTolerance tolerance;
  Knee knee;
  for (const KneePoint& point : points) {
    if (point.dram_fraction >= tolerance.resident_below) break;
    knee.resident_up_to_bytes = point.bytes;
  }
  for (auto point = points.rbegin(); point != points.rend(); ++point) {
    if (point->dram_fraction <= tolerance.streaming_above) break;
    knee.streaming_from_bytes = point->bytes;
  }
  return knee;
}

nlohmann::ordered_json measure_l2_knee() {
  const Device device = require_device();
  if (device.l2_bytes <= 0) throw MachineLacks("this GPU does not tell the size of its L2");
  const PinnedThread pinned;
  const Stream stream = make_stream();
  auto session = open_counters(device);
  const Pipeline& pipeline = find_pipeline("sum_abs");
  std::vector<KneePoint> points;
  for (const double part : parts_of_l2) {
    const Problem problem{static_cast<std::int64_t>(part * static_cast<double>(device.l2_bytes)) / 4, 2, 0};
    const auto workload = pipeline.make_workload(problem, device, Backing::device);
    workload->fill(InputKind::reals, 1);
    Variant variant(pipeline, Structure::fused, find_submission("graph"), *workload, problem, stream.get());
    const double bytes = 4.0 * static_cast<double>(problem.n);
    KneePoint point{4 * problem.n, 0, bytes / period_us(variant) * 1e-3};
    const auto counts =
        session.count("knee", 50, {[&] { variant.submit(); }, [&] { variant.synchronize(); }});
    if (!counts) throw MachineLacks(counts.reason().text);
    const auto read = counts->per_iteration(profiling::quantity::dram_read_bytes);
    if (!read) throw MachineLacks("this GPU does not count the bytes that DRAM reads");
    point.dram_fraction = *read / bytes;
    points.push_back(point);
  }
  const Knee knee = knee_of(points);
  nlohmann::ordered_json json;
  for (const KneePoint& point : points) {
    json["points"].push_back(
        {{"bytes", point.bytes}, {"dram_fraction", point.dram_fraction}, {"gbps", point.gbps}});
  }
  if (knee.resident_up_to_bytes) json["resident_up_to_bytes"] = *knee.resident_up_to_bytes;
  if (knee.streaming_from_bytes) json["streaming_from_bytes"] = *knee.streaming_from_bytes;
  return json;
}

}  // namespace gvf::study
