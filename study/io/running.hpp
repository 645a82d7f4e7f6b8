// The outermost frame of a program: errors become one line on stderr and an exit code.
#pragma once

#include <functional>

namespace gvf::study {

// What `body` returns, or the exit code of what it throws (study/exit_code.hpp), said with note().
[[nodiscard]] int exit_code_of_running(const std::function<int()>& body);

}  // namespace gvf::study
