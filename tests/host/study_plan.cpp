// The plan, its pace, resuming, and what a failing unit costs; with a fake in place of processes, except
// where a process is what is tested.
#include "study/recordings/study_plan.hpp"

#include <signal.h>

#include <algorithm>
#include <set>

#include "study/io/json_file.hpp"
#include "study/io/subprocess.hpp"
#include "study/recordings/study_output.hpp"
#include "study/recordings/study_run.hpp"
#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

std::vector<Unit> plan_of(const fs::path& output, bool quick = false) {
  return study_plan({quick, {"sum_abs", "chain"}, output, "/bin/gvf", "/bin/gvf-bench"});
}

const Unit& unit_of(const std::vector<Unit>& plan, const std::string& name) {
  const auto found =
      std::find_if(plan.begin(), plan.end(), [&](const Unit& unit) { return unit.name() == name; });
  REQUIRE(found != plan.end());
  return *found;
}

// Ends units as it is told; remembers what ran.
struct FakeRunner {
  std::map<std::string, UnitEnd> ends;
  std::set<std::string> finished;
  std::set<std::string> unreadable;
  std::vector<std::string> ran, kept, discarded, lines;

  RunHooks hooks() {
    RunHooks hooks;
    hooks.run = [this](const Unit& unit) {
      ran.push_back(unit.name());
      const auto found = ends.find(unit.name());
      return found == ends.end() ? UnitEnd{0, false, 1, ""} : found->second;
    };
    hooks.finished = [this](const Unit& unit) { return finished.count(unit.name()) > 0; };
    hooks.keep = [this](const Unit& unit) {
      kept.push_back(unit.name());
      return unreadable.count(unit.name()) == 0;
    };
    hooks.discard = [this](const Unit& unit) { discarded.push_back(unit.name()); };
    hooks.progress = [this](const std::string& line) { lines.push_back(line); };
    return hooks;
  }
};

const std::vector<std::string> all_units{"check",
                                         "machine",
                                         "bench sum_abs",
                                         "bench sum_abs from device",
                                         "attribution sum_abs",
                                         "bench chain",
                                         "bench chain from device",
                                         "attribution chain",
                                         "steps",
                                         "lifecycle"};

}  // namespace

TEST_CASE("one process and one file a unit", "[study][plan]") {
  const auto plan = plan_of("out");
  std::vector<std::string> names;
  std::set<fs::path> files;
  for (const Unit& unit : plan) {
    names.push_back(unit.name());
    files.insert(unit.file);
    CHECK(unit.seconds > 0);
  }
  CHECK(names == all_units);
  CHECK(files.size() == plan.size());
  CHECK(unit_of(plan, "check").command == std::vector<std::string>{"/bin/gvf", "check", "--output",
                                                                   "out/check.json.part", "--pipeline",
                                                                   "sum_abs", "--pipeline", "chain"});
  CHECK(unit_of(plan, "machine").command ==
        std::vector<std::string>{"/bin/gvf", "calibrate", "--output", "out/machine.json.part"});
  CHECK(unit_of(plan, "bench chain").command ==
        std::vector<std::string>{"/bin/gvf-bench", "--benchmark_filter=^chain/",
                                 "--benchmark_out=out/bench/chain.json.part", "--benchmark_out_format=json",
                                 "--gvf_launched_from=host"});
  CHECK(unit_of(plan, "bench chain from device").file == "out/bench/chain.from_device.json");
  CHECK(unit_of(plan, "bench chain from device").command.back() == "--gvf_launched_from=device");
  CHECK(unit_of(plan, "attribution chain").command ==
        std::vector<std::string>{"/bin/gvf", "attribute", "--pipeline", "chain", "--output",
                                 "out/attribution/chain.json.part", "--timeline-dir", "out/timeline"});
  for (const std::string name : {"steps", "lifecycle"})
    CHECK(unit_of(plan, name).command ==
          std::vector<std::string>{"/bin/gvf", name, "--output", "out/" + name + ".json.part"});
  const auto quick = plan_of("out", true);
  CHECK(unit_of(quick, "bench chain").command.back() == "--gvf_quick");
  for (const char* name : {"check", "attribution chain", "steps", "lifecycle"})
    CHECK(unit_of(quick, name).command.back() == "--quick");
  CHECK(unit_of(quick, "bench chain").seconds < unit_of(plan, "bench chain").seconds);
}

TEST_CASE("the pace of finished units corrects what is left", "[study][plan]") {
  Pace pace;
  CHECK(pace.remaining(100) == 100);
  Unit unit;
  unit.seconds = 10;
  pace.add(unit, 20);
  CHECK(pace.remaining(100) == Approx(200));
  CHECK(pace.remaining(100, 50, 30) == Approx(200 + 70));
  CHECK(pace.remaining(100, 10, 30) == Approx(200));
  CHECK(duration_text(44.6) == "45 s");
  CHECK(duration_text(720) == "12 min");
  CHECK(duration_text(3900) == "1 h 05 min");
  CHECK(duration_text(-3) == "0 s");
}

