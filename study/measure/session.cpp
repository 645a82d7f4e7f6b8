// Implements study/measure/session.hpp.
#include "study/measure/session.hpp"

#include "study/exit_code.hpp"
#include "study/measure/instruments.hpp"

namespace gvf::study {

std::optional<profiling::ActivitySession> start_session(const std::string& instrument) {
  const auto& options = find_instrument(instrument).options;
  if (!options) return std::nullopt;
  auto api = profiling::load_cupti();
  if (!api) throw MachineLacks(api.reason().text);
  auto session = profiling::ActivitySession::start(api.value(), *options);
  if (!session) throw MachineLacks(session.reason().text);
  return std::move(session).value();
}

}  // namespace gvf::study
