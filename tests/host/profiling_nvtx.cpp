// NVTX ranges as a tool sees them: a fake tool is linked in statically (nvtxDetail/nvtxInit.h, "static
// injection").
#define NVTX_NO_IMPL  // this file is the tool: the symbol below must be the only strong one
#include <cstdlib>
#include <string>
#include <vector>

#include "profiling/nvtx.hpp"
#include "tests/catch.hpp"

using namespace gvf::profiling;

namespace {

struct Seen {
  std::vector<std::string> domains, strings, categories;
  std::vector<nvtxEventAttributes_t> pushed;
  int popped = 0;
};
Seen& seen() {
  static Seen the;
  return the;
}

nvtxDomainHandle_t create(const char* name) {
  seen().domains.emplace_back(name);
  return reinterpret_cast<nvtxDomainHandle_t>(seen().domains.size());
}
nvtxStringHandle_t register_string(nvtxDomainHandle_t, const char* text) {
  seen().strings.emplace_back(text);
  return reinterpret_cast<nvtxStringHandle_t>(seen().strings.size());
}
void name_category(nvtxDomainHandle_t, std::uint32_t id, const char* name) {
  seen().categories.push_back(std::to_string(id) + "=" + name);
}
int push(nvtxDomainHandle_t, const nvtxEventAttributes_t* attributes) {
  seen().pushed.push_back(*attributes);
  return 0;
}
int pop(nvtxDomainHandle_t) {
  return ++seen().popped;
}

int attach(NvtxGetExportTableFunc_t get_export_table) {
  const auto* callbacks = static_cast<const NvtxExportTableCallbacks*>(get_export_table(NVTX_ETID_CALLBACKS));
  NvtxFunctionTable table = nullptr;
  unsigned size = 0;
  if (!callbacks || !callbacks->GetModuleFunctionTable(NVTX_CB_MODULE_CORE2, &table, &size)) return 0;
  const auto set = [&](int id, auto function) {
    *table[id] = reinterpret_cast<NvtxFunctionPointer>(function);
  };
  set(NVTX_CBID_CORE2_DomainCreateA, create);
  set(NVTX_CBID_CORE2_DomainRegisterStringA, register_string);
  set(NVTX_CBID_CORE2_DomainNameCategoryA, name_category);
  set(NVTX_CBID_CORE2_DomainRangePushEx, push);
  set(NVTX_CBID_CORE2_DomainRangePop, pop);
  return 1;
}

}  // namespace

extern "C" {
NvtxInitializeInjectionNvtxFunc_t InitializeInjectionNvtx2_fnptr = attach;
}

TEST_CASE("NVTX: a range carries domain, registered name, category, colour and payload",
          "[profiling][nvtx]") {
  if (std::getenv("NVTX_INJECTION64_PATH")) GVF_SKIP("another NVTX tool is attached to this process");
  NvtxDomain& domain = gvf_domain();
  domain.name_category(2, "fused");
  domain.name_category(2, "fused");
  const Annotation fused = domain.annotate("sum_abs.fused.graph", 2, 0xFF76B900, std::int64_t{1} << 40);
  const Annotation again = domain.annotate("sum_abs.fused.graph", 2, 0xFF76B900, 7);
  CHECK(seen().domains == std::vector<std::string>{"gvf"});
  CHECK(seen().strings == std::vector<std::string>{"sum_abs.fused.graph"});
  CHECK(seen().categories == std::vector<std::string>{"2=fused"});
  CHECK(fused.attributes.message.registered == again.attributes.message.registered);
  {
    const NvtxRange outer(fused);
    { const NvtxRange inner(again); }
    CHECK(seen().popped == 1);
  }
  CHECK(seen().popped == 2);
  REQUIRE(seen().pushed.size() == 2);
  const nvtxEventAttributes_t& a = seen().pushed[0];
  CHECK(a.size == sizeof(nvtxEventAttributes_t));
  CHECK(a.category == 2);
  CHECK(a.color == 0xFF76B900);
  CHECK(a.payloadType == NVTX_PAYLOAD_TYPE_INT64);
  CHECK(a.payload.llValue == std::int64_t{1} << 40);
  CHECK(a.messageType == NVTX_MESSAGE_TYPE_REGISTERED);
  CHECK(seen().pushed[1].payload.llValue == 7);
}