TEST_CASE("a clean study runs every unit once, in order", "[study][plan]") {
  FakeRunner fake;
  const StudyReport report = run_study(plan_of("out"), false, fake.hooks());
  CHECK(fake.ran == all_units);
  CHECK(fake.kept == all_units);
  CHECK(report.labels.empty());
  CHECK_FALSE(report.something_failed);
  CHECK_FALSE(report.interrupted);
  CHECK_THAT(fake.lines.front(), ContainsSubstring("[1/10] check: started, about"));
}

TEST_CASE("resume keeps what is finished, without it everything runs", "[study][plan]") {
  FakeRunner fake;
  fake.finished = {"check", "bench sum_abs"};
  const StudyReport report = run_study(plan_of("out"), true, fake.hooks());
  CHECK(fake.ran == std::vector<std::string>{"machine", "bench sum_abs from device", "attribution sum_abs",
                                             "bench chain", "bench chain from device", "attribution chain",
                                             "steps", "lifecycle"});
  CHECK(report.units[0].status == UnitStatus::kept);
  FakeRunner again;
  again.finished = fake.finished;
  static_cast<void>(run_study(plan_of("out"), false, again.hooks()));
  CHECK(again.ran == all_units);
}

TEST_CASE("what the machine lacks costs only what depends on it", "[study][plan]") {
  FakeRunner fake;
  fake.ends["machine"] = {3, false, 1, "CUPTI library not found"};
  const StudyReport report = run_study(plan_of("out"), false, fake.hooks());
  CHECK(fake.ran == all_units);
  CHECK(fake.discarded == std::vector<std::string>{"machine"});
  CHECK_FALSE(report.something_failed);
  REQUIRE(report.labels.size() == 1);
  CHECK(report.labels[0] == "machine: not possible on this machine: CUPTI library not found");

  FakeRunner no_cupti;
  no_cupti.ends["attribution sum_abs"] = {3, false, 1, "CUPTI library not found"};
  const StudyReport other = run_study(plan_of("out"), false, no_cupti.hooks());
  CHECK(no_cupti.ran == all_units);
  CHECK(other.labels.size() == 1);
}

TEST_CASE("a failed check, a broken unit and an unreadable file end with a failure, and the study goes on",
          "[study][plan]") {
  FakeRunner fake;
  fake.ends["check"] = {1, false, 1, "2 of 40 checks failed"};
  StudyReport report = run_study(plan_of("out"), false, fake.hooks());
  CHECK(fake.ran == all_units);
  CHECK(fake.kept.front() == "check");
  CHECK(report.something_failed);
  CHECK(report.labels == std::vector<std::string>{"check: 2 of 40 checks failed"});

  FakeRunner broken;
  broken.ends["bench chain"] = {139, false, 1, ""};
  report = run_study(plan_of("out"), false, broken.hooks());
  CHECK(broken.ran == all_units);
  CHECK(broken.discarded == std::vector<std::string>{"bench chain"});
  CHECK(report.something_failed);
  CHECK(report.labels ==
        std::vector<std::string>{"bench chain: failed with exit code 139: it gave no reason"});

  FakeRunner unreadable;
  unreadable.unreadable = {"machine"};
  report = run_study(plan_of("out"), false, unreadable.hooks());
  CHECK(report.something_failed);
  CHECK(report.labels.at(0) == "machine: left no file that loads");
}

TEST_CASE("an interrupt stops the study and discards the unit that ran", "[study][plan]") {
  FakeRunner fake;
  fake.ends["bench sum_abs"] = {130, true, 1, ""};
  const StudyReport report = run_study(plan_of("out"), false, fake.hooks());
  CHECK(report.interrupted);
  CHECK(fake.ran.back() == "bench sum_abs");
  CHECK(fake.discarded == std::vector<std::string>{"bench sum_abs"});
  CHECK(report.units.back().status == UnitStatus::not_reached);
}

TEST_CASE("finished means: the file is there and loads", "[study][plan]") {
  const RecordingCopy copy;
  const auto plan = plan_of(copy.path());
  for (const Unit& unit : plan) {
    CAPTURE(unit.name());
    CHECK(is_finished(unit));
    const std::string text = read_text(unit.file);
    write_text(unit.file, text.substr(0, text.size() / 2));
    CHECK_FALSE(is_finished(unit));
    fs::remove(unit.file);
    CHECK_FALSE(is_finished(unit));
  }
}

TEST_CASE("a study is resumed only on the same GPU, sources and depth", "[study][plan]") {
  const nlohmann::json one = {{"gpu", "A"}, {"sources_hash", "x"}, {"matrix", {{"quick", true}}}};
  CHECK(why_not_resumable(one, one).empty());
  nlohmann::json other = one;
  other["gpu"] = "B";
  CHECK(why_not_resumable(one, other) == "it was measured on A, this is B");
  other = one;
  other["sources_hash"] = "y";
  CHECK_THAT(why_not_resumable(one, other), ContainsSubstring("other device sources"));
  other = one;
  other["matrix"]["quick"] = false;
  CHECK_THAT(why_not_resumable(one, other), ContainsSubstring("quick study"));
}

