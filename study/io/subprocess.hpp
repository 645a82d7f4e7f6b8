// Child processes without a shell, and the interrupt that ends them.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

namespace gvf::study {

struct ProcessEnd {
  int exit_code = 0;  // 128 + signal where a signal ended it
  int signal = 0;     // 0: it exited by itself
  double seconds = 0;
};

struct ProcessOptions {
  std::filesystem::path stdout_file;         // empty: inherited
  std::filesystem::path stderr_file;         // empty: inherited
  std::function<void(double seconds)> tick;  // called about once a second while the child runs
  // False: it stays in this process's group, so that it can read the terminal and gets its ^C itself. How it
  // ends is then its own affair: only a SIGTERM is passed on, and nothing is killed.
  bool own_group = true;
  double grace_seconds = 10;  // of a group of its own, from the interrupt to the kill
};

// Runs command[0] (looked up in PATH where it has no slash) with the rest as arguments and waits. The child
// has a process group of its own unless the options say otherwise; an interrupt that interrupted() reports
// goes to all of it, and what still runs after the grace is killed. Throws MachineLacks when the program
// cannot be started.
[[nodiscard]] ProcessEnd run_process(const std::vector<std::string>& command,
                                     const ProcessOptions& options = {});

// While it lives, SIGINT and SIGTERM end nothing but are remembered.
class InterruptGuard {
 public:
  InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  ~InterruptGuard();
};

// The signal that has arrived under an InterruptGuard, or 0.
[[nodiscard]] int interrupted() noexcept;

// The program that runs; `name` beside it.
[[nodiscard]] std::filesystem::path sibling_program(const std::string& name);

}  // namespace gvf::study
