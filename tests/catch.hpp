// Catch2 2.13 (Debian 12) and 3.x under one include, with what 2.13 lacks: GVF_SKIP and ContainsSubstring.
// Tests use Catch::Approx and Catch::Matchers::..., which both spell alike.
#pragma once

#include <string>

#if __has_include(<catch2/catch_all.hpp>)
#define GVF_CATCH_VERSION 3
#include <catch2/catch_all.hpp>
#else
#define GVF_CATCH_VERSION 2
#include <catch2/catch.hpp>
#endif

namespace gvf::tests {

// Reason of the last GVF_SKIP in this process; empty when there was none. Read by run_catch in
// catch_main.hpp.
inline std::string& skip_reason() {
  static std::string reason;
  return reason;
}

}  // namespace gvf::tests

// Ends the test case as skipped. `reason` says what this machine lacks.
#if GVF_CATCH_VERSION == 3
#define GVF_SKIP(reason) SKIP(reason)
#else
#define GVF_SKIP(reason)                    \
  do {                                      \
    ::gvf::tests::skip_reason() = (reason); \
    return;                                 \
  } while (false)

namespace Catch {
using Detail::Approx;
}
namespace Catch::Matchers {
inline auto ContainsSubstring(const std::string& part, CaseSensitive::Choice choice = CaseSensitive::Yes) {
  return Contains(part, choice);
}
}  // namespace Catch::Matchers
#endif
