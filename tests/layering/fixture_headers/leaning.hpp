// Fixture of the header check: leans on an include of its user, and must be caught.
#pragma once

namespace gvf::fixture {
inline std::vector<int> numbers() {
  return {1, 2, 3};
}
}  // namespace gvf::fixture
