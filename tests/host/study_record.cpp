// gvf record and gvf attribute FILE as a user meets them, without a GPU: libgvf_inject.so in a program over a
// CUPTI that is a fake shared library.
#include "study/io/record_program.hpp"

#include <dlfcn.h>

#include <csignal>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "profiling/record/timeline_file.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using gvf::profiling::read_timeline;
using gvf::profiling::RecordedProcess;

namespace {

// Everything that record_program and the program inside change in the environment, gone afterwards.
class CleanEnvironment {
 public:
  CleanEnvironment() { clear(); }
  ~CleanEnvironment() { clear(); }

 private:
  static void clear() {
    for (const char* variable : {"CUDA_INJECTION64_PATH", "NVTX_INJECTION64_PATH", "GVF_RECORD_OUTPUT",
                                 "GVF_RECORD_GRAPH_NODES", "GVF_RECORD_FLUSH_MS", "GVF_CUPTI_LIBRARY"})
      unsetenv(variable);
  }
};

RecordPlan plan_for(const fs::path& output, const std::vector<std::string>& arguments) {
  RecordPlan plan;
  plan.command = {built_program("gvf_recorded_program").string()};
  plan.command.insert(plan.command.end(), arguments.begin(), arguments.end());
  plan.output = output;
  plan.library = built_program("libgvf_inject.so");
  plan.cupti = built_program("libgvf_fake_cupti.so").string();
  plan.flush_interval_ms = 20;
  return plan;
}

RecordEnd record(const fs::path& output, const std::vector<std::string>& arguments) {
  const CleanEnvironment clean;
  return record_program(plan_for(output, arguments));
}

RecordedProcess read(const fs::path& file) {
  auto process = read_timeline(file);
  if (!process) FAIL(process.reason().text);
  return *process;
}

}  // namespace

TEST_CASE("a recorded program leaves its timeline and its exit code", "[study][record]") {
  const ScratchFolder folder;
  const RecordEnd end = record(folder.path() / "new", {"nvtx", "launch", "3", "exit", "5"});
  CHECK(end.exit_code == 5);
  REQUIRE(end.written.size() == 1);
  const RecordedProcess process = read(end.written[0]);
  CHECK(process.has_end);
  CHECK(process.works.size() == 3);
  CHECK(process.calls.size() == 3);
  CHECK(process.ranges.size() == 3);
  CHECK(process.lost == gvf::profiling::LostRecords{});
  CHECK(fs::path(process.exe).filename() == "gvf_recorded_program");
  CHECK(process.command.back() == "5");
  CHECK(end.written[0].filename().string() ==
        "gvf_recorded_program-" + std::to_string(process.pid) + ".gvft");
}

TEST_CASE("what was recorded, as JSON", "[study][record]") {
  CHECK(to_json(RecordEnd{137, {"run1/a-1.gvft", "run1/b-2.gvft"}}).dump() ==
        R"({"exit_code":137,"timelines":["run1/a-1.gvft","run1/b-2.gvft"]})");
  CHECK(to_json(RecordEnd{}).dump() == R"({"exit_code":0,"timelines":[]})");
}

TEST_CASE("^C under gvf record is the program's: it gets one, and the time it needs", "[study][record]") {
  const ScratchFolder folder;
  const auto exit_code = [&](const std::string& script) {
    const CleanEnvironment clean;
    RecordPlan plan = plan_for(folder.path(), {});
    plan.command = {"sh", "-c", script};
    return record_program(plan).exit_code;
  };
  // The terminal sends one to each process of the group.
  CHECK(exit_code("trap 'n=$((n + 1))' INT; kill -INT $$; kill -INT $PPID; sleep 0.5; exit $n") == 1);
  // A service manager ends gvf alone, even after a ^C that the program went on from.
  CHECK(exit_code("trap 'exit 7' TERM; kill -TERM $PPID; sleep 0.5; exit 1") == 7);
  CHECK(exit_code("trap 'exit 7' TERM; kill -INT $PPID; sleep 0.3; kill -TERM $PPID; sleep 0.5; exit 1") ==
        7);
}

TEST_CASE("a program that is killed loses what came after the last flush", "[study][record]") {
  const ScratchFolder folder;
  // Fifty flush intervals for the first launches, none for the last one.
  const RecordEnd end =
      record(folder.path() / "run.gvft", {"launch", "2", "nap", "1000", "launch", "1", "kill"});
  CHECK(end.exit_code == 128 + SIGKILL);
  REQUIRE(end.written.size() == 1);
  const RecordedProcess process = read(end.written[0]);
  CHECK_FALSE(process.has_end);
  CHECK(process.works.size() >= 2);

  const ProgramEnd shown = run_built("gvf", {"attribute", end.written[0].string()});
  CHECK(shown.exit_code == 0);
  CHECK_THAT(shown.out, ContainsSubstring("did not end its recording"));
}

