// Comparing bytes: see byte_check.hpp.
#include "profiling/counters/byte_check.hpp"

#include <algorithm>
#include <cmath>
#include <string>
#include <utility>

namespace gvf::profiling {

const char* to_string(Residence residence) {
  switch (residence) {
    case Residence::resident:
      return "resident";
    case Residence::transitional:
      return "transitional";
    case Residence::streaming:
      return "streaming";
  }
  return "unknown";
}

Result<ByteCheck> check_bytes(double counted_dram, const DramModel& model, std::int64_t working_set,
                              std::int64_t l2, const ByteTolerance& tolerance) {
  if (!std::isfinite(counted_dram) || counted_dram < 0) return Reason{"counted DRAM bytes are no count"};
  for (const auto& [what, bytes] : {std::pair{"byte model", std::min(model.least, model.most)},
                                    {"working set", working_set},
                                    {"L2 size", l2}})
    if (bytes <= 0)
      return Reason{std::string("the ") + what + " is not known: counted bytes are not compared"};

  ByteCheck check;
  const double nearest = std::clamp(counted_dram, static_cast<double>(model.least),
                                    static_cast<double>(std::max(model.least, model.most)));
  const double of_model = counted_dram / nearest;
  const double l2_of_working_set = static_cast<double>(l2) / static_cast<double>(working_set);
  check.deviation = of_model - 1;
  check.allowed = tolerance.base;
  if (l2_of_working_set * tolerance.large_working_set > 1) check.allowed += l2_of_working_set;
  check.within = std::abs(check.deviation) <= check.allowed;

  // Both have to agree on "resident": a working set that does not fit cannot be served by L2, whatever DRAM
  // did.
  if (of_model < tolerance.resident_below && working_set <= l2)
    check.residence = Residence::resident;
  else if (of_model > tolerance.streaming_above)
    check.residence = Residence::streaming;
  else
    check.residence = Residence::transitional;
  return check;
}

}  // namespace gvf::profiling
