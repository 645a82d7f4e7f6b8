// Implements study/measure/sm_clock.hpp.
#include "study/measure/sm_clock.hpp"

#include <fmt/format.h>

#include <cmath>

#include "study/io/output.hpp"

namespace gvf::study {

SmClock::SmClock() {
  const auto api = profiling::load_nvml();
  if (!api) {
    note("SM clock not recorded: " + api.reason().text);
    return;
  }
  auto opened = profiling::Nvml::open(api.value());
  if (opened) {
    nvml_.emplace(std::move(opened).value());
  } else {
    note("SM clock not recorded: " + opened.reason().text);
  }
}

double SmClock::mhz() const {
  if (!nvml_) return 0;
  const auto clock = nvml_->sm_clock_mhz();
  return clock ? clock.value() : 0;
}

std::string SmClock::throttle_reasons() const {
  if (!nvml_) return {};
  const auto reasons = nvml_->clock_event_reasons();
  std::string text;
  if (reasons) {
    for (const std::string& reason : reasons.value()) text += (text.empty() ? "" : ", ") + reason;
  }
  return text;
}

std::string clock_remark(double mhz_before, double mhz_after, const std::string& throttle_reasons) {
  constexpr double moved = 0.02;
  if (mhz_before == 0 || mhz_after == 0 || std::abs(mhz_after - mhz_before) <= moved * mhz_before) return {};
  return fmt::format("SM clock moved from {:.0f} to {:.0f} MHz{}{}", mhz_before, mhz_after,
                     throttle_reasons.empty() ? "" : ": ", throttle_reasons);
}

}  // namespace gvf::study
