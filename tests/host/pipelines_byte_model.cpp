// Byte models against numbers worked by hand, and against what must hold for every pipeline.
#include <map>

#include "pipelines/chain.hpp"
#include "pipelines/sum_abs.hpp"
#include "study/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/recording_launcher.hpp"

using namespace gvf;
using Catch::Approx;

namespace {

constexpr std::int64_t large = std::int64_t{1} << 28;

// sum_abs of 1000 floats, 4000 bytes. separate: map reads 4000 and writes 4000, reduce reads 4000 and writes
// the sum's 4; the intermediate is written once and read once.
constexpr ByteModel separate = SumAbs::byte_model(Structure::separate, {1000, 2, 0});
static_assert(separate.launches() == 2);
static_assert(separate.bytes() == 12004);
static_assert(separate.intermediate_bytes() == 8000);
static_assert(separate.kernels[0].bytes() == 8000 && separate.kernels[1].bytes() == 4004);
// fused: reads 4000, writes 4. In 4 slices each launch writes its 4.
static_assert(SumAbs::byte_model(Structure::fused, {1000, 2, 0}).bytes() == 4004);
static_assert(SumAbs::byte_model(Structure::sliced, {1000, 2, 4}).bytes() == 4016);
static_assert(SumAbs::byte_model(Structure::sliced, {1000, 2, 4}).launches() == 4);
// persistent: separate's traffic in one launch. blocked: separate's, with 2 kernels a slice.
static_assert(SumAbs::byte_model(Structure::persistent, {1000, 2, 0}).bytes() == 12004);
static_assert(SumAbs::byte_model(Structure::persistent, {1000, 2, 0}).launches() == 1);
static_assert(SumAbs::byte_model(Structure::blocked, {1000, 2, 10}).launches() == 20);
static_assert(SumAbs::byte_model(Structure::blocked, {1000, 2, 10}).bytes() == 12000 + 40);
static_assert(SumAbs::bytes_min({1000, 2, 0}) == 4004);

// chain of 1000 floats, 16 steps: each step reads and writes 4000. 15 of its 16 trips are intermediate.
constexpr ByteModel steps = Chain::byte_model(Structure::separate, {1000, 16, 0});
static_assert(steps.launches() == 16);
static_assert(steps.bytes() == 128000);
static_assert(steps.intermediate_bytes() == 120000);
static_assert(Chain::byte_model(Structure::fused, {1000, 16, 0}).bytes() == 8000);
static_assert(Chain::byte_model(Structure::sliced, {1000, 16, 16}).launches() == 16);
static_assert(Chain::byte_model(Structure::sliced, {1000, 16, 16}).bytes() == 8000);
static_assert(Chain::byte_model(Structure::blocked, {1000, 16, 5}).launches() == 80);
static_assert(Chain::byte_model(Structure::persistent, {1000, 16, 0}).bytes() == 128000);
static_assert(Chain::byte_model(Structure::separate, {1000, 1, 0}).intermediate_bytes() == 0);
static_assert(Chain::bytes_min({1000, 16, 0}) == 8000);

// The ratios that the pipelines are in the catalog for.
static_assert(Chain::byte_model(Structure::separate, {large, 16, 0}).bytes() ==
              16 * Chain::byte_model(Structure::fused, {large, 16, 0}).bytes());

}  // namespace

TEST_CASE("byte model: separate moves 3 times the bytes of fused in sum_abs", "[pipelines][bytes]") {
  const auto bytes = [](Structure structure) {
    return static_cast<double>(SumAbs::byte_model(structure, {large, 2, 0}).bytes());
  };
  CHECK(bytes(Structure::separate) / bytes(Structure::fused) == Approx(3).epsilon(1e-6));
  CHECK(bytes(Structure::persistent) == bytes(Structure::separate));
}

TEST_CASE("byte model: without its intermediates every structure moves what there is to move",
          "[pipelines][bytes]") {
  const Device device = tests::described_device();
  for (const Pipeline& pipeline : study::catalog()) {
    for (const Structure structure : all_structures) {
      for (const std::int64_t n : {std::int64_t{1}, std::int64_t{1023}, large, std::int64_t{1} << 31}) {
        const Problem problem = study::resolve(pipeline, structure, {n, pipeline.default_k, 0}, device);
        const ByteModel model = pipeline.byte_model(structure, problem);
        CAPTURE(pipeline.name, to_string(structure), n);
        const std::int64_t essential = model.bytes() - model.intermediate_bytes();
        const std::int64_t extra = essential - pipeline.bytes_min(problem);
        CHECK(extra >= 0);
        CHECK(extra <= 8 * problem.slices);  // partial results, a few bytes a slice
        CHECK(model.roles >= 1);
        for (int role = 0; role < model.roles; ++role) {
          const KernelTraffic& kernel = model.kernels[static_cast<std::size_t>(role)];
          CHECK_FALSE(kernel.kernel.empty());
          CHECK(kernel.launches >= 1);
          CHECK(kernel.intermediate_bytes <= kernel.bytes());
        }
        const bool makes_trips = structure == Structure::separate || structure == Structure::blocked ||
                                 structure == Structure::persistent;
        CHECK((model.intermediate_bytes() > 0) == makes_trips);
      }
    }
  }
}

TEST_CASE("memory: what a workload takes holds its input, intermediate and output", "[pipelines][bytes]") {
  for (const Pipeline& pipeline : study::catalog()) {
    CAPTURE(pipeline.name);
    const Problem problem{large, pipeline.default_k, 0};
    CHECK(pipeline.device_bytes(problem) >= pipeline.bytes_min(problem));
    CHECK(pipeline.device_bytes(problem) <= 4 * pipeline.bytes_min(problem));
  }
  CHECK(Chain::device_bytes({1000, 16, 0}) == 12000);
}

TEST_CASE("waves: how often a slice fills the described chip", "[pipelines][bytes]") {
  const Device device = tests::described_device();
  // 2^28 floats as float4, one a thread, over 2048 * 132 threads: 248.24 waves; half of it in 2 slices.
  CHECK(Chain::waves_per_slice({large, 16, 0}, 1, device) == Approx(248.242).epsilon(1e-4));
  CHECK(Chain::waves_per_slice({large, 16, 0}, 2, device) == Approx(124.121).epsilon(1e-4));
  // Four float4 a thread.
  CHECK(SumAbs::waves_per_slice({large, 2, 0}, 1, device) == Approx(62.061).epsilon(1e-4));
}
