// One CUPTI session in a process at a time: activity tracing, counters and sampling disturb each other, and
// CUPTI documents no way to combine them.
#pragma once

#include <atomic>

#include "profiling/cupti_api.hpp"

namespace gvf::profiling {

/// Whoever turns this from false to true owns CUPTI until it is set back.
inline std::atomic<bool>& cupti_session_open() {
  static std::atomic<bool> open{false};
  return open;
}

inline CuptiProblem cupti_session_is_open() {
  return {
      Degraded::already_active,
      "a CUPTI session is open in this process: end it first; activity tracing, counters and sampling each "
      "get a process of their own"};
}

}  // namespace gvf::profiling
