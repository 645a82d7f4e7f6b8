// gvf record on a GPU: the sample's calls, works and ranges are all there, at both granularities.
#include <nlohmann/json.hpp>

#include "tests/catch.hpp"
#include "tests/program.hpp"

using namespace gvf::tests;

namespace {

nlohmann::json attribute_sample(const fs::path& folder, std::vector<std::string> options) {
  const std::string file = (folder / "sample.gvft").string();
  std::vector<std::string> arguments{"record", "--output", file};
  arguments.insert(arguments.end(), options.begin(), options.end());
  arguments.insert(arguments.end(), {"--", built_program("gvf_record_sample").string()});
  const ProgramEnd recorded = run_built("gvf", arguments);
  INFO(recorded.err);
  REQUIRE(recorded.exit_code == 0);
  const ProgramEnd attributed = run_built("gvf", {"attribute", "--json", file});
  INFO(attributed.err);
  REQUIRE(attributed.exit_code == 0);
  return nlohmann::json::parse(attributed.out)["processes"][0];
}

nlohmann::json range(const nlohmann::json& process, const std::string& name) {
  for (const auto& range : process["ranges"])
    if (range["name"] == name) return range;
  FAIL("no range " << name);
  return {};
}

}  // namespace

TEST_CASE("a program of two streams and a graph is recorded whole", "[device][record]") {
  for (const bool nodes : {false, true}) {
    const ScratchFolder folder;
    const auto process = attribute_sample(
        folder.path(), nodes ? std::vector<std::string>{"--graph-nodes"} : std::vector<std::string>{});
    INFO(process.dump(1));
    CHECK(process["ended"] == true);
    for (const auto& [kind, count] : process["lost"].items()) {
      INFO(kind);
      CHECK(count == 0);
    }
    const auto streams = range(process, "two streams");
    CHECK(streams["instances"] == 10);
    CHECK(streams["calls"] == 20);
    CHECK(streams["kernels"] == 20);
    CHECK(streams["waits"] == 20);
    CHECK(streams["not_waited"] == 0);
    CHECK(streams["total"]["busy_us"] > 0);
    const auto graph = range(process, "graph");
    CHECK(graph["graph_launches"] == 10);
    CHECK(graph["kernels"] == (nodes ? 80 : 0));
    CHECK(graph["graph_records"] == (nodes ? 0 : 10));
    CHECK(range(process, "copy")["copies"] == 10);
    CHECK(range(process, "sample")["kernels"] == (nodes ? 100 : 20));
    CHECK(process["graph_launches"][0]["instances"] == 10);
  }
}
