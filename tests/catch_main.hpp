// The body of both test mains. Exit codes: 0 passed, 1 failed, 4 skipped (ctest's SKIP_RETURN_CODE).
// Catch2 2.13 and 3.4 return the number of failed assertions, where four failures would read as skipped: a
// listener counts.
#pragma once

#define CATCH_CONFIG_RUNNER
#include <iostream>

#include "tests/catch.hpp"

namespace gvf::tests {

constexpr int exit_passed = 0;
constexpr int exit_failed = 1;
constexpr int exit_skipped = 4;

#if GVF_CATCH_VERSION == 3
using ListenerBase = Catch::EventListenerBase;
#else
using ListenerBase = Catch::TestEventListenerBase;
#endif

// Remembers what the run did.
class OutcomeListener final : public ListenerBase {
 public:
  using ListenerBase::ListenerBase;
  void testRunEnded(const Catch::TestRunStats& stats) override {
    ListenerBase::testRunEnded(stats);
    any_assertion = stats.totals.assertions.total() > 0;
    any_failure = stats.aborting || stats.totals.assertions.failed > 0 || stats.totals.testCases.failed > 0;
  }
  static inline bool any_failure = false;
  static inline bool any_assertion = false;
};
CATCH_REGISTER_LISTENER(OutcomeListener)

[[nodiscard]] inline bool only_lists(const Catch::ConfigData& config) {
#if GVF_CATCH_VERSION == 3
  return config.showHelp || config.listTests || config.listTags || config.listReporters ||
         config.listListeners;
#else
  return config.showHelp || config.listTests || config.listTestNamesOnly || config.listTags ||
         config.listReporters;
#endif
}

// Prints the line that a reader and ctest look for.
inline int skip_all(const std::string& reason) {
  std::cout << "SKIPPED: " << reason << std::endl;
  return exit_skipped;
}

inline int run_catch(Catch::Session& session) {
  const int status = session.run();
  if (only_lists(session.configData())) return status;  // Catch2 2.13: the number of lines listed
  if (OutcomeListener::any_failure) return exit_failed;
#if GVF_CATCH_VERSION == 3
  return status == exit_passed || status == exit_skipped ? status : exit_failed;
#else
  if (!skip_reason().empty() && !OutcomeListener::any_assertion) return skip_all(skip_reason());
  return status == exit_passed ? exit_passed : exit_failed;
#endif
}

}  // namespace gvf::tests
