// Where and with what a figure was taken; goes into every file of a recording.
#pragma once

#include <sched.h>

#include <map>
#include <string>

#include "core/device.hpp"

namespace gvf::study {

// gpu, driver, runtime, cupti, git_commit, build_type, cpu, numa_nodes, governor, date, sync_mode.
[[nodiscard]] std::map<std::string, std::string> provenance(const Device& device);

// Keeps the calling thread on the core that it runs on, for as long as it lives: a migration in a sample is
// noise. Only while measuring, since threads started meanwhile inherit the pin.
class PinnedThread {
 public:
  PinnedThread();
  PinnedThread(const PinnedThread&) = delete;
  PinnedThread& operator=(const PinnedThread&) = delete;
  ~PinnedThread();

 private:
  cpu_set_t before_;
  bool pinned_ = false;
};

}  // namespace gvf::study
