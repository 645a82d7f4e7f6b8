// Launch constants from the references of a round of passes, worked by hand.
#include "study/measure/constants.hpp"

#include "study/measure/references.hpp"
#include "tests/catch.hpp"
#include "tests/host/study_references.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

const std::string problem = "n:1";

Passes example() {
  Passes passes = named_passes();
  add_references(passes, problem);
  return passes;
}

}  // namespace

TEST_CASE("constants: one problem, by hand", "[study][constants]") {
  const auto figures = empty_kernel_figures(example(), problem);
  REQUIRE(figures.ok());
  CHECK(figures->wall_us == Approx(7));
  CHECK(figures->graph_wall_us == Approx(8.5));
  CHECK(figures->call_us == Approx(3));
  CHECK(figures->traced_call_us == Approx(3.2));
  CHECK(figures->graph_span_us == Approx(2.5));
  CHECK(figures->traced_graph.duration_ns == 1500);
  // The traced parts are 5 + 1 + 2 = 8 of an untraced 7: kernel tracing adds 1, which comes off both
  // latencies. A graph's traced wall of 9.5 is 1 more than untraced, a call's 3.2 us are 0.2 more.
  const auto constants = constants_of(example(), problem);
  REQUIRE(constants.ok());
  CHECK(constants->kernel_trace_cost_ns == 1000);
  CHECK(constants->launch_to_start_ns == 4000);
  CHECK(constants->busy_launch_to_start_ns == 3500);
  CHECK(constants->completion_ns == 2000);
  CHECK(constants->empty_kernel_ns == 1000);
  CHECK(constants->stream_gap_ns == 900);
  CHECK(constants->graph_trace_cost_ns == 1000);
  CHECK(constants->graph_launch_to_start_ns == 5000);
  CHECK(constants->graph_completion_ns == 2000);
  CHECK(constants->stream_span_cost_ns == 1200);
  CHECK(constants->graph_span_cost_ns == 1000);
  CHECK(constants->api_trace_cost_ns == 200);
}

TEST_CASE("constants: each reference that is missing is named, with its pass", "[study][constants]") {
  struct Case {
    PassFile Passes::*pass;
    const char* submission;
    int kernels;
  };
  for (const Case& missing :
       {Case{&Passes::untraced, "stream", 1}, Case{&Passes::untraced, "graph", 1},
        Case{&Passes::untraced, "stream", train_kernels}, Case{&Passes::api, "stream", train_kernels},
        Case{&Passes::kernel, "stream", 1}, Case{&Passes::graph, "graph", 1}}) {
    const std::string name = reference_name(missing.submission, missing.kernels);
    Passes passes = example();
    PassFile& pass = passes.*missing.pass;
    CAPTURE(pass.mode, name);
    pass.references[problem][name] = {};
    const auto empty = constants_of(passes, problem);
    REQUIRE_FALSE(empty.ok());
    CHECK_THAT(empty.reason().text, ContainsSubstring(pass.mode + " pass's reference " + name));

    pass.references[problem][name].reason = "3 records were dropped";
    const auto dropped = constants_of(passes, problem);
    REQUIRE_FALSE(dropped.ok());
    CHECK_THAT(dropped.reason().text, ContainsSubstring(name) && ContainsSubstring("3 records were dropped"));

    pass.references.erase(problem);
    CHECK_FALSE(constants_of(passes, problem).ok());
  }
  Passes passes = example();
  passes.kernel.edges.clear();
  const auto without = constants_of(passes, problem);
  REQUIRE_FALSE(without.ok());
  CHECK_THAT(without.reason().text, ContainsSubstring("no edges between kernels beside n:1"));
}

TEST_CASE("constants: a gate that does not work here is the reason", "[study][constants]") {
  Passes passes = example();
  PassRow& graph = passes.untraced.references[problem][reference_name("graph", 1)];
  graph.span_us.clear();
  graph.no_span = "the gate timed out";
  const auto none = constants_of(passes, problem);
  REQUIRE_FALSE(none.ok());
  CHECK_THAT(none.reason().text, ContainsSubstring("no span of an empty kernel: the gate timed out"));
}
