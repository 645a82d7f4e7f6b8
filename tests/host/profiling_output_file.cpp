// Which file a recorded process writes.
#include "profiling/inject/output_file.hpp"

#include <unistd.h>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::profiling;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("each process gets a file of its own and overwrites none", "[profiling][record]") {
  const ScratchFolder folder;
  const auto create = [](const fs::path& target, int pid) {
    const auto file = create_output(target.string(), "app", pid);
    REQUIRE(file.ok());
    close(file->descriptor);
    return fs::path(file->path).filename().string();
  };
  CHECK(create(folder.path(), 7) == "app-7.gvft");
  CHECK(create(folder.path(), 8) == "app-8.gvft");
  CHECK(create(folder.path(), 7) == "app-7-2.gvft");
  CHECK(create(folder.path() / "run.gvft", 7) == "run.gvft");
  CHECK(create(folder.path() / "run.gvft", 8) == "run-8.gvft");
  CHECK_THAT(create_output((folder.path() / "no" / "run.gvft").string(), "app", 7).reason().text,
             ContainsSubstring("run.gvft cannot be created (No such file"));
}
