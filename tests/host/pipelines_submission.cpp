// What every pipeline of the catalog enqueues, seen through a submission that the pipelines do not know.
// Sizes that divide by nothing; a described GPU.
#include <algorithm>
#include <map>
#include <set>

#include "pipelines/tiling.hpp"
#include "study/catalog.hpp"
#include "tests/catch.hpp"
#include "tests/recording_launcher.hpp"

using namespace gvf;
using namespace gvf::tests;

namespace {

const std::vector<std::int64_t> odd_sizes{1, 31, 1023, (1 << 20) + 7, std::int64_t{1} << 31};

std::vector<Problem> problems_of(const Pipeline& pipeline) {
  std::vector<Problem> problems;
  for (const std::int64_t n : odd_sizes) {
    if (!pipeline.has_k) {
      problems.push_back({n, pipeline.default_k, 0});
      continue;
    }
    for (const int k : {1, 3, 16, 64}) problems.push_back({n, k, 0});
  }
  return problems;
}

RecordingLauncher record(const Pipeline& pipeline, const Implementation& implementation,
                         const Problem& problem, const Device& device) {
  const auto workload = pipeline.make_workload(problem, device, Backing::none);
  const int slices = pipeline.slices(implementation.structure, problem, device);
  RecordingLauncher launcher;
  implementation.make(*workload, slices)->enqueue(launcher);
  return launcher;
}

// Calls body(pipeline, implementation, problem, its launches) for everything that the catalog holds.
template <class Body>
void for_everything(const Device& device, Body&& body) {
  for (const Pipeline& pipeline : study::catalog()) {
    for (const Implementation& implementation : pipeline.implementations) {
      for (const Problem& problem : problems_of(pipeline)) {
        CAPTURE(pipeline.name, to_string(implementation.structure), problem.n, problem.k);
        REQUIRE(implementation.not_applicable(problem, device).empty());
        body(pipeline, implementation, problem, record(pipeline, implementation, problem, device));
      }
    }
  }
}

}  // namespace

TEST_CASE("a new submission sees the launches that the byte model counts", "[pipelines][submission]") {
  const Device device = described_device();
  int seen = 0;
  for_everything(device, [&](const Pipeline& pipeline, const Implementation& implementation,
                             const Problem& problem, const RecordingLauncher& launcher) {
    ++seen;
    const Problem resolved = study::resolve(pipeline, implementation.structure, problem, device);
    const ByteModel model = pipeline.byte_model(implementation.structure, resolved);
    CHECK(launcher.launches() == model.launches());
    // Each kernel of the model is a function of its own, launched as often as the model says.
    std::map<const void*, int> by_function;
    for (const RecordedLaunch& launch : launcher.kernels) ++by_function[launch.function];
    std::multiset<int> counted;
    for (const auto& [function, launches] : by_function) counted.insert(launches);
    for (const std::string& library : launcher.libraries) {
      CHECK_FALSE(library.empty());
      counted.insert(1);
    }
    std::multiset<int> modelled;
    for (int role = 0; role < model.roles; ++role) {
      modelled.insert(model.kernels[static_cast<std::size_t>(role)].launches);
    }
    CHECK(counted == modelled);
  });
  CHECK(seen > 0);
}

TEST_CASE("grids are never empty nor beyond what a launch takes", "[pipelines][submission]") {
  for_everything(described_device(), [](const Pipeline&, const Implementation&, const Problem&,
                                        const RecordingLauncher& launcher) {
    for (const RecordedLaunch& launch : launcher.kernels) {
      const dim3 grid = launch.config.grid;
      const dim3 block = launch.config.block;
      CHECK(launch.function != nullptr);
      CHECK(launch.argument_count > 0);
      CHECK((grid.x >= 1 && grid.x <= 2147483647U));
      CHECK((grid.y >= 1 && grid.y <= 65535U && grid.z >= 1 && grid.z <= 65535U));
      CHECK((block.x * block.y * block.z >= 1 && block.x * block.y * block.z <= 1024));
      CHECK(launch.config.shared_bytes <= 48 * 1024);
    }
  });
}

TEST_CASE("only persistent is cooperative, and all of its blocks are resident at once",
          "[pipelines][submission]") {
  const Device device = described_device();
  Device small = device;
  small.sm_count = 2;
  for (const Device& where : {device, small}) {
    for_everything(where, [&](const Pipeline&, const Implementation& implementation, const Problem&,
                              const RecordingLauncher& launcher) {
      const bool is_persistent = implementation.structure == Structure::persistent;
      if (is_persistent) REQUIRE(launcher.kernels.size() == 1);
      for (const RecordedLaunch& launch : launcher.kernels) {
        CHECK(launch.config.cooperative == is_persistent);
        if (!is_persistent) continue;
        const auto threads = static_cast<int>(launch.config.block.x);
        CHECK(static_cast<int>(launch.config.grid.x) <= resident_blocks(where, launch.function, threads));
      }
    });
  }
}

