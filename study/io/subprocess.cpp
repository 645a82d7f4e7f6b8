// Implements study/io/subprocess.hpp.
#include "study/io/subprocess.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <cstring>
#include <optional>
#include <stdexcept>
#include <thread>

#include "study/exit_code.hpp"

namespace gvf::study {

namespace {

using Clock = std::chrono::steady_clock;

constexpr std::array<int, 2> guarded_signals{SIGINT, SIGTERM};
volatile std::sig_atomic_t arrived_signal = 0;
std::array<struct sigaction, guarded_signals.size()> previous_actions{};

void remember(int signal) {
  arrived_signal = signal;
}

double seconds_since(Clock::time_point start) {
  return std::chrono::duration<double>(Clock::now() - start).count();
}

// posix_spawn's two attribute objects, destroyed with this one.
class SpawnPlan {
 public:
  explicit SpawnPlan(const ProcessOptions& options) {
    posix_spawn_file_actions_init(&actions_);
    posix_spawnattr_init(&attributes_);
    redirect(STDOUT_FILENO, options.stdout_file);
    redirect(STDERR_FILENO, options.stderr_file);
    posix_spawnattr_setpgroup(&attributes_, 0);
    sigset_t defaults;
    sigemptyset(&defaults);
    for (const int signal : guarded_signals) sigaddset(&defaults, signal);
    posix_spawnattr_setsigdefault(&attributes_, &defaults);
    const int group_flag = options.own_group ? POSIX_SPAWN_SETPGROUP : 0;
    posix_spawnattr_setflags(&attributes_, static_cast<short>(group_flag | POSIX_SPAWN_SETSIGDEF));
  }
  SpawnPlan(const SpawnPlan&) = delete;
  SpawnPlan& operator=(const SpawnPlan&) = delete;
  ~SpawnPlan() {
    posix_spawn_file_actions_destroy(&actions_);
    posix_spawnattr_destroy(&attributes_);
  }

  pid_t spawn(const std::vector<std::string>& command) {
    std::vector<std::string> words = command;
    std::vector<char*> argv;
    for (std::string& word : words) argv.push_back(word.data());
    argv.push_back(nullptr);
    pid_t child = 0;
    const int error = posix_spawnp(&child, argv[0], &actions_, &attributes_, argv.data(), environ);
    if (error != 0) throw MachineLacks(fmt::format("cannot start {}: {}", command[0], std::strerror(error)));
    return child;
  }

 private:
  void redirect(int descriptor, const std::filesystem::path& file) {
    if (file.empty()) return;
    constexpr mode_t readable = 0644;
    posix_spawn_file_actions_addopen(&actions_, descriptor, file.c_str(), O_WRONLY | O_CREAT | O_TRUNC,
                                     readable);
  }

  posix_spawn_file_actions_t actions_{};
  posix_spawnattr_t attributes_{};
};

}  // namespace

ProcessEnd run_process(const std::vector<std::string>& command, const ProcessOptions& options) {
  constexpr auto poll_every = std::chrono::milliseconds(20);
  const Clock::time_point start = Clock::now();
  const pid_t child = SpawnPlan(options).spawn(command);
  const pid_t told_process = options.own_group ? -child : child;
  std::optional<Clock::time_point> told;
  double next_tick = 1;
  int status = 0;
  while (true) {
    const pid_t ended = waitpid(child, &status, WNOHANG);
    if (ended == child) break;
    if (ended < 0 && errno != EINTR)
      throw std::runtime_error(fmt::format("waiting for {}: {}", command[0], std::strerror(errno)));
    // ^C reached the whole group of this process from the terminal.
    const int signal = !options.own_group && interrupted() == SIGINT ? 0 : interrupted();
    if (signal != 0 && !told) {
      kill(told_process, signal);
      told = Clock::now();
    }
    if (options.own_group && told && seconds_since(*told) > options.grace_seconds)
      kill(told_process, SIGKILL);
    if (options.tick && seconds_since(start) >= next_tick) {
      options.tick(seconds_since(start));
      next_tick += 1;
    }
    std::this_thread::sleep_for(poll_every);
  }
  ProcessEnd end;
  end.seconds = seconds_since(start);
  end.signal = WIFSIGNALED(status) ? WTERMSIG(status) : 0;
  end.exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : 128 + end.signal;
  return end;
}

InterruptGuard::InterruptGuard() {
  arrived_signal = 0;
  struct sigaction action {};
  action.sa_handler = &remember;
  sigemptyset(&action.sa_mask);
  for (std::size_t i = 0; i < guarded_signals.size(); ++i)
    sigaction(guarded_signals[i], &action, &previous_actions[i]);
}

InterruptGuard::~InterruptGuard() {
  arrived_signal = 0;
  for (std::size_t i = 0; i < guarded_signals.size(); ++i)
    sigaction(guarded_signals[i], &previous_actions[i], nullptr);
}

int interrupted() noexcept {
  return arrived_signal;
}

std::filesystem::path sibling_program(const std::string& name) {
  return std::filesystem::read_symlink("/proc/self/exe").parent_path() / name;
}

}  // namespace gvf::study
