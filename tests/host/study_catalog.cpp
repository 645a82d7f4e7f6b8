// The catalog: what it holds, the names that it gives, and that one line is all that a pipeline adds.
#include "study/catalog.hpp"

#include <nlohmann/json.hpp>
#include <regex>
#include <set>

#include "study/measure/gate.hpp"
#include "study/measure/matrix.hpp"
#include "tests/catch.hpp"
#include "tests/program.hpp"
#include "tests/recording_launcher.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

// A pipeline that this build does not know: what a contributor writes, at its smallest.
struct Toy {
  static constexpr std::string_view name = "toy";
  static constexpr std::string_view summary = "nothing, in one kernel";
  static constexpr bool has_k = false;
  static constexpr int default_k = 1;
  static constexpr int max_k = 1;
  static constexpr std::int64_t max_n = 1 << 20;

  struct OneKernel final : Program {
    explicit OneKernel(Workload&, int) {}
    static void kernel(int) {}
    void enqueue(Launcher& launcher) override { launcher.launch(kernel, LaunchConfig{}, 1); }
  };
  struct NoBuffers final : Workload {
    explicit NoBuffers(const Problem& problem, const Device& device) : problem_(problem), device_(device) {}
    void fill(InputKind kind, std::uint64_t) override { fills.push_back(kind); }
    void poison() override {}
    Verdict verify(int) override { return {true, 0, 0, {}}; }
    std::uint64_t output_fingerprint() override { return 0; }
    const Problem& problem() const noexcept override { return problem_; }
    const Device& device() const noexcept override { return device_; }
    std::vector<InputKind> fills;

   private:
    Problem problem_;
    Device device_;
  };

  static Implementations baseline() { return {{Structure::separate, make_program<OneKernel>}}; }
  static Implementations fused() { return {{Structure::fused, make_program<OneKernel>}}; }
  static std::unique_ptr<Workload> make_workload(const Problem& problem, const Device& device, Backing) {
    return std::make_unique<NoBuffers>(problem, device);
  }
  static std::int64_t device_bytes(const Problem& problem) { return 4 * problem.n; }
  static std::int64_t bytes_min(const Problem& problem) { return 4 * problem.n; }
  static ByteModel byte_model(Structure, const Problem& problem) {
    return {{KernelTraffic{"toy", 1, 4 * problem.n, 0, 0}, {}}, 1};
  }
  static int slices(Structure, const Problem&, const Device&) { return 1; }
  static double waves_per_slice(const Problem&, int, const Device&) { return 1; }
};

}  // namespace

TEST_CASE("catalog: names are unique and every structure is there, or says why not", "[study][catalog]") {
  REQUIRE_FALSE(catalog().empty());
  std::set<std::string_view> names;
  for (const Pipeline& pipeline : catalog()) {
    CAPTURE(pipeline.name);
    CHECK(names.insert(pipeline.name).second);
    CHECK_FALSE(pipeline.summary.empty());
    CHECK(std::regex_match(std::string(pipeline.name), std::regex("[a-z0-9_]+")));
    CHECK(pipeline.max_n >= 1);
    CHECK((1 <= pipeline.default_k && pipeline.default_k <= pipeline.max_k));
    std::set<Structure> structures;
    for (const Implementation& implementation : pipeline.implementations) {
      CHECK(structures.insert(implementation.structure).second);
      CHECK(pipeline.find(implementation.structure) == &implementation);
      CHECK(implementation.make);
      CHECK(implementation.not_applicable);
    }
    CHECK(structures == std::set<Structure>(all_structures.begin(), all_structures.end()));
  }
}

TEST_CASE("catalog: submissions are unique, and stream and graph are among them", "[study][catalog]") {
  std::set<std::string_view> names;
  std::set<std::uint32_t> colours;
  for (const SubmissionKind& kind : submissions()) {
    CAPTURE(kind.name);
    CHECK(names.insert(kind.name).second);
    CHECK(colours.insert(kind.colour_argb).second);
    CHECK(kind.colour_argb >> 24 == 0xff);  // opaque
    CHECK_FALSE(kind.summary.empty());
    CHECK(kind.make);
    CHECK(kind.as_graph == (kind.name.substr(0, 5) == "graph"));
    CHECK(&find_submission(kind.name) == &kind);
  }
  CHECK(names.count("stream") == 1);
  CHECK(names.count("graph") == 1);
}

TEST_CASE("catalog: names of variants, rows and ranges", "[study][catalog]") {
  const Pipeline& sum = find_pipeline("sum_abs");
  const Pipeline& chain = find_pipeline("chain");
  CHECK(variant_name(sum, Structure::fused, "graph", {1024, 2, 0}) == "sum_abs/fused/graph/n:1024");
  CHECK(variant_name(chain, Structure::fused, "graph", {1024, 16, 0}) == "chain/fused/graph/n:1024/k:16");
  CHECK(variant_name(sum, Structure::sliced, "stream", {1024, 2, 8}) == "sum_abs/sliced/stream/n:1024/s:8");
  CHECK(variant_name(chain, Structure::sliced, "stream", {1024, 16, 8}) ==
        "chain/sliced/stream/n:1024/k:16/s:8");
  CHECK(row_name(sum, Structure::separate, "stream", "latency", {268435456, 2, 0}) ==
        "sum_abs/separate/stream/latency/n:268435456");
  CHECK(row_name(chain, Structure::fused, "graph_while", "latency", {1024, 3, 0, 8}) ==
        "chain/fused/graph_while/latency/n:1024/k:3/r:8");
  CHECK(row_name(chain, Structure::persistent, "graph", "throughput", {1, 3, 0}) ==
        "chain/persistent/graph/throughput/n:1/k:3");
  CHECK(range_name(chain, Structure::blocked, "stream") == "chain.blocked.stream");
}

