// Where and with what a figure was taken; goes into every file of a recording.
#pragma once

#include <sched.h>

#include <map>
#include <string>

#include "core/device.hpp"

namespace gvf::study {

// gpu, driver, runtime, cupti, git_commit, build_type, cpu, numa_nodes, governor, date, sync_mode.
[[nodiscard]] std::map<std::string, std::string> provenance(const Device& device);

// Throws BadInput unless this is a Release build: no other may be timed.
void require_release_build();

// Keeps the calling thread on one core for as long as it lives: the last one that the process may use, so
// that all passes of a study, each a process of its own, measure on the same one and away from core 0's
// interrupts. Only while measuring, since threads started meanwhile inherit the pin.
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
