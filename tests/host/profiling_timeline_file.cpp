// Reading timelines: what is damaged or foreign is named with its line; a cut last line is no damage.
#include "profiling/record/timeline_file.hpp"

#include <sstream>

#include "tests/catch.hpp"

using namespace gvf::profiling;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string header =
    R"({"gvf_timeline":1,"pid":7,"exe":"/bin/app","epoch_ns":1000,"graphs":"launches"})"
    "\n";

Result<RecordedProcess> read(const std::string& text) {
  std::istringstream in(text);
  return read_timeline(in, "a.gvft");
}

std::string reason(const std::string& text) {
  const auto process = read(text);
  return process.ok() ? "" : process.reason().text;
}

}  // namespace

TEST_CASE("a file cut by a crash reads up to its last whole line", "[profiling][record]") {
  const std::string line = "[\"g\",10,5,1,0,1,7,3]\n";
  const auto process = read(header + line + line + "[\"g\",10,5,1,0,");
  REQUIRE(process.ok());
  CHECK(process->works.size() == 2);
  CHECK(process->works[0].at == Interval{1010, 1015});
  CHECK(process->has_cut_line);
  CHECK_FALSE(process->has_end);
  // Every cut of a file is read or refused, never worse.
  const std::string whole = header + "[\"s\",0,\"f\"]\n[\"k\",1,2,3,0,1,7,0,0,0]\n" + line;
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const auto part = read(whole.substr(0, size));
    CHECK(part.ok() == (size + 1 >= header.size()));
  }
}

TEST_CASE("foreign and damaged timelines are named by file and line", "[profiling][record]") {
  CHECK_THAT(reason(""), ContainsSubstring("a.gvft: the file is empty"));
  CHECK_THAT(reason("hello\n"), ContainsSubstring("a.gvft:1: this is no timeline of `gvf record`"));
  CHECK_THAT(reason("{\"traceEvents\":[]}\n"), ContainsSubstring("a.gvft:1: this is no timeline"));
  CHECK_THAT(reason("{\"gvf_timeline\":9}\n"),
             ContainsSubstring("a.gvft:1: timeline version 9, this gvf reads version 1"));
  CHECK_THAT(reason("{\"gvf_timeline\":1}\n"), ContainsSubstring("a.gvft:1: the header is damaged"));
  const auto second = [](const std::string& line) { return reason(header + line + "\n"); };
  CHECK_THAT(second("nonsense"), ContainsSubstring("a.gvft:2: this is no JSON"));
  CHECK_THAT(second("17"), ContainsSubstring("a.gvft:2: this is no record"));
  CHECK_THAT(second("[\"z\",1]"), ContainsSubstring("a.gvft:2: unknown kind of record 'z'"));
  CHECK_THAT(second("[\"g\",10,5,1,0,1,7]"), ContainsSubstring("a.gvft:2: a damaged record of kind 'g'"));
  CHECK_THAT(second("[\"g\",10,5,1,0,1,7,3,4]"), ContainsSubstring("a damaged record of kind 'g'"));
  CHECK_THAT(second("[\"g\",10,5,1,0,1,7,\"x\"]"), ContainsSubstring("a damaged record of kind 'g'"));
  CHECK_THAT(second("[\"g\",10,5,1,0,1,7,-3]"), ContainsSubstring("a damaged record of kind 'g'"));
  CHECK_THAT(second("[\"g\",10,5,4294967296,0,1,7,3]"), ContainsSubstring("a damaged record of kind 'g'"));
  CHECK_THAT(second("[\"a\",1,2,3,4,99,0]"),
             ContainsSubstring("a.gvft:2: a record has a name that no earlier line gives"));
  CHECK_THAT(second("{\"lost\":{\"dropped\":-1}}"), ContainsSubstring("a.gvft:2: damaged counts"));
  const std::string good = R"({"lost":{"dropped":0,"starved":0,"without_times":0,"reversed":0,)"
                           R"("zero_length":0,"broken_buffers":0})";
  CHECK(second(good + "}").empty());
  CHECK(second(good + ",\"end\":false}").empty());
  for (const char* end : {"1", "\"yes\"", "null", "[]"})
    CHECK_THAT(second(good + ",\"end\":" + end + "}"), ContainsSubstring("a.gvft:2: a damaged 'end'"));
  CHECK_THAT(second("{\"other\":1}"), ContainsSubstring("a.gvft:2: this is no record"));
  CHECK_THAT(read_timeline(std::filesystem::path("/nowhere/x.gvft")).reason().text,
             ContainsSubstring("/nowhere/x.gvft: cannot be read (No such file"));
  CHECK_THAT(read_timeline(std::filesystem::path("/")).reason().text, ContainsSubstring("is a folder"));
}

TEST_CASE("the last counts are the ones that hold", "[profiling][record]") {
  const auto counts = [](int dropped) {
    return R"({"lost":{"dropped":)" + std::to_string(dropped) +
           R"(,"starved":0,"without_times":0,"reversed":0,"zero_length":0,"broken_buffers":0})";
  };
  const auto process = read(header + counts(2) + "}\n" + counts(5) + ",\"end\":true}\n");
  REQUIRE(process.ok());
  CHECK(process->lost.dropped == 5);
  CHECK(process->has_end);
}

TEST_CASE("ranges that end before they begin are counted beside what the process counted",
          "[profiling][record]") {
  const std::string counts = R"({"lost":{"dropped":0,"starved":0,"without_times":0,"reversed":3,)"
                             R"("zero_length":0,"broken_buffers":0},"end":true})"
                             "\n";
  const std::string names = "[\"s\",0,\"step\"]\n[\"s\",1,\"\"]\n";
  const std::string reversed = "[\"b\",20,1,5,0,1]\n[\"e\",10,1,5]\n";
  const std::string range = "[\"b\",20,2,5,0,1]\n[\"e\",30,2,5]\n";
  for (const std::string& text : {names + reversed + range + counts, counts + names + range + reversed}) {
    const auto process = read(header + text);
    REQUIRE(process.ok());
    CHECK(process->lost.reversed == 4);
    CHECK(process->ranges.size() == 1);
  }
}