TEST_CASE("processes: output goes to files, exit codes and signals come back", "[study][process]") {
  const ScratchFolder folder;
  ProcessOptions options;
  options.stdout_file = folder.path() / "out";
  options.stderr_file = folder.path() / "err";
  const ProcessEnd end = run_process({"sh", "-c", "echo result; echo 'gvf: reason' >&2; exit 3"}, options);
  CHECK(end.exit_code == 3);
  CHECK(end.signal == 0);
  CHECK(read_text(options.stdout_file) == "result\n");
  CHECK(read_text(options.stderr_file) == "gvf: reason\n");
  CHECK(run_process({"sh", "-c", "kill -9 $$"}).exit_code == 128 + SIGKILL);
  CHECK_THROWS_AS(static_cast<void>(run_process({"/no/such/program"})), MachineLacks);
}

TEST_CASE("processes: an interrupt reaches the child and its children", "[study][process]") {
  const InterruptGuard guard;
  CHECK(interrupted() == 0);
  ProcessOptions options;
  options.tick = [](double) { raise(SIGINT); };
  // The shell waits for a grandchild, which only a signal to the whole group ends.
  const ProcessEnd end = run_process({"sh", "-c", "sleep 60; true"}, options);
  CHECK(interrupted() == SIGINT);
  CHECK(end.seconds < 8);
  CHECK(end.exit_code == 128 + SIGINT);
}

TEST_CASE("processes: what ignores an interrupt is killed, unless it shares this process's group",
          "[study][process]") {
  const std::vector<std::string> stubborn{"sh", "-c", "trap '' TERM; kill -TERM $PPID; sleep 1; exit 5"};
  ProcessOptions options;
  options.grace_seconds = 0.1;
  for (const bool own_group : {true, false}) {
    const InterruptGuard guard;
    options.own_group = own_group;
    CHECK(run_process(stubborn, options).exit_code == (own_group ? 128 + SIGKILL : 5));
    CHECK(interrupted() == SIGTERM);
  }
}

TEST_CASE("process hooks: the part file becomes the file only when the process did well",
          "[study][process]") {
  const ScratchFolder folder;
  Unit unit;
  unit.kind = UnitKind::check;
  unit.file = folder.path() / "check.json";
  unit.command = {"sh", "-c", "echo '{\"rows\": []}' > " + part_file(unit).string()};
  unit.seconds = 1;
  std::vector<std::string> lines;
  const RunHooks hooks =
      process_hooks(folder.path(), [&](const std::string& line) { lines.push_back(line); });
  StudyReport report = run_study({unit}, false, hooks);
  CHECK(report.units.at(0).status == UnitStatus::done);
  CHECK(is_finished(unit));
  fs::remove(unit.file);

  unit.command.back() += "; echo 'gvf: size skipped: too large' >&2; echo 'gvf: size skipped: too large' >&2";
  report = run_study({unit}, false, hooks);
  CHECK(report.labels == std::vector<std::string>{"check: size skipped: too large"});
  fs::remove(unit.file);

  unit.command.back() += "; echo 'gvf: no GPU here' >&2; exit 3";
  report = run_study({unit}, false, hooks);
  CHECK(report.labels == std::vector<std::string>{"check: not possible on this machine: no GPU here"});
  CHECK_FALSE(fs::exists(unit.file));
  CHECK_FALSE(fs::exists(part_file(unit)));

  unit.command = {"/no/such/program"};
  report = run_study({unit}, false, hooks);
  CHECK(report.something_failed);
}

TEST_CASE("an output folder that cannot be written is refused", "[study][plan]") {
  const ScratchFolder folder;
  require_writable_folder(folder.path() / "new" / "deep");
  CHECK(fs::is_empty(folder.path() / "new" / "deep"));
  write_text(folder.path() / "file", "x");
  CHECK_THAT(bad_input([&] { require_writable_folder(folder.path() / "file" / "below"); }),
             ContainsSubstring("choose another with --output"));
}

TEST_CASE("a failed check stays a failure when its file is kept on resume", "[study][plan]") {
  FakeRunner fake;
  fake.finished = {"check"};
  RunHooks hooks = fake.hooks();
  hooks.recorded_failure = [](const Unit& unit) {
    return unit.kind == UnitKind::check ? std::string("2 of 40 checks failed") : std::string();
  };
  const StudyReport report = run_study(plan_of("out"), true, hooks);
  CHECK(report.something_failed);
  REQUIRE(report.labels.size() == 1);
  CHECK(report.labels[0] == "check: 2 of 40 checks failed");
}