TEST_CASE("a forked child writes nothing, an exec'ed one a file of its own", "[study][record]") {
  const ScratchFolder folder;
  const RecordEnd forked = record(folder.path() / "fork.gvft", {"launch", "2", "fork", "launch", "1"});
  CHECK(forked.exit_code == 0);
  REQUIRE(forked.written.size() == 1);
  const RecordedProcess parent = read(forked.written[0]);
  CHECK(parent.has_end);
  CHECK(parent.works.size() == 3);
  for (const auto& work : parent.works) CHECK(work.correlation_id < 1000);

  const RecordEnd executed = record(folder.path() / "exec.gvft", {"launch", "2", "exec"});
  CHECK(executed.exit_code == 0);
  REQUIRE(executed.written.size() == 2);
  std::size_t works = 0;
  for (const fs::path& file : executed.written) works += read(file).works.size();
  CHECK(works == 3);

  // Both processes in one account.
  const ProgramEnd both =
      run_built("gvf", {"attribute", executed.written[0].string(), executed.written[1].string(), "--json"});
  CHECK(both.exit_code == 0);
  const auto json = nlohmann::json::parse(both.out);
  CHECK(json["processes"].size() == 2);
  CHECK(json["calibrated"] == false);
  CHECK(json["processes"][0]["ranges"][0]["name"] == "launches");
}

TEST_CASE("gvf attribute FILE adds up, and says what tracing cost where it is known", "[study][record]") {
  const ScratchFolder folder;
  const RecordEnd end = record(folder.path() / "run.gvft", {"launch", "1"});
  REQUIRE(end.written.size() == 1);
  const std::string file = end.written[0].string();
  const ProgramEnd plain = run_built("gvf", {"attribute", file});
  CHECK(plain.exit_code == 0);
  CHECK_THAT(plain.out, ContainsSubstring("not calibrated here") && ContainsSubstring("launches"));

  const std::string machine = std::string(GVF_SOURCE_DIR) + "/docs/recordings/h200/machine.json";
  const ProgramEnd calibrated = run_built("gvf", {"attribute", file, "--machine", machine, "--json"});
  CHECK(calibrated.exit_code == 0);
  const auto range = nlohmann::json::parse(calibrated.out)["processes"][0]["ranges"][0];
  const auto constants = nlohmann::json::parse(read_text(machine)).at("constants");
  CHECK(range["trace_cost_us"] ==
        Catch::Approx((constants.at("stream").at("api_trace_cost_ns").get<double>() +
                       constants.at("stream").at("trace_cost_ns").get<double>()) /
                      1e3));
  const auto said_of = [&](const std::string& timeline) {
    return run_built("gvf", {"attribute", timeline, "--machine", machine}).out;
  };
  CHECK_THAT(said_of(file), ContainsSubstring("tracing cost the process about 0.00"));
  const std::string nodes = (folder.path() / "nodes.gvft").string();
  write_text(nodes, R"({"gvf_timeline":1,"pid":7,"exe":"a","epoch_ns":0,"graphs":"nodes"})"
                    "\n[\"s\",0,\"f\"]\n[\"k\",1,2,3,0,1,7,0,5,6]\n");
  CHECK_THAT(said_of(nodes),
             ContainsSubstring("not calibrated for nodes") && !ContainsSubstring("tracing cost the process"));
  // The kernel starts 5 us after its call and runs for 4; nothing waits.
  CHECK(range["total"]["launch_latency_us"] == Catch::Approx(5));
  CHECK(range["total"]["busy_us"] == Catch::Approx(4));
  CHECK(range["total_wall_us"] == Catch::Approx(9));
  CHECK(range["not_waited"] == 1);
}

