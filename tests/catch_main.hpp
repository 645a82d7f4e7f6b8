// The body of both test mains. Exit codes: 0 passed, 1 failed, 4 skipped (ctest's SKIP_RETURN_CODE).
// Catch2 2.13 returns the number of failed assertions, where four failures would read as skipped.
#pragma once

#define CATCH_CONFIG_RUNNER
#include <iostream>

#include "tests/catch.hpp"

namespace gvf::tests {

constexpr int exit_passed = 0;
constexpr int exit_failed = 1;
constexpr int exit_skipped = 4;

inline int run_catch(Catch::Session& session) {
  const int status = session.run();
#if GVF_CATCH_VERSION == 3
  const auto& config = session.configData();
  const bool lists = config.listTests || config.listTags || config.listReporters || config.listListeners;
  if (lists || status == exit_passed || status == exit_skipped) return status;
#else
  const auto& config = session.configData();
  const bool lists = config.listTests || config.listTestNamesOnly || config.listTags || config.listReporters;
  if (lists) return status;
  if (status == 0 && !skip_reason().empty()) {
    std::cout << "SKIPPED: " << skip_reason() << '\n';
    return exit_skipped;
  }
  if (status == 0) return exit_passed;
#endif
  return exit_failed;
}

}  // namespace gvf::tests
