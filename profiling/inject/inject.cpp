// libgvf_inject.so: loaded into any CUDA program by the driver (CUDA_INJECTION64_PATH) and by NVTX, records
// it with CUPTI. Whatever fails here costs the recording and one line on stderr, never the program.
#include <pthread.h>
#include <unistd.h>

#include <atomic>
#include <charconv>
#include <cstdlib>
#include <exception>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

#include "profiling/inject/environment.hpp"
#include "profiling/inject/output_file.hpp"
#include "profiling/record/recorder.hpp"

namespace gvf::profiling {

namespace {

// How long the end of the program waits for the last flush: CUPTI has been seen to hang in it.
constexpr std::chrono::seconds exit_patience{20};

Recorder* recorder = nullptr;  // leaked: CUPTI's threads may call in while the process exits
std::atomic<bool> is_forked_child{false};

// One system call, so that lines of several processes do not mix; no stdio, whose state is the program's.
void complain(const std::string& text) {
  const std::string line = "gvf: process " + std::to_string(getpid()) + ": " + text + "\n";
  [[maybe_unused]] const ssize_t written = write(STDERR_FILENO, line.data(), line.size());
}

std::string variable(const char* name) {
  const char* value = std::getenv(name);
  return value ? value : "";
}

std::vector<std::string> command_line() {
  std::ifstream in("/proc/self/cmdline", std::ios::binary);
  std::vector<std::string> words;
  for (std::string word; std::getline(in, word, '\0');) words.push_back(word);
  return words;
}

RecorderOptions options_of_environment() {
  RecorderOptions options;
  options.graph_nodes = variable(record_environment::graph_nodes) == "1";
  const std::string interval = variable(record_environment::flush_interval);
  int milliseconds = 0;
  std::from_chars(interval.data(), interval.data() + interval.size(), milliseconds);
  if (milliseconds > 0) options.flush_interval = std::chrono::milliseconds(milliseconds);
  return options;
}

void finish_at_exit() {
  if (is_forked_child || !recorder) return;
  if (!recorder->finish(exit_patience))
    complain("the last flush did not end in time: the timeline lacks its last records");
}

void forget_in_child() {
  is_forked_child = true;
  Recorder::forget_after_fork();
}

// The one that records and that NVTX is led to. Loaded once.
const Result<CuptiApi, CuptiProblem>& cupti() {
  static const auto* const api = new Result<CuptiApi, CuptiProblem>(load_cupti());
  return *api;
}

void start() {
  const std::string target = variable(record_environment::output);
  if (target.empty()) {
    complain(std::string(record_environment::output) + " is not set: start the program with `gvf record`");
    return;
  }
  const auto& api = cupti();
  if (!api) {
    complain("not recorded: " + api.reason().text);
    return;
  }
  std::error_code ignored;
  const std::string program = std::filesystem::read_symlink("/proc/self/exe", ignored).string();
  const auto file = create_output(target, std::filesystem::path(program).filename().string(), getpid());
  if (!file) {
    complain("not recorded: " + file.reason().text);
    return;
  }
  auto* const candidate = new Recorder(*api, options_of_environment(), file->descriptor, complain);
  nlohmann::json header{{"pid", getpid()},
                        {"parent", getppid()},
                        {"exe", program},
                        {"command", command_line()},
                        {"clock", "CLOCK_REALTIME"}};
  if (const auto problem = candidate->start(std::move(header))) {
    complain("not recorded: " + problem->text);
    unlink(file->path.c_str());  // has no record
    delete candidate;
    return;
  }
  recorder = candidate;
  std::atexit(finish_at_exit);
  pthread_atfork(nullptr, nullptr, forget_in_child);
}

// From whichever comes first, the driver's start or the program's first NVTX call. CUPTI may start the
// driver, which calls in again: hence a flag and no lock.
void start_once() noexcept {
  static std::atomic<bool> started{false};
  if (started.exchange(true)) return;
  try {
    start();
  } catch (const std::exception& error) {
    complain(std::string("not recorded: ") + error.what());
  } catch (...) {
    complain("not recorded: an unknown error");
  }
}

// Does not start the recording: CUPTI would start the driver, and a process that has one cannot fork children
// that use CUDA. So ranges that begin before the program starts CUDA are not seen.
int initialize_nvtx(int (*CuptiApi::*forward)(void*), void* get_export_table) noexcept {
  try {
    const auto& api = cupti();
    if (api && (*api).*forward) return ((*api).*forward)(get_export_table);
  } catch (const std::exception& error) {
    complain(std::string("no NVTX ranges: ") + error.what());
  }
  return 0;  // NVTX then does nothing
}

}  // namespace

}  // namespace gvf::profiling

#define GVF_EXPORT extern "C" __attribute__((visibility("default")))

// The driver calls this inside cuInit. Success, always: the program runs on either way.
GVF_EXPORT int InitializeInjection() {
  gvf::profiling::start_once();
  return 1;
}

// NVTX's side doors. They lead to the CUPTI that records, wherever it was found: a second copy in the
// process, as NVTX_INJECTION64_PATH=<some libcupti> loads one beside PyTorch's, would keep the ranges to
// itself.
GVF_EXPORT int InitializeInjectionNvtx(void* get_export_table) {
  return gvf::profiling::initialize_nvtx(&gvf::profiling::CuptiApi::initialize_nvtx, get_export_table);
}
GVF_EXPORT int InitializeInjectionNvtx2(void* get_export_table) {
  return gvf::profiling::initialize_nvtx(&gvf::profiling::CuptiApi::initialize_nvtx2, get_export_table);
}