TEST_CASE("what goes wrong inside the program is one line, and the program runs on",
          "[study][record][degraded]") {
  const ScratchFolder folder;
  const auto run = [&](std::vector<std::string> environment) {
    std::vector<std::string> command{"env",
                                     "CUDA_INJECTION64_PATH=" + built_program("libgvf_inject.so").string(),
                                     "GVF_CUPTI_LIBRARY=" + built_program("libgvf_fake_cupti.so").string()};
    command.insert(command.end(), environment.begin(), environment.end());
    command.insert(command.end(), {built_program("gvf_recorded_program").string(), "exit", "5"});
    const ProgramEnd end = run_program(command);
    CHECK(end.exit_code == 5);
    CHECK(end.error_lines() == 1);
    CHECK(end.err.substr(0, 5) == "gvf: ");
    CHECK(fs::is_empty(folder.path()));
    return end.err;
  };
  const std::string output = "GVF_RECORD_OUTPUT=" + folder.path().string();
  CHECK_THAT(run({"GVF_RECORD_OUTPUT="}), ContainsSubstring("GVF_RECORD_OUTPUT is not set"));
  CHECK_THAT(run({"GVF_RECORD_OUTPUT=/nowhere/x.gvft"}),
             ContainsSubstring("/nowhere/x.gvft cannot be created"));
  CHECK_THAT(run({output, "FAKE_CUPTI_IS_TAKEN=1"}), ContainsSubstring("another tool"));
}

TEST_CASE("gvf record refuses what cannot be recorded, in one line", "[study][record][degraded]") {
  const auto refused = [](const std::vector<std::string>& arguments, int code, const std::string& text) {
    const ProgramEnd end = run_without_gpu("gvf", arguments);
    CHECK(end.exit_code == code);
    CHECK(end.error_lines() == 1);
    CHECK_THAT(end.err, ContainsSubstring(text));
  };
  refused({"record"}, exit_bad_input, "no program to record");
  refused({"record", "--"}, exit_bad_input, "no program to record");
  refused({"record", "--flush-interval", "1", "--", "true"}, exit_bad_input, "--flush-interval");
  refused({"record", "--", "true"}, exit_machine_lacks, "gvf: ");

  const ScratchFolder folder;
  write_text(folder.path() / "old.gvft", "mine");
  CHECK_THAT(bad_input([&] { (void)record(folder.path() / "old.gvft", {}); }),
             ContainsSubstring("old.gvft exists"));
  CHECK(read_text(folder.path() / "old.gvft") == "mine");
  CHECK_THAT(bad_input([&] { (void)record("/proc/nowhere", {}); }), ContainsSubstring("cannot be written"));
  CHECK_THROWS_AS(
      [&] {
        const CleanEnvironment clean;
        RecordPlan plan = plan_for(folder.path(), {});
        plan.command = {"/nowhere/app"};
        (void)record_program(plan);
      }(),
      MachineLacks);
  const CleanEnvironment clean;
  setenv("CUDA_INJECTION64_PATH", "/opt/tool.so", 1);
  CHECK_THAT(bad_input([&] { (void)record_program(plan_for(folder.path(), {})); }),
             ContainsSubstring("CUDA_INJECTION64_PATH is set to /opt/tool.so"));
}

TEST_CASE("gvf attribute FILE names what it cannot read", "[study][record][degraded]") {
  const ScratchFolder folder;
  const auto refused = [](const std::vector<std::string>& files, const std::string& text) {
    std::vector<std::string> arguments{"attribute"};
    arguments.insert(arguments.end(), files.begin(), files.end());
    const ProgramEnd end = run_built("gvf", arguments);
    CHECK(end.exit_code == exit_bad_input);
    CHECK(end.error_lines() == 1);
    CHECK_THAT(end.err, ContainsSubstring(text));
  };
  const std::string foreign = (folder.path() / "foreign.gvft").string();
  write_text(foreign, "{\"traceEvents\": []}\n");
  refused({"/nowhere.gvft"}, "/nowhere.gvft: cannot be read");
  refused({foreign}, foreign + ":1: this is no timeline of `gvf record`");
  const std::string good = (folder.path() / "good.gvft").string();
  write_text(good, R"({"gvf_timeline":1,"pid":7,"exe":"a","epoch_ns":0,"graphs":"nodes"})"
                   "\n");
  refused({good, "--machine", foreign}, foreign + ": has no 'constants'");
}

TEST_CASE("the library shows its three doors and nothing else", "[study][record]") {
  void* const library = dlopen(built_program("libgvf_inject.so").c_str(), RTLD_NOW | RTLD_LOCAL);
  REQUIRE(library);
  for (const char* door : {"InitializeInjection", "InitializeInjectionNvtx", "InitializeInjectionNvtx2"})
    CHECK(dlsym(library, door));
  // The C++ library inside it would otherwise meet the program's.
  const ProgramEnd symbols =
      run_program({"nm", "-D", "--defined-only", built_program("libgvf_inject.so").string()});
  CHECK(std::count(symbols.out.begin(), symbols.out.end(), '\n') == 3);
}
