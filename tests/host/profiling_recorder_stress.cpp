// Ten million records through the recorder: its memory is bounded by the pool, not by the records.
#include <fcntl.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <fstream>

#include "profiling/record/recorder.hpp"
#include "tests/catch.hpp"
#include "tests/host/profiling_fake_cupti.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;

namespace {

constexpr std::size_t all_records = 10'000'000;
constexpr long most_resident_kib = 300 * 1024;

long resident_kib() {
  long pages = 0, resident = 0;
  std::ifstream("/proc/self/statm") >> pages >> resident;
  return resident * (sysconf(_SC_PAGESIZE) / 1024);
}

// Buffers as CUPTI fills them: launches and their kernels in turn. Waits where CUPTI would drop.
void fill_buffers(std::size_t records) {
  std::uint64_t now = 2000;
  std::uint32_t id = 0;
  while (records > 0) {
    std::uint8_t* buffer = nullptr;
    std::size_t bytes = 0, most = 0;
    fake().request(&buffer, &bytes, &most);
    if (!buffer) {
      usleep(500);
      continue;
    }
    std::size_t used = 0;
    const std::size_t pair = sizeof(CUpti_ActivityAPI) + sizeof(CUpti_ActivityKernel10);
    for (; records > 0 && used + pair <= bytes; records -= 2, now += 5000) {
      const auto call = call_record(now, now + 2000, ++id);
      std::memcpy(buffer + used, &call, sizeof call);
      used += sizeof call;
      const auto kernel = kernel_record(now + 4000, now + 6000, id);
      std::memcpy(buffer + used, &kernel, sizeof kernel);
      used += sizeof kernel;
    }
    fake().complete(nullptr, 0, buffer, bytes, used);
  }
}

}  // namespace

TEST_CASE("ten million records stay below 300 MB", "[profiling][record][stress]") {
  fake() = {};
  // In a process of its own, whose peak is nobody else's but for what it inherits.
  const long inherited_kib = resident_kib();
  const pid_t child = fork();
  if (child == 0) {
    Recorder recorder(fake_api(), RecorderOptions{}, open("/dev/null", O_WRONLY),
                      [](const std::string&) { _exit(3); });
    if (recorder.start(nlohmann::json::object())) _exit(2);
    fill_buffers(all_records);
    _exit(recorder.finish(std::chrono::seconds(60)) ? 0 : 4);
  }
  int status = -1;
  rusage usage{};
  REQUIRE(wait4(child, &status, 0, &usage) == child);
  CHECK(status == 0);
  const long peak_kib = usage.ru_maxrss - inherited_kib;
  INFO("peak resident memory " << peak_kib << " KiB beside " << inherited_kib << " inherited");
  CHECK(peak_kib < most_resident_kib);
  CHECK(peak_kib > 8 * 1024);  // the records did pass through it
}
