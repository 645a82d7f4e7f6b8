// A program to record where there is no GPU: does what the CUDA driver does at its start (loads the library
// that CUDA_INJECTION64_PATH names and calls it), then launches on the fake CUPTI. Its arguments say how it
// goes on:
//   launch N · nap MS · nvtx · fork · exec · kill · exit CODE
#include <dlfcn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <csignal>
#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <string>

namespace {

void* open_named_by(const char* variable) {
  const char* path = std::getenv(variable);
  void* const handle = path ? dlopen(path, RTLD_NOW) : nullptr;
  if (!handle) std::fprintf(stderr, "recorded: no library in %s\n", variable);
  return handle;
}

template <class F>
F* find(void* library, const char* symbol) {
  return library ? reinterpret_cast<F*>(dlsym(library, symbol)) : nullptr;
}

int wait_for(pid_t child) {
  int status = 0;
  waitpid(child, &status, 0);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 99;
}

}  // namespace

int main(int argc, char** argv) {
  void* const injection = open_named_by("CUDA_INJECTION64_PATH");
  if (auto* start = find<int()>(injection, "InitializeInjection"); !start || start() != 1) return 98;
  auto* const emit_launch = find<void(std::uint32_t)>(open_named_by("GVF_CUPTI_LIBRARY"), "emit_launch");

  std::uint32_t id = 0;
  for (int i = 1; i < argc; ++i) {
    const std::string what = argv[i];
    const auto number = [&] { return i + 1 < argc ? std::atoi(argv[++i]) : 0; };
    if (what == "launch") {
      for (int n = number(); n > 0; --n) emit_launch(++id);
    } else if (what == "nap") {
      usleep(static_cast<useconds_t>(number()) * 1000);
    } else if (what == "nvtx") {
      auto* const nvtx = find<int(void*)>(injection, "InitializeInjectionNvtx2");
      if (!nvtx || nvtx(nullptr) != 7) return 97;  // what the fake CUPTI answers
    } else if (what == "fork") {
      if (const pid_t child = fork(); child == 0) {
        emit_launch(1000);
        std::exit(0);  // runs the handlers that the parent registered
      } else if (const int code = wait_for(child); code != 0) {
        return code;
      }
    } else if (what == "exec") {
      if (const pid_t child = fork(); child == 0) {
        execl("/proc/self/exe", "recorded", "launch", "1", nullptr);
        _exit(96);
      } else if (const int code = wait_for(child); code != 0) {
        return code;
      }
    } else if (what == "kill") {
      std::raise(SIGKILL);
    } else if (what == "exit") {
      return number();
    }
  }
  return 0;
}
