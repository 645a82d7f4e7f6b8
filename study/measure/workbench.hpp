// Workloads and variants made on demand and kept: what a process measures again and again is built once.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "core/device.hpp"
#include "core/handles.hpp"
#include "study/commands/selection.hpp"
#include "study/measure/gate.hpp"
#include "study/measure/variant.hpp"

namespace gvf::study {

// One problem of one pipeline: its buffers, and its variants by "structure/submission".
struct Station {
  const Pipeline* pipeline = nullptr;
  Problem problem;
  std::unique_ptr<Workload> workload;
  std::map<std::string, std::unique_ptr<Variant>> variants;
  std::vector<GateRow> unavailable;             // variants that cannot exist here, or could not be built
  std::map<std::string, std::string> failures;  // variant name -> why the gate rejected it
  bool gated = false;
};

class Workbench {
 public:
  // Builds the submissions that this selects; where it names none, those that a study measures at a size.
  explicit Workbench(Device device, Selection selection = {});

  [[nodiscard]] const Device& device() const noexcept { return device_; }
  [[nodiscard]] const Selection& selection() const noexcept { return selection_; }
  [[nodiscard]] cudaStream_t stream() const noexcept { return stream_.get(); }

  // Buffers and all variants of this problem. Throws MachineLacks where the GPU's memory does not hold them.
  Station& station(const Pipeline& pipeline, const Problem& problem);

  // Runs the gate over a station once; later calls return at once.
  void gate(Station& station, const GateOptions& options = {});

  // A variant, or the reason why there is none.
  struct Lookup {
    Variant* variant = nullptr;
    std::string reason;
    bool not_applicable = false;  // cannot exist here; else something failed
  };
  // One that has passed the gate.
  Lookup passed(const Pipeline& pipeline, const Problem& problem, Structure structure,
                const SubmissionKind& submission);
  // One that was built, checked or not: for passes that repeat what another process has checked.
  Lookup built(const Pipeline& pipeline, const Problem& problem, Structure structure,
               const SubmissionKind& submission);

  // Frees the buffers and variants of a problem.
  void release(const Pipeline& pipeline, const Problem& problem);

 private:
  [[nodiscard]] std::string why_not_here(const SubmissionKind& submission, const Problem& problem) const;

  Device device_;
  Selection selection_;
  Stream stream_;
  std::map<std::string, Station> stations_;
};

// The device, or MachineLacks with its reason.
Device require_device();

// The same without keeping a context: for processes whose children measure.
[[nodiscard]] Device describe_device();

}  // namespace gvf::study
