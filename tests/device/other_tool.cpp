// Another CUPTI client was there first: passes say so, and timing goes on.
#include <cstdlib>
#include <string>

#include "profiling/cupti_api.hpp"
#include "study/exit_code.hpp"
#include "tests/catch.hpp"
#include "tests/device/rig.hpp"
#include "tests/program.hpp"

using namespace gvf;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// For the programs started while it lives.
class Environment {
 public:
  Environment(const char* name, const std::string& value) : name_(name) { setenv(name, value.c_str(), 1); }
  Environment(const Environment&) = delete;
  Environment& operator=(const Environment&) = delete;
  ~Environment() { unsetenv(name_); }

 private:
  const char* name_;
};

}  // namespace

TEST_CASE("another CUPTI client that was there first costs the passes, not the timing", "[device][cupti]") {
  const auto cupti = profiling::load_cupti();
  if (!cupti) GVF_SKIP(cupti.reason().text);
  const Environment library("GVF_CUPTI_LIBRARY", cupti->path);
  const Environment preload("LD_PRELOAD", built_program("libgvf_first_subscriber.so"));

  const ProgramEnd pass = run_built("gvf", {"attribute", "--pass", "api", "-p", "sum_abs", "-n", "1024"});
  CHECK(pass.exit_code == study::exit_machine_lacks);
  CHECK_THAT(pass.err, ContainsSubstring("cuptiSubscribe failed") && ContainsSubstring("holds CUPTI"));

  const ProgramEnd untraced = run_built(
      "gvf", {"attribute", "--pass", "untraced", "-p", "sum_abs", "-n", "1024", "--structure", "fused"});
  CHECK(untraced.exit_code == 0);
  const ProgramEnd bench = run_built(
      "gvf-bench",
      {"--gvf_n=1024", "--benchmark_filter=sum_abs/fused/stream/latency", "--benchmark_repetitions=1"});
  CHECK(bench.exit_code == 0);
}
