// NVTX domain: see nvtx.hpp.
#include "profiling/nvtx.hpp"

namespace gvf::profiling {

NvtxDomain::NvtxDomain(const char* name) : handle_(nvtxDomainCreateA(name)) {}

NvtxDomain::~NvtxDomain() {
  nvtxDomainDestroy(handle_);
}

void NvtxDomain::name_category(std::uint32_t id, const std::string& name) {
  if (categories_.insert(id).second) nvtxDomainNameCategoryA(handle_, id, name.c_str());
}

Annotation NvtxDomain::annotate(const std::string& name, std::uint32_t category, std::uint32_t colour,
                                std::int64_t payload) {
  auto [entry, is_new] = strings_.emplace(name, nullptr);
  if (is_new) entry->second = nvtxDomainRegisterStringA(handle_, name.c_str());

  Annotation annotation;
  annotation.domain = handle_;
  nvtxEventAttributes_t& a = annotation.attributes;
  a.version = NVTX_VERSION;
  a.size = NVTX_EVENT_ATTRIB_STRUCT_SIZE;
  a.category = category;
  a.colorType = NVTX_COLOR_ARGB;
  a.color = colour;
  a.payloadType = NVTX_PAYLOAD_TYPE_INT64;
  a.payload.llValue = payload;
  a.messageType = NVTX_MESSAGE_TYPE_REGISTERED;
  a.message.registered = entry->second;
  return annotation;
}

NvtxRange::NvtxRange(const Annotation& annotation) : domain_(annotation.domain) {
  nvtxDomainRangePushEx(domain_, &annotation.attributes);
}

NvtxRange::~NvtxRange() {
  nvtxDomainRangePop(domain_);
}

NvtxDomain& gvf_domain() {
  static NvtxDomain* const domain = new NvtxDomain("gvf");  // never destroyed: tools read it until the exit
  return *domain;
}

}  // namespace gvf::profiling
