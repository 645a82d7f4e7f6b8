// Implements study/measure/instruments.hpp.
#include "study/measure/instruments.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

using profiling::ActivityMode;
using profiling::ActivityOptions;
using profiling::ApiScope;

ActivityOptions options(ActivityMode mode, ApiScope scope = ApiScope::submitting,
                        bool latency_timestamps = false) {
  ActivityOptions options;
  options.mode = mode;
  options.api_scope = scope;
  options.latency_timestamps = latency_timestamps;
  return options;
}

}  // namespace

const std::vector<Instrument>& instruments() {
  static const std::vector<Instrument> all{
      {"untraced", "nothing", std::nullopt},
      {"api", "runtime calls that submit or wait", options(ActivityMode::api)},
      {"api_all", "all runtime calls", options(ActivityMode::api, ApiScope::runtime)},
      {"api_driver", "all runtime and driver calls",
       options(ActivityMode::api, ApiScope::runtime_and_driver)},
      {"kernel", "kernels, each node of a graph on its own", options(ActivityMode::kernel)},
      {"kernel_latency", "kernels, with queued and submitted times",
       options(ActivityMode::kernel, ApiScope::submitting, true)},
      {"graph", "one record a graph launch", options(ActivityMode::graph)},
      {"trace", "kernels, and runtime calls that submit or wait", options(ActivityMode::kernel_api)},
      {"trace_all", "kernels and all runtime calls", options(ActivityMode::kernel_api, ApiScope::runtime)},
      {"trace_driver", "kernels, all runtime and driver calls",
       options(ActivityMode::kernel_api, ApiScope::runtime_and_driver)},
      {"counters", "DRAM and L2 bytes, while a range is counted", std::nullopt, true},
  };
  return all;
}

const Instrument& find_instrument(std::string_view name) {
  std::vector<std::string_view> names;
  for (const Instrument& instrument : instruments()) {
    if (instrument.name == name) return instrument;
    names.push_back(instrument.name);
  }
  throw BadInput(fmt::format("unknown pass '{}'; there are: {}", name, fmt::join(names, ", ")));
}

}  // namespace gvf::study
