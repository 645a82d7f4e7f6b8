// Preloaded into a program, it is CUPTI's one subscriber before the program gets there: what another tool
// looks like to us. $GVF_CUPTI_LIBRARY names the library.
#include <cupti.h>
#include <dlfcn.h>

#include <cstdlib>

namespace {

void CUPTIAPI ignore_callback(void*, CUpti_CallbackDomain, CUpti_CallbackId, const void*) {}

__attribute__((constructor)) void subscribe_first() {
  const char* path = std::getenv("GVF_CUPTI_LIBRARY");
  void* library = path == nullptr ? nullptr : dlopen(path, RTLD_NOW | RTLD_GLOBAL);
  if (library == nullptr) return;
  const auto subscribe = reinterpret_cast<decltype(&cuptiSubscribe)>(dlsym(library, "cuptiSubscribe"));
  static CUpti_SubscriberHandle subscriber = nullptr;
  if (subscribe != nullptr) (void)subscribe(&subscriber, ignore_callback, nullptr);
}

}  // namespace
