// Implements study/measure/bandwidth_pass.hpp.
#include "study/measure/bandwidth_pass.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <optional>
#include <utility>

#include "profiling/chrome_trace.hpp"
#include "profiling/gpu_clock.hpp"
#include "study/exit_code.hpp"
#include "study/measure/find_variants.hpp"

namespace gvf::study {
namespace {

using profiling::Nanoseconds;
using profiling::PmSample;
using profiling::PmSamplingSession;
using profiling::Reason;
using profiling::Result;
using profiling::Timeline;

// Finest first: what a chip samples at is for it to say.
constexpr std::array<std::uint64_t, 5> intervals_ns{5'000, 10'000, 20'000, 50'000, 100'000};
constexpr double least_intervals = 20;  // of an iteration: fewer draw no curve
constexpr double most_intervals = 400;  // more are a large file and the same curve
constexpr int iterations = 3;

struct Sampler {
  PmSamplingSession session;
  std::uint64_t interval_ns;
};

// The finest interval that an iteration of this length needs.
std::uint64_t interval_for(double expected_us) {
  for (const std::uint64_t interval_ns : intervals_ns) {
    if (expected_us * 1e3 <= most_intervals * static_cast<double>(interval_ns)) return interval_ns;
  }
  return intervals_ns.back();
}

// At the finest interval from `least_ns` on that the chip accepts.
Sampler open_sampler(const Device& device, std::uint64_t least_ns) {
  auto api = profiling::load_counter_api();
  if (!api) throw MachineLacks(api.reason().text);
  std::string refused;
  for (const std::uint64_t interval_ns : intervals_ns) {
    if (interval_ns < least_ns) continue;
    profiling::PmSamplingOptions options;
    options.device = device.ordinal;
    options.interval_ns = interval_ns;
    auto session = PmSamplingSession::open(api.value(), options);
    if (session) return {std::move(session).value(), interval_ns};
    refused = session.reason().text;
  }
  throw MachineLacks(refused);
}

// PM samples and %globaltimer both count the GPU's nanoseconds, on some machines from instants milliseconds
// apart. The first sample that sees traffic is that of the first iteration's start: so far are they apart, to
// within an interval. The traffic must then end with the last iteration.
Result<Nanoseconds> clocks_apart(const std::vector<Nanoseconds>& stamps,
                                 const std::vector<PmSample>& samples) {
  const auto rate = [](const PmSample& sample) { return *sample.dram_read_gbps + *sample.dram_write_gbps; };
  double peak = 0;
  for (const PmSample& sample : samples) peak = std::max(peak, rate(sample));
  constexpr double idle_part = 0.05;  // of the peak: the stamps themselves move a little
  const auto is_active = [&](const PmSample& sample) { return rate(sample) > idle_part * peak; };
  const auto first = std::find_if(samples.begin(), samples.end(), is_active);
  const auto last = std::find_if(samples.rbegin(), samples.rend(), is_active);
  if (first == samples.end()) return Reason{"PM samples saw no traffic"};
  const auto active = static_cast<double>(last->end_ns - first->begin_ns);
  const auto stamped = static_cast<double>(stamps.back() - stamps.front());
  const auto interval = static_cast<double>(first->end_ns - first->begin_ns);
  constexpr double tolerance = 0.05;
  if (std::abs(active - stamped) > tolerance * stamped + 2 * interval)
    return Reason{
        fmt::format("PM samples saw traffic for {:.1f} us, the iterations took {:.1f} us by %globaltimer",
                    active / 1e3, stamped / 1e3)};
  return static_cast<Nanoseconds>(first->begin_ns) - stamps.front();
}

Result<nlohmann::json> sample(Sampler& sampler, profiling::GpuClock& clock, Variant& variant) {
  variant.submit();  // warm caches
  variant.synchronize();
  const auto samples = sampler.session.sample([&] {
    for (int i = 0; i < iterations; ++i) {
      clock.stamp(variant.stream());
      variant.submit();
      clock.stamp(variant.stream());
      variant.synchronize();
    }
  });
  const auto stamps = clock.read(variant.stream());
  if (!samples) return Reason{samples.reason().text};
  return bandwidth_trace(variant.name(), stamps, *samples);
}

}  // namespace

Result<nlohmann::json> bandwidth_trace(const std::string& name, const std::vector<Nanoseconds>& stamps,
                                       const std::vector<PmSample>& samples) {
  if (stamps.size() < 2 || stamps.size() % 2 != 0) return Reason{"there are no two stamps an iteration"};
  if (samples.empty()) return Reason{"there are no PM samples"};
  for (const PmSample& sample : samples) {
    if (!sample.dram_read_gbps || !sample.dram_write_gbps)
      return Reason{"this chip does not count both rates"};
  }
  const auto apart = clocks_apart(stamps, samples);
  if (!apart) return apart.reason();
  std::vector<Timeline> timelines;
  for (std::size_t i = 0; i < stamps.size(); i += 2) {
    Timeline timeline{stamps[i], stamps[i + 1], {}, {}};
    timeline.works.push_back({{stamps[i], stamps[i + 1]},
                              0,
                              profiling::WorkKind::kernel,
                              "iteration " + std::to_string(i / 2),
                              0,
                              0,
                              0});
    timelines.push_back(std::move(timeline));
  }
  profiling::ChromeTraceOptions drawing;
  for (const PmSample& sample : samples) {
    const Nanoseconds at = static_cast<Nanoseconds>(sample.begin_ns) - *apart;
    drawing.bandwidth.push_back({at, *sample.dram_read_gbps, "DRAM read"});
    drawing.bandwidth.push_back({at, *sample.dram_write_gbps, "DRAM write"});
  }
  auto trace = profiling::chrome_trace(name, timelines, drawing);
  if (trace) trace.value()["otherData"]["clocks_apart_ns"] = *apart;
  return trace;
}

nlohmann::json bandwidth_pass(const Pipeline& pipeline, const Problem& problem, const Selection& selection) {
  Workbench bench(require_device(), selection);
  PassFile unavailable;
  const auto variants = find_variants(bench, pipeline, problem, selection, unavailable);
  std::optional<Sampler> sampler;
  std::uint64_t wanted_ns = 0;
  profiling::GpuClock clock(2 * iterations);
  nlohmann::json traces = nlohmann::json::object();
  for (Variant* variant : variants) {
    if (!sampler || wanted_ns != interval_for(variant->expected_us())) {
      wanted_ns = interval_for(variant->expected_us());
      sampler.reset();  // one session at a time
      sampler.emplace(open_sampler(bench.device(), wanted_ns));
    }
    if (variant->expected_us() * 1e3 < least_intervals * static_cast<double>(sampler->interval_ns)) continue;
    const auto trace = sample(*sampler, clock, *variant);
    traces[variant->name()] = trace ? *trace : nlohmann::json{{"reason", trace.reason().text}};
  }
  return traces;
}

}  // namespace gvf::study
