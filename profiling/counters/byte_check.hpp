// Counted bytes against the byte model: how far apart they are, how far they may be, and where a row's data
// lives. Pure functions.
#pragma once

#include <cstdint>

#include "profiling/result.hpp"

namespace gvf::profiling {

/// Where an iteration finds its data.
enum class Residence {
  resident,      ///< in L2
  transitional,  ///< partly in L2
  streaming,     ///< in DRAM
};
const char* to_string(Residence residence);

/// What the comparison accepts, in one place.
struct ByteTolerance {
  /// Instrument, page tables, partial sectors: what a copy of buffers far above L2 leaves unexplained.
  double base = 0.03;
  /// From here on what L2 keeps from one iteration to the next, at most 1/16 of the working set, is not
  /// allowed for: least-recently-used lines of a stream are gone long before they are asked for again.
  double large_working_set = 16;
  /// DRAM carries less than this part of the model's bytes: too little to set the pace, since L2 is only
  /// some 1.4 times faster than DRAM (H200).
  double resident_below = 0.1;
  /// DRAM carries more than this part: what L2 keeps is too little to be seen in the time. The same tenth.
  double streaming_above = 0.9;
};

/// What the model expects of DRAM. Two ends where it cannot know: intermediates that L2 is meant to keep.
struct DramModel {
  std::int64_t least = 0;
  std::int64_t most = 0;
};

struct ByteCheck {
  double deviation = 0;  ///< counted / the nearer end of the model - 1; 0 between the ends
  double allowed = 0;    ///< of the deviation's magnitude
  bool within = false;
  Residence residence = Residence::transitional;
  bool operator==(const ByteCheck&) const = default;
};

/// Bytes of one iteration: `counted_dram` read and written by DRAM, `model` the same by all kernels,
/// `working_set` distinct bytes touched. No comparison without a model, a working set and an L2.
Result<ByteCheck> check_bytes(double counted_dram, const DramModel& model, std::int64_t working_set,
                              std::int64_t l2, const ByteTolerance& tolerance = {});

}  // namespace gvf::profiling