TEST_CASE("without cooperative launch, persistent says so and nothing else changes",
          "[pipelines][submission]") {
  Device device = described_device();
  device.cooperative_launch = false;
  for (const Pipeline& pipeline : study::catalog()) {
    for (const Implementation& implementation : pipeline.implementations) {
      const std::string reason = implementation.not_applicable({1024, pipeline.default_k, 0}, device);
      CAPTURE(pipeline.name, to_string(implementation.structure), reason);
      if (implementation.structure == Structure::persistent) {
        CHECK(reason == "a described GPU has no cooperative launch");
      } else {
        CHECK(reason.empty());
      }
    }
  }
}

TEST_CASE("slices that were asked for are the slices that are launched", "[pipelines][submission]") {
  const Device device = described_device();
  for (const Pipeline& pipeline : study::catalog()) {
    const Problem whole{(1 << 20) + 7, pipeline.default_k, 0};
    const auto launches = [&](Structure structure, int slices) {
      Problem problem = whole;
      problem.slices = slices;
      return record(pipeline, *pipeline.find(structure), problem, device).launches();
    };
    const int separate = launches(Structure::separate, 0);
    CAPTURE(pipeline.name, separate);
    // sliced: as many launches as separate, so that the arms differ in trips alone.
    CHECK(launches(Structure::sliced, 0) == separate);
    CHECK(separate == pipeline.default_k);
    for (const int slices : {1, 2, 5, 64}) {
      CHECK(launches(Structure::sliced, slices) == slices);
      CHECK(launches(Structure::blocked, slices) == slices * separate);
    }
    for (const Structure structure : {Structure::separate, Structure::fused, Structure::persistent}) {
      CHECK(launches(structure, 8) == launches(structure, 0));
    }
  }
}

TEST_CASE("blocked cuts finer as n grows, and not at all while everything fits", "[pipelines][submission]") {
  const Device device = described_device();
  for (const Pipeline& pipeline : study::catalog()) {
    CAPTURE(pipeline.name);
    const auto slices = [&](std::int64_t n) {
      return pipeline.slices(Structure::blocked, {n, pipeline.default_k, 0}, device);
    };
    CHECK(slices(1) == 1);
    CHECK(slices(1 << 16) == 1);
    const int at_28 = slices(std::int64_t{1} << 28);
    CHECK(at_28 > 1);
    CHECK(slices(std::int64_t{1} << 29) == Catch::Approx(2 * at_28).margin(1));
    // A slice's share of the working set lies in L2.
    const std::int64_t slice_bytes = 4 * (std::int64_t{1} << 28) / at_28;
    CHECK(slice_bytes <= device.l2_bytes);
  }
}

TEST_CASE("two enqueues of one program are the same launches", "[pipelines][submission]") {
  const Device device = described_device();
  for (const Pipeline& pipeline : study::catalog()) {
    for (const Implementation& implementation : pipeline.implementations) {
      const Problem problem{1023, pipeline.default_k, 0};
      const auto workload = pipeline.make_workload(problem, device, Backing::none);
      const auto program =
          implementation.make(*workload, pipeline.slices(implementation.structure, problem, device));
      RecordingLauncher first;
      RecordingLauncher second;
      program->enqueue(first);
      program->enqueue(second);
      CAPTURE(pipeline.name, to_string(implementation.structure));
      CHECK(first.libraries == second.libraries);
      REQUIRE(first.kernels.size() == second.kernels.size());
      for (std::size_t i = 0; i < first.kernels.size(); ++i) {
        CHECK(first.kernels[i].function == second.kernels[i].function);
        CHECK(first.kernels[i].config.grid.x == second.kernels[i].config.grid.x);
      }
    }
  }
}

TEST_CASE("structures with intermediates ask the launcher where they are, once, the others do not",
          "[pipelines][submission]") {
  for_everything(described_device(), [&](const Pipeline& pipeline, const Implementation& implementation,
                                         const Problem& problem, const RecordingLauncher& launcher) {
    const Problem resolved = study::resolve(pipeline, implementation.structure, problem, described_device());
    const bool has_intermediates =
        pipeline.byte_model(implementation.structure, resolved).intermediate_bytes() > 0;
    const bool is_fused = implementation.structure == Structure::fused ||
                          implementation.structure == Structure::sliced ||
                          implementation.structure == Structure::library;
    CHECK(launcher.intermediates.size() == (is_fused ? 0U : 1U));
    if (is_fused) return;
    CHECK(launcher.intermediates.front() <= static_cast<std::size_t>(problem.n) * sizeof(float));
    if (has_intermediates) CHECK(launcher.intermediates.front() > 0);
  });
}

TEST_CASE("lanes: only what is independent says so", "[pipelines][submission]") {
  for_everything(described_device(), [&](const Pipeline& pipeline, const Implementation& implementation,
                                         const Problem&, const RecordingLauncher& launcher) {
    const bool independent = pipeline.name == "chain" && (implementation.structure == Structure::sliced ||
                                                          implementation.structure == Structure::fused);
    CHECK(launcher.lanes.size() == (independent ? static_cast<std::size_t>(launcher.launches()) : 0U));
  });
}