TEST_CASE("catalog: a name that is not there is answered with what is", "[study][catalog]") {
  const std::string pipeline = bad_input([] { static_cast<void>(find_pipeline("sum")); });
  CHECK_THAT(pipeline, ContainsSubstring("unknown pipeline 'sum'; there are: "));
  for (const Pipeline& known : catalog()) CHECK_THAT(pipeline, ContainsSubstring(std::string(known.name)));
  const std::string submission = bad_input([] { static_cast<void>(find_submission("Graph")); });
  CHECK_THAT(submission, ContainsSubstring("unknown submission 'Graph'; there are: "));
  for (const SubmissionKind& known : submissions()) {
    CHECK_THAT(submission, ContainsSubstring(std::string(known.name)));
  }
}

TEST_CASE("catalog: one line makes a pipeline that everything downstream takes", "[study][catalog]") {
  const Pipeline toy = catalog_entry<Toy>();
  CHECK(toy.name == "toy");
  CHECK(toy.implementations.size() == 2);
  CHECK(toy.find(Structure::blocked) == nullptr);
  const Device device = described_device();
  const Problem problem{100, 1, 0};
  CHECK(resolve(toy, Structure::fused, problem, device).slices == 1);
  CHECK(variant_name(toy, Structure::fused, "stream", problem) == "toy/fused/stream/n:100");
  CHECK(toy.bytes_min(problem) == 400);
  for (const Depth depth : {Depth::quick, Depth::full}) CHECK_FALSE(bench_problems(toy, depth).empty());
  CHECK_FALSE(attribution_problems(toy, Depth::quick).empty());
  CHECK(slice_sweep(toy, problem, device) == std::vector<int>{1});
  const auto workload = toy.make_workload(problem, device, Backing::none);
  RecordingLauncher launcher;
  toy.find(Structure::fused)->make(*workload, 1)->enqueue(launcher);
  CHECK(launcher.launches() == 1);
}

TEST_CASE("catalog: no other file of the study knows a pipeline", "[study][catalog]") {
  for (const Pipeline& pipeline : catalog()) {
    const std::string name(pipeline.name);
    for (const char* folder : {"baseline/", "fused/"}) {
      CHECK(fs::exists(fs::path(GVF_SOURCE_DIR) / folder / (name + ".cu")));
    }
    std::vector<std::string> includers;
    for (const char* folder : {"core", "graphs", "profiling", "study"}) {
      for (const auto& entry : fs::directory_iterator(fs::path(GVF_SOURCE_DIR) / folder)) {
        if (!entry.is_regular_file()) continue;
        if (read_text(entry.path()).find("pipelines/" + name + ".hpp") != std::string::npos) {
          includers.push_back(entry.path().filename());
        }
      }
    }
    CHECK(includers == std::vector<std::string>{"catalog.cpp"});
  }
}

TEST_CASE("catalog: gvf list prints it", "[study][catalog][program]") {
  if (!fs::exists(built_program("gvf"))) GVF_SKIP("gvf is not built");
  const ProgramEnd end = run_built("gvf", {"list", "--json"});
  CHECK(end.exit_code == 0);
  CHECK(end.err.empty());
  const auto json = nlohmann::json::parse(end.out);
  std::vector<std::string> names;
  for (const auto& entry : json.at("pipelines")) {
    names.push_back(entry.at("name"));
    CHECK(entry.at("structures").size() == find_pipeline(names.back()).implementations.size());
  }
  std::vector<std::string> wanted;
  for (const Pipeline& pipeline : catalog()) wanted.emplace_back(pipeline.name);
  CHECK(names == wanted);
  CHECK(json.at("submissions").size() == submissions().size());
  const ProgramEnd text = run_built("gvf", {"list"});
  CHECK(text.exit_code == 0);
  for (const std::string& name : wanted) CHECK_THAT(text.out, ContainsSubstring("  " + name + " "));
}

TEST_CASE("gate: fills integers, then reals, and has a word for each verdict", "[study][gate]") {
  Toy::NoBuffers workload({1, 1, 0}, described_device());
  CHECK(run_gate(workload, {}).empty());
  CHECK(workload.fills == std::vector<InputKind>{InputKind::integers, InputKind::reals});
  CHECK(to_string(GateStatus::passed) == "pass");
  CHECK(to_string(GateStatus::failed) == "FAIL");
  CHECK(to_string(GateStatus::not_applicable) == "not applicable");
}
