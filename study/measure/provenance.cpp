// Implements study/measure/provenance.hpp.
#include "study/measure/provenance.hpp"

#include <fmt/format.h>
#include <pthread.h>

#include <fstream>
#include <regex>
#include <string_view>

#include "gvf_git.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"

namespace gvf::study {
namespace {

std::string first_line(const char* path) {
  std::ifstream file(path);
  std::string line;
  std::getline(file, line);
  return line.empty() ? "unknown" : line;
}

std::string cpu_model() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.starts_with("model name")) return line.substr(line.find(':') + 2);
  }
  return "unknown";
}

// "580.159.04" of the driver's banner, whose other words are about its build.
std::string driver_version(const std::string& banner) {
  static const std::regex version("[0-9]+\\.[0-9.]+");
  std::smatch match;
  return std::regex_search(banner, match, version) ? match.str() : banner;
}

std::string version_text(int encoded) {
  return encoded == 0 ? "none" : fmt::format("{}.{}", encoded / 1000, encoded % 1000 / 10);
}

}  // namespace

std::map<std::string, std::string> provenance(const Device& device) {
  const CudaVersions versions = cuda_versions();
  const std::string driver = driver_version(first_line("/proc/driver/nvidia/version"));
  return {
      {"gpu", device.name},
      {"compute_capability", fmt::format("{}.{}", device.compute_major, device.compute_minor)},
      {"sm_count", std::to_string(device.sm_count)},
      {"l2_bytes", std::to_string(device.l2_bytes)},
      {"driver", driver},
      {"driver_cuda", version_text(versions.driver)},
      {"runtime", version_text(versions.runtime)},
      {"nvcc", build::cuda_compiler_version},
      {"git_commit", build::commit},
      {"build_type", build::build_type},
      {"cpu", cpu_model()},
      {"numa_nodes", first_line("/sys/devices/system/node/online")},
      {"governor", first_line("/sys/devices/system/cpu/cpu0/cpufreq/scaling_governor")},
      {"sync_mode", "cudaStreamSynchronize, cudaDeviceScheduleSpin"},
      {"taken_at", utc_now()},
  };
}

void require_release_build() {
  if (std::string_view(build::build_type) != "Release")
    throw BadInput(fmt::format("this is a {} build: only Release may be timed (cmake --preset release)",
                               build::build_type));
}

PinnedThread::PinnedThread() {
  CPU_ZERO(&before_);
  if (pthread_getaffinity_np(pthread_self(), sizeof before_, &before_) != 0) return;
  std::size_t core = CPU_SETSIZE;
  while (core > 0 && !CPU_ISSET(core - 1, &before_)) --core;
  if (core == 0) return;
  cpu_set_t one;
  CPU_ZERO(&one);
  CPU_SET(core - 1, &one);
  pinned_ = pthread_setaffinity_np(pthread_self(), sizeof one, &one) == 0;
}

PinnedThread::~PinnedThread() {
  if (pinned_) pthread_setaffinity_np(pthread_self(), sizeof before_, &before_);
}

}  // namespace gvf::study
