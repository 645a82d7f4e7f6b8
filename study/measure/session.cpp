// Implements study/measure/session.hpp.
#include "study/measure/session.hpp"

#include <fmt/format.h>

#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

using profiling::ActivityMode;

ActivityMode activity_mode(const std::string& pass) {
  if (pass == "api") return ActivityMode::api;
  if (pass == "kernel") return ActivityMode::kernel;
  if (pass == "graph") return ActivityMode::graph;
  if (pass == "trace") return ActivityMode::kernel_api;
  throw BadInput(fmt::format("unknown pass '{}'; --help lists them", pass));
}

}  // namespace

std::optional<profiling::ActivitySession> start_session(const std::string& pass) {
  if (pass == "untraced") return std::nullopt;
  profiling::ActivityOptions options;
  options.mode = activity_mode(pass);
  options.api_scope = profiling::ApiScope::submitting;
  auto api = profiling::load_cupti();
  if (!api) throw MachineLacks(api.reason().text);
  auto session = profiling::ActivitySession::start(api.value(), options);
  if (!session) throw MachineLacks(session.reason().text);
  return std::move(session).value();
}

}  // namespace gvf::study
