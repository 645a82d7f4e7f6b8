// The vocabulary of the suite and the types that the catalog is made of.
//
// A pipeline is a computation of K stages at a problem size n. A structure is how that work is cut into
// kernels. Everything downstream (check, bench, trace, attribution, report) iterates over catalog entries of
// these types and knows no pipeline by name.
#pragma once

#include <array>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/device.hpp"
#include "core/launcher.hpp"

namespace gvf {

enum class Structure { separate, sliced, blocked, persistent, fused, library };

inline constexpr std::array<Structure, 6> all_structures{Structure::separate, Structure::sliced,
                                                         Structure::blocked,  Structure::persistent,
                                                         Structure::fused,    Structure::library};

[[nodiscard]] constexpr std::string_view to_string(Structure structure) noexcept {
  constexpr std::array<std::string_view, 6> names{"separate",   "sliced", "blocked",
                                                  "persistent", "fused",  "library"};
  return names[static_cast<std::size_t>(structure)];
}

[[nodiscard]] constexpr std::optional<Structure> parse_structure(std::string_view name) noexcept {
  for (const Structure structure : all_structures) {
    if (to_string(structure) == name) return structure;
  }
  return std::nullopt;
}

// One size of one pipeline.
struct Problem {
  std::int64_t n = 0;  // elements
  int k = 1;           // stages, for pipelines whose number of stages is an axis
  int slices = 0;      // slices of `sliced` and `blocked`; 0: the structure's own choice
  int repeats = 0;  // iterations a launch, of submissions that carry several; 0: the submission's own choice

  [[nodiscard]] bool operator==(const Problem&) const = default;
};

// What the kernels of one role move through the memory system in one iteration, all their launches together.
struct KernelTraffic {
  std::string_view kernel;
  int launches = 0;
  std::int64_t read_bytes = 0;
  std::int64_t write_bytes = 0;
  std::int64_t intermediate_bytes = 0;  // the part of both that intermediates cause

  [[nodiscard]] constexpr std::int64_t bytes() const noexcept { return read_bytes + write_bytes; }
};

// The byte model of a structure: at most two roles of kernels are needed so far.
struct ByteModel {
  std::array<KernelTraffic, 2> kernels{};
  int roles = 0;

  [[nodiscard]] constexpr std::int64_t bytes() const noexcept {
    return kernels[0].bytes() + kernels[1].bytes();
  }
  [[nodiscard]] constexpr std::int64_t intermediate_bytes() const noexcept {
    return kernels[0].intermediate_bytes + kernels[1].intermediate_bytes;
  }
  [[nodiscard]] constexpr int launches() const noexcept { return kernels[0].launches + kernels[1].launches; }
};

// The two inputs of the equivalence gate.
enum class InputKind {
  integers,  // small whole numbers: every order of summation is exact, results compare bit for bit
  reals,     // seeded, never zero: results compare with a double reference within a derived bound
};

[[nodiscard]] constexpr std::string_view to_string(InputKind kind) noexcept {
  return kind == InputKind::integers ? "integers" : "reals";
}

// What the gate found. `error` and `bound` have the same unit: the output's, absolute; a bound of 0 asks for
// equal bits.
struct Verdict {
  bool passed = false;
  double error = 0;
  double bound = 0;
  std::string detail;  // where it failed and what stood there; empty when passed
};

// Buffers of one pipeline at one size, shared by all of its structures: same input, same roles, same output.
class Workload {
 public:
  virtual ~Workload() = default;
  // Writes an input to the device and computes its reference on the CPU. Throws CudaError.
  virtual void fill(InputKind kind, std::uint64_t seed) = 0;
  // Fills intermediates and outputs with NaN, so that what is not written is seen.
  virtual void poison() = 0;
  // Compares the output on the device, made in `slices` slices, with the reference of the last fill.
  [[nodiscard]] virtual Verdict verify(int slices) = 0;
  // A hash of the output's bits, to tell whether two runs gave the very same result.
  [[nodiscard]] virtual std::uint64_t output_fingerprint() = 0;
  [[nodiscard]] virtual const Problem& problem() const noexcept = 0;
  [[nodiscard]] virtual const Device& device() const noexcept = 0;
};

// One structure of a pipeline, bound to a workload's buffers.
class Program {
 public:
  virtual ~Program() = default;
  // What needs a GPU and must stay out of timed regions: sizes a library's temporary storage.
  virtual void prepare() {}
  // Enqueues one iteration: asynchronous, capture-safe, allocates nothing.
  virtual void enqueue(Launcher& launcher) = 0;
};

// How one structure of one pipeline is made.
struct Implementation {
  Structure structure{};
  std::function<std::unique_ptr<Program>(Workload&, int slices)> make;
  // Why this structure cannot run here; empty when it can.
  std::function<std::string(const Problem&, const Device&)> not_applicable =
      [](const Problem&, const Device&) { return std::string(); };
};

using Implementations = std::vector<Implementation>;

// The `make` of a program class that is constructed from (workload, slices).
template <class P>
[[nodiscard]] std::unique_ptr<Program> make_program(Workload& workload, int slices) {
  return std::make_unique<P>(workload, slices);
}

// For structures that need every block resident at once.
[[nodiscard]] inline std::string needs_cooperative_launch(const Problem&, const Device& device) {
  return device.cooperative_launch ? std::string() : device.name + " has no cooperative launch";
}

// Where the buffers of a workload live; `none` leaves null pointers, for tests that only record launches.
enum class Backing { device, none };

// One line of the catalog.
struct Pipeline {
  std::string_view name;
  std::string_view summary;
  bool has_k = false;
  int default_k = 1;
  int max_k = 1;
  std::int64_t max_n = 0;
  Implementations implementations;
  std::function<std::unique_ptr<Workload>(const Problem&, const Device&, Backing)> make_workload;
  std::function<std::int64_t(const Problem&)> device_bytes;  // what make_workload allocates
  std::function<ByteModel(Structure, const Problem&)> byte_model;
  std::function<std::int64_t(const Problem&)> bytes_min;                // input once, output once
  std::function<int(Structure, const Problem&, const Device&)> slices;  // of sliced and blocked; else 1
  // How often one slice of `sliced` fills the chip; below a few, a slice is too small to stand for its share.
  std::function<double(const Problem&, int slices, const Device&)> waves_per_slice;

  [[nodiscard]] const Implementation* find(Structure structure) const noexcept {
    for (const Implementation& implementation : implementations) {
      if (implementation.structure == structure) return &implementation;
    }
    return nullptr;
  }
};

// Builds the catalog entry of pipeline type P. P's header declares what this uses; its baseline() and fused()
// are defined in baseline/<name>.cu and fused/<name>.cu.
template <class P>
[[nodiscard]] Pipeline catalog_entry() {
  Pipeline entry;
  entry.name = P::name;
  entry.summary = P::summary;
  entry.has_k = P::has_k;
  entry.default_k = P::default_k;
  entry.max_k = P::max_k;
  entry.max_n = P::max_n;
  entry.implementations = P::baseline();
  for (Implementation& implementation : P::fused())
    entry.implementations.push_back(std::move(implementation));
  entry.make_workload = [](const Problem& problem, const Device& device, Backing backing) {
    return std::unique_ptr<Workload>(P::make_workload(problem, device, backing));
  };
  entry.device_bytes = &P::device_bytes;
  entry.byte_model = &P::byte_model;
  entry.bytes_min = &P::bytes_min;
  entry.slices = &P::slices;
  entry.waves_per_slice = &P::waves_per_slice;
  return entry;
}

}  // namespace gvf
