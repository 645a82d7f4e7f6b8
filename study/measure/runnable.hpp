// What a pass or a benchmark runs again and again: one submission of a variant, or of a reference workload.
#pragma once

#include <cuda_runtime_api.h>

#include <string>

namespace gvf::study {

class Runnable {
 public:
  virtual ~Runnable() = default;
  virtual void submit() = 0;       // returns before what it submits has run
  virtual void synchronize() = 0;  // waits for it, spinning
  [[nodiscard]] virtual cudaStream_t stream() const noexcept = 0;
  [[nodiscard]] virtual int host_submissions() const = 0;     // submitting calls of one submit()
  [[nodiscard]] virtual int iterations() const { return 1; }  // that one submit() carries
  [[nodiscard]] virtual bool as_graph() const noexcept = 0;
  [[nodiscard]] virtual std::string name() const = 0;
  // What one submission may take, µs; for planning only, never a result.
  [[nodiscard]] virtual double expected_us() const = 0;
};

}  // namespace gvf::study
