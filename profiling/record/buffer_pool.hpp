// Memory for CUPTI's activity buffers: every request gets a buffer that nobody else holds, and there are
// never more than a fixed number of them, so that a program with many threads cannot fill the machine.
#pragma once

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <mutex>
#include <vector>

namespace gvf::profiling {

class BufferPool {
 public:
  /// Buffers of `bytes`, at most `most` of them.
  BufferPool(std::size_t bytes, std::size_t most) : bytes_(bytes), most_(most) { free_.reserve(most); }

  /// A buffer of zeros, or null when all are lent. Allocates only where none is ready.
  std::uint8_t* take() noexcept;
  /// Zeroes the buffer and keeps it for the next request.
  void give_back(std::uint8_t* buffer) noexcept;
  /// Allocates, and touches, until `ready` buffers wait for a request: page faults happen here, not there.
  void make_ready(std::size_t ready) noexcept;

  std::size_t buffer_bytes() const { return bytes_; }
  /// Requests that got nothing.
  std::size_t starved() const { return starved_; }

 private:
  struct Free {
    void operator()(std::uint8_t* memory) const { std::free(memory); }
  };
  std::uint8_t* allocate() noexcept;  // under the lock

  std::mutex mutex_;
  const std::size_t bytes_;
  const std::size_t most_;
  std::vector<std::unique_ptr<std::uint8_t, Free>> all_;
  std::vector<std::uint8_t*> free_;
  std::atomic<std::size_t> starved_{0};
};

}  // namespace gvf::profiling
