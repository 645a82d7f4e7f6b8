// Fixture of the header check: makes every include that it needs.
#pragma once

#include <vector>

namespace gvf::fixture {
inline std::vector<int> numbers() {
  return {1, 2, 3};
}
}  // namespace gvf::fixture
