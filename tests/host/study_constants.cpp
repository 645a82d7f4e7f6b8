// Launch constants from the references of a round of passes, worked by hand.
#include "study/measure/constants.hpp"

#include "study/measure/machine.hpp"
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
  const auto figures = empty_kernel_figures(example(), problem, find_submission("stream"));
  REQUIRE(figures.ok());
  CHECK(figures->wall_us == Approx(7));
  CHECK(figures->call_us == Approx(3));
  CHECK(figures->traced_call_us == Approx(3.2));
  // The traced parts are 5 + 1 + 2 = 8 of an untraced 7: kernel tracing adds 1, which comes off both
  // latencies. A call's 3.2 us are 0.2 more than untraced.
  const auto stream = constants_of(example(), problem, find_submission("stream"));
  REQUIRE(stream.ok());
  CHECK(stream->trace_cost_ns == 1000);
  CHECK(stream->launch_to_start_ns == 4000);
  CHECK(stream->busy_launch_to_start_ns == 3500);
  CHECK(stream->completion_ns == 2000);
  CHECK(stream->empty_kernel_ns == 1000);
  CHECK(stream->gap_ns == 900);
  CHECK(stream->api_trace_cost_ns == 200);
  CHECK(stream->span_cost_ns == 1200);
  // A graph's traced parts are 6 + 1.5 + 2 = 9.5 of an untraced 8.5; its events read 2.5.
  const auto graph = constants_of(example(), problem, find_submission("graph"));
  REQUIRE(graph.ok());
  CHECK(graph->trace_cost_ns == 1000);
  CHECK(graph->launch_to_start_ns == 5000);
  CHECK(graph->completion_ns == 2000);
  CHECK(graph->span_cost_ns == 1000);
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
    const SubmissionKind& submission = find_submission(missing.submission);
    Passes passes = example();
    PassFile& pass = passes.*missing.pass;
    CAPTURE(pass.mode, name);
    pass.references[problem][name] = {};
    const auto empty = constants_of(passes, problem, submission);
    REQUIRE_FALSE(empty.ok());
    CHECK_THAT(empty.reason().text, ContainsSubstring(pass.mode + " pass's reference " + name));
    // The other submission does not need it.
    CHECK(constants_of(passes, problem, find_submission(submission.as_graph ? "stream" : "graph")).ok());

    pass.references[problem][name].reason = "3 records were dropped";
    const auto dropped = constants_of(passes, problem, submission);
    REQUIRE_FALSE(dropped.ok());
    CHECK_THAT(dropped.reason().text, ContainsSubstring(name) && ContainsSubstring("3 records were dropped"));

    pass.references.erase(problem);
    CHECK_FALSE(constants_of(passes, problem, submission).ok());
  }
  Passes passes = example();
  passes.kernel.edges.clear();
  const auto without = constants_of(passes, problem, find_submission("stream"));
  REQUIRE_FALSE(without.ok());
  CHECK_THAT(without.reason().text, ContainsSubstring("no edges between kernels beside n:1"));
}

TEST_CASE("constants: a gate that does not work here is the reason", "[study][constants]") {
  Passes passes = example();
  PassRow& graph = passes.untraced.references[problem][reference_name("graph", 1)];
  graph.span_us.clear();
  graph.no_span = "the gate timed out";
  const auto none = constants_of(passes, problem, find_submission("graph"));
  REQUIRE_FALSE(none.ok());
  CHECK_THAT(none.reason().text, ContainsSubstring("no span of an empty kernel: the gate timed out"));
}

TEST_CASE("constants: a submission that joins the catalog needs its references and nothing else",
          "[study][constants]") {
  SubmissionKind other = find_submission("graph");
  other.name = "graph_of_another_kind";
  Passes passes = example();
  CHECK_FALSE(constants_of(passes, problem, other).ok());
  passes.untraced.references[problem][reference_name(other.name, 1)].wall_us = {11};
  passes.untraced.references[problem][reference_name(other.name, 1)].span_us = {4};
  PassRow& traced = passes.graph.references[problem][reference_name(other.name, 1)];
  traced = passes.graph.references[problem][reference_name("graph", 1)];
  const auto constants = constants_of(passes, problem, other);
  REQUIRE(constants.ok());
  CHECK(constants->span_cost_ns == 2500);  // 4 - 1.5
  CHECK(constants->trace_cost_ns == 0);    // 9.5 of an untraced 11
}

TEST_CASE("machine: the clocks need the untraced pass alone", "[study][constants]") {
  Passes passes;
  passes.untraced.mode = "untraced";  // no CUPTI: none of the traced ones
  nlohmann::ordered_json machine;
  add_passes(passes, {{"event_pair_us", 1.5}}, machine);
  CHECK(machine.dump() == R"({"clocks":{"event_pair_us":1.5}})");
  machine = nlohmann::ordered_json::object();
  add_passes({}, nullptr, machine);
  CHECK(machine.empty());
}
