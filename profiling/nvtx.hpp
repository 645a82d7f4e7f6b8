// NVTX ranges for Nsight Systems and Nsight Compute. What a range says is prepared beforehand (strings are
// registered once), so that opening one costs a call and no allocation. Without a tool attached it costs
// nothing.
#pragma once

#include <nvtx3/nvToolsExt.h>

#include <cstdint>
#include <string>
#include <unordered_map>
#include <unordered_set>

namespace gvf::profiling {

/// What a range shows; made by NvtxDomain::annotate, valid as long as the domain.
struct Annotation {
  nvtxDomainHandle_t domain = nullptr;
  nvtxEventAttributes_t attributes{};
};

/// A named domain with its registered strings and categories. Not for concurrent use while annotating.
class NvtxDomain {
 public:
  explicit NvtxDomain(const char* name);
  NvtxDomain(const NvtxDomain&) = delete;
  NvtxDomain& operator=(const NvtxDomain&) = delete;
  ~NvtxDomain();

  /// Gives category `id` (not 0) its name; once is enough.
  void name_category(std::uint32_t id, const std::string& name);
  /// `name` is shown as it is; dots instead of slashes, since ncu reads '/' as nesting. `colour` is
  /// 0xAARRGGBB.
  Annotation annotate(const std::string& name, std::uint32_t category, std::uint32_t colour,
                      std::int64_t payload);

 private:
  nvtxDomainHandle_t handle_;
  std::unordered_map<std::string, nvtxStringHandle_t> strings_;
  std::unordered_set<std::uint32_t> categories_;
};

/// The suite's own domain: `ncu --nvtx --nvtx-include "gvf@sum_abs.fused.graph/"`.
NvtxDomain& gvf_domain();

/// A pushed range; popped at the end of the same scope.
class [[nodiscard]] NvtxRange {
 public:
  explicit NvtxRange(const Annotation& annotation);
  NvtxRange(const NvtxRange&) = delete;
  NvtxRange& operator=(const NvtxRange&) = delete;
  ~NvtxRange();

 private:
  nvtxDomainHandle_t domain_;
};

}  // namespace gvf::profiling
