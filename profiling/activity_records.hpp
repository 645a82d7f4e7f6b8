// From CUPTI's activity buffers to records by value. CUPTI hands out memory through two free callbacks, so
// the buffers live in one store of the process.
#pragma once

#include <cstddef>
#include <cstdint>
#include <vector>

#include "profiling/cupti_api.hpp"
#include "profiling/timeline.hpp"

namespace gvf::profiling {

struct Records {
  std::vector<Call> calls;
  std::vector<Work> works;
  std::size_t invalid = 0;  ///< records without times, and buffers that could not be read to their end
};

/// Empties the store, gives it `ready` buffers of `bytes` and the table that counts drops. The store outlives
/// every session: CUPTI may return a buffer late.
void reset_buffers(const CuptiApi& api, std::size_t bytes, std::size_t ready);

/// The callbacks for cuptiActivityRegisterCallbacks. Every request gets a buffer of its own.
void CUPTIAPI buffer_requested(std::uint8_t** buffer, std::size_t* bytes, std::size_t* max_records);
void CUPTIAPI buffer_completed(CUcontext context, std::uint32_t stream, std::uint8_t* buffer,
                               std::size_t bytes, std::size_t valid_bytes);

/// Parses and frees the completed buffers.
Records take_records(const CuptiApi& api);
/// Records that CUPTI dropped since the last call, as seen when buffers completed.
std::size_t take_dropped();

}  // namespace gvf::profiling
