// Hardware counters against traffic that is known: a copy that L2 cannot hold, a read that it can.
#include <cuda_runtime.h>

#include <numeric>

#include "core/handles.hpp"
#include "profiling/counters/byte_check.hpp"
#include "profiling/counters/counter_session.hpp"
#include "profiling/counters/pm_sampling.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"

using namespace gvf;
using namespace gvf::tests;
using namespace gvf::profiling;

namespace {

constexpr std::size_t gibibyte = std::size_t{1} << 30;

// No activity session is open in this process: those run in children.
template <class Session>
Result<Session, CuptiProblem> open_session() {
  GVF_CUDA(cudaFree(nullptr), "making a context");
  auto api = load_counter_api();
  if (!api) return api.reason();
  return Session::open(api.value());
}

}  // namespace

TEST_CASE("counters: a copy of 1 GiB reads and writes that much DRAM", "[device][counters]") {
  auto session = open_session<CounterSession>();
  if (!session) GVF_SKIP(session.reason().text);
  const DeviceBuffer<char> from(gibibyte), to(gibibyte);
  const Stream stream = make_stream();
  const auto counts = session->count(
      "copy", least_iterations,
      {[&] {
         GVF_CUDA(cudaMemcpyAsync(to.data(), from.data(), gibibyte, cudaMemcpyDeviceToDevice, stream.get()),
                  "copying");
       },
       [&] { GVF_CUDA(cudaStreamSynchronize(stream.get()), "copying"); }});
  REQUIRE(counts.ok());
  const auto read = counts->per_iteration(quantity::dram_read_bytes);
  const auto written = counts->per_iteration(quantity::dram_write_bytes);
  REQUIRE(read.has_value());
  REQUIRE(written.has_value());
  CHECK(*read == Catch::Approx(double{gibibyte}).epsilon(0.03));
  CHECK(*written == Catch::Approx(double{gibibyte}).epsilon(0.03));
}

TEST_CASE("counters: 4 MB read again and again stay in L2", "[device][counters]") {
  auto session = open_session<CounterSession>();
  if (!session) GVF_SKIP(session.reason().text);
  Rig rig(study::find_pipeline("sum_abs"), {1 << 20, 2, 0});
  const auto variant = rig.variant(Structure::fused, "stream");
  const auto counts =
      session->count("resident", 50, {[&] { variant->submit(); }, [&] { variant->synchronize(); }});
  REQUIRE(counts.ok());
  const auto read = counts->per_iteration(quantity::dram_read_bytes);
  REQUIRE(read.has_value());
  const std::int64_t bytes = 4 << 20;
  CHECK(*read < 0.02 * double{4 << 20});
  const auto check = check_bytes(*read, {bytes, bytes}, bytes, this_device().l2_bytes);
  REQUIRE(check.ok());
  CHECK(check->residence == Residence::resident);
}

TEST_CASE("PM sampling: the bandwidth of a long copy adds up to its bytes", "[device][counters]") {
  auto session = open_session<PmSamplingSession>();
  if (!session) GVF_SKIP(session.reason().text);
  const DeviceBuffer<char> from(gibibyte), to(gibibyte);
  const Stream stream = make_stream();
  constexpr int copies = 20;
  const auto samples = session->sample([&] {
    for (int i = 0; i < copies; ++i)
      GVF_CUDA(cudaMemcpyAsync(to.data(), from.data(), gibibyte, cudaMemcpyDeviceToDevice, stream.get()),
               "copying");
    GVF_CUDA(cudaStreamSynchronize(stream.get()), "copying");
  });
  REQUIRE(samples.ok());
  REQUIRE(samples->size() > 50);  // about 10 ms at 100 us
  double bytes = 0;
  for (const PmSample& sample : samples.value()) {
    REQUIRE(sample.end_ns > sample.begin_ns);
    REQUIRE(sample.dram_read_gbps.has_value());
    bytes += *sample.dram_read_gbps * static_cast<double>(sample.end_ns - sample.begin_ns);
  }
  CHECK(bytes == Catch::Approx(copies * double{gibibyte}).epsilon(0.1));
}

TEST_CASE("counters: bytes are an iteration's, whatever a launch carries", "[device][counters]") {
  auto session = open_session<CounterSession>();
  if (!session) GVF_SKIP(session.reason().text);
  Rig rig(study::find_pipeline("chain"), {1 << 16, 16});
  const auto sectors = [&](const char* submission) {
    const auto variant = rig.variant(Structure::separate, submission);
    const auto counts =
        session->count(submission, least_iterations,
                       {[&] { variant->submit(); }, [&] { variant->synchronize(); }, variant->iterations()});
    REQUIRE(counts.ok());
    return counts->per_iteration(quantity::l2_sm_sectors).value();
  };
  const double once = sectors("graph");
  CHECK(sectors("graph_unrolled") == Catch::Approx(once).epsilon(0.01));
  CHECK(sectors("graph_while") == Catch::Approx(once).epsilon(0.01));
}
