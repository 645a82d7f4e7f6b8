// The pool of activity buffers: see buffer_pool.hpp.
#include "profiling/record/buffer_pool.hpp"

#include <cstring>
#include <new>

namespace gvf::profiling {

std::uint8_t* BufferPool::allocate() noexcept {
  if (all_.size() >= most_) return nullptr;
  // calloc aligns for any type (activity records need 8 bytes) and gets zeroed pages from the system.
  std::unique_ptr<std::uint8_t, Free> memory(static_cast<std::uint8_t*>(std::calloc(bytes_, 1)));
  if (!memory) return nullptr;
  try {
    all_.push_back(std::move(memory));
  } catch (const std::bad_alloc&) {
    return nullptr;
  }
  return all_.back().get();
}

std::uint8_t* BufferPool::take() noexcept {
  const std::lock_guard lock(mutex_);
  if (!free_.empty()) {
    std::uint8_t* const buffer = free_.back();
    free_.pop_back();
    return buffer;
  }
  std::uint8_t* const buffer = allocate();
  if (!buffer) ++starved_;
  return buffer;
}

void BufferPool::give_back(std::uint8_t* buffer) noexcept {
  std::memset(buffer, 0, bytes_);
  const std::lock_guard lock(mutex_);
  free_.push_back(buffer);  // room for all was reserved
}

void BufferPool::make_ready(std::size_t ready) noexcept {
  for (;;) {
    std::uint8_t* buffer = nullptr;
    {
      const std::lock_guard lock(mutex_);
      if (free_.size() >= ready) return;
      buffer = allocate();
    }
    if (!buffer) return;
    give_back(buffer);
  }
}

}  // namespace gvf::profiling
