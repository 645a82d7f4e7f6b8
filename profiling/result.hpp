// A value or the reason why there is none. Expected conditions (no library, no permission, a damaged trace)
// travel as values, so that a study can go on without the part; exceptions stay for broken programs.
#pragma once

#include <string>
#include <utility>
#include <variant>

namespace gvf::profiling {

/// One clear line: what is missing, what was tried, what to do about it.
struct Reason {
  std::string text;
};

template <class T, class Why = Reason>
class [[nodiscard]] Result {
 public:
  Result(T value) : state_(std::in_place_index<0>, std::move(value)) {}  // NOLINT: implicit on purpose
  Result(Why why) : state_(std::in_place_index<1>, std::move(why)) {}    // NOLINT: implicit on purpose

  bool ok() const { return state_.index() == 0; }
  explicit operator bool() const { return ok(); }

  /// Throw std::bad_variant_access when there is none.
  T& value() & { return std::get<0>(state_); }
  const T& value() const& { return std::get<0>(state_); }
  T&& value() && { return std::get<0>(std::move(state_)); }
  const T* operator->() const { return &std::get<0>(state_); }
  T* operator->() { return &std::get<0>(state_); }
  const T& operator*() const { return std::get<0>(state_); }
  T& operator*() { return std::get<0>(state_); }

  const Why& reason() const { return std::get<1>(state_); }

 private:
  std::variant<T, Why> state_;
};

}  // namespace gvf::profiling
