// The programs as people call them, on a machine without a GPU: exit codes, and one clear line on stderr.
#include <vector>

#include "study/catalog.hpp"
#include "study/io/output.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

struct Refusal {
  std::vector<std::string> arguments;
  std::string says;
};

// Exit code `code`, nothing on stdout, one line on stderr that begins with the program and holds `says`.
void check_one_line(const ProgramEnd& end, int code, const std::string& says) {
  CAPTURE(end.out, end.err);
  CHECK(end.exit_code == code);
  CHECK(end.error_lines() == 1);
  CHECK(end.err.rfind("gvf: ", 0) == 0);
  CHECK_THAT(end.err, ContainsSubstring(says));
  CHECK(end.out.empty());
}

std::string joined(const std::vector<std::string>& words) {
  std::string text;
  for (const std::string& word : words) text += word + " ";
  return text;
}

}  // namespace

TEST_CASE("gvf: arguments that cannot be used exit 2, before a GPU is looked for", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf"))) GVF_SKIP("gvf is not built");
  const std::vector<Refusal> refusals{
      {{"check", "-n", "0"}, "--size 0: not a number of elements from 1 to 2^31"},
      {{"check", "--size=-5"}, "--size -5: not a number"},
      {{"check", "-n", "10^30"}, "--size 10^30: not a number"},
      {{"check", "-n", "2^40"}, "--size 2^40: not a number"},
      {{"check", "-n", "abc"}, "--size abc: not a number"},
      {{"check", "-p", "chain", "-k", "0"}, "--stages 0: chain takes a number of stages from 1 to 64"},
      {{"check", "-p", "chain", "-k", "65"}, "--stages 65: chain"},
      {{"check", "-p", "sum_squares"}, "unknown pipeline 'sum_squares'; there are: sum_abs"},
      {{"check", "--structure", "molten"}, "unknown structure 'molten'; there are: separate"},
      {{"check", "--submission", "pigeon"}, "unknown submission 'pigeon'; there are: stream"},
      {{"trace", "-n", "0"}, "--size 0"},
      {{"trace", "--structure", "molten"}, "unknown structure"},
      {{"trace", "-p", "sum_squares"}, "unknown pipeline"},
      {{"attribute", "-p", "sum_squares"}, "unknown pipeline"},
      {{"attribute", "-n", "0", "-p", "sum_abs"}, "--size 0"},
      {{"attribute", "--pass", "kernel"}, "--pass works on one pipeline"},
      {{"nope"}, "unknown command 'nope'"},
      {{"attribute", "--pass", "sideways", "-p", "sum_abs"},
       "unknown pass 'sideways'; there are: untraced, api"},
      {{"attribute", "--output", "x.json"}, "--output takes one file for one pipeline"},
      {{"study", "--pipeline", "sum_squares"}, "unknown pipeline"},
  };
  for (const Refusal& refusal : refusals) {
    CAPTURE(joined(refusal.arguments));
    check_one_line(run_without_gpu("gvf", refusal.arguments), 2, refusal.says);
  }
}

TEST_CASE("gvf: options that do not exist exit 2", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf"))) GVF_SKIP("gvf is not built");
  for (const std::vector<std::string>& arguments :
       std::vector<std::vector<std::string>>{{},
                                             {"dance"},
                                             {"check", "--loudly"},
                                             {"trace", "--iterations", "0"},
                                             {"trace", "--iterations", "x"},
                                             {"list", "extra"},
                                             {"check", "-n"}}) {
    CAPTURE(joined(arguments));
    const ProgramEnd end = run_without_gpu("gvf", arguments);
    CAPTURE(end.err);
    CHECK(end.exit_code == 2);
    CHECK_FALSE(end.err.empty());
    CHECK(end.out.empty());
  }
}

TEST_CASE("gvf: without a GPU, what needs one exits 3 and says what is missing", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf"))) GVF_SKIP("gvf is not built");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {"check"},
           {"check", "-n", "2^31"},
           {"check", "--quick", "--json"},
           {"check", "-p", "chain", "-k", "64"},
           {"trace"},
           {"trace", "-n", "2^31"},
           {"calibrate"},
           {"lifecycle"},
           {"lifecycle", "--quick", "--json"},
           {"attribute", "-p", "sum_abs"},
           {"attribute", "--pass", "untraced", "-p", "chain", "-n", "31", "-k", "3"}}) {
    CAPTURE(joined(arguments));
    check_one_line(run_without_gpu("gvf", arguments), 3, "no usable GPU: cudaError");
  }
}

TEST_CASE("gvf: help is on stdout and exits 0", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf"))) GVF_SKIP("gvf is not built");
  const ProgramEnd top = run_without_gpu("gvf", {"--help"});
  CHECK(top.exit_code == 0);
  CHECK(top.err.empty());
  for (const std::string command :
       {"list", "check", "trace", "calibrate", "lifecycle", "steps", "attribute", "study"}) {
    CHECK_THAT(top.out, ContainsSubstring("  " + command + " "));
    const ProgramEnd end = run_without_gpu("gvf", {command, "--help"});
    CAPTURE(command);
    CHECK(end.exit_code == 0);
    CHECK(end.err.empty());
    CHECK_THAT(end.out, ContainsSubstring("Usage: gvf " + command));
  }
  CHECK_THAT(top.out, ContainsSubstring("Exit codes: 0 done, 1 a check failed, 2 bad arguments"));
}

TEST_CASE("gvf: a folder that cannot be written is refused with its name", "[study][cli][program]") {
  const ScratchFolder folder;
  const fs::path file = folder.path() / "file";
  write_text(file, "x");
  const std::string inside = file / "below" / "out.json";  // below a file: no user may write there
  CHECK_THAT(bad_input([&] { write_file(inside, "text"); }),
             ContainsSubstring("cannot write " + inside + ": choose a folder that you may write to"));
  CHECK(read_text(file) == "x");
  write_file((folder.path() / "new" / "out.json").string(), "text");
  CHECK(read_text(folder.path() / "new" / "out.json") == "text");
  CHECK_FALSE(fs::exists(folder.path() / "new" / "out.json.part"));
}

TEST_CASE("gvf-bench: without a GPU exits 3 with one line", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf-bench"))) GVF_SKIP("gvf-bench is not built");
  for (const std::vector<std::string>& arguments : std::vector<std::vector<std::string>>{
           {}, {"--benchmark_list_tests"}, {"--gvf_quick"}, {"--gvf_n=2^31", "--gvf_k=3"}}) {
    CAPTURE(joined(arguments));
    const ProgramEnd end = run_without_gpu("gvf-bench", arguments);
    if (end.exit_code == 2 && end.err.find("only Release may be timed") != std::string::npos) return;
    check_one_line(end, 3, "no usable GPU");
  }
}

TEST_CASE("gvf-bench: an unknown flag exits 2", "[study][cli][program]") {
  if (!fs::exists(built_program("gvf-bench"))) GVF_SKIP("gvf-bench is not built");
  const ProgramEnd end = run_without_gpu("gvf-bench", {"--benchmark_nonsense"});
  CAPTURE(end.err);
  CHECK(end.exit_code == 2);
  CHECK_FALSE(end.err.empty());
}
