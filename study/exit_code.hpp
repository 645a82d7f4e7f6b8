// Exit codes of every command, and the errors that lead to them.
#pragma once

#include <stdexcept>

namespace gvf::study {

enum ExitCode : int {
  exit_done = 0,
  exit_check_failed = 1,   // a variant gave a wrong result, a figure drifted
  exit_bad_input = 2,      // arguments or files that cannot be used
  exit_machine_lacks = 3,  // this machine lacks what the command needs
};

// What the user gave cannot be used: the message says what, where and what to do.
class BadInput : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

// The machine lacks something: no GPU, no CUPTI, no permission.
class MachineLacks : public std::runtime_error {
 public:
  using std::runtime_error::runtime_error;
};

}  // namespace gvf::study
