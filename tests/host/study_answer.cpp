// The generated sentences: launch-bound, memory-bound, mixed, neither, and what they say when something is
// missing.
#include "study/recordings/answer.hpp"

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

namespace {

Evidence evidence(double separate_stream, double separate_graph, double fused_stream, double fused_graph,
                  double blocked_graph, double launches, double trips) {
  Evidence e;
  e.separate_stream = separate_stream;
  e.separate_graph = separate_graph;
  e.fused_stream = fused_stream;
  e.fused_graph = fused_graph;
  e.blocked_graph = blocked_graph;
  e.launches_us = launches;
  e.round_trips_us = trips;
  return e;
}

}  // namespace

TEST_CASE("launch-bound: 32 kernels of nothing", "[study][answer]") {
  const Evidence e = evidence(122, 44, 14, 13, 44, 90, 5);
  CHECK(payer_of(e) == Payer::launches);
  CHECK(remedy_of(e) == Remedy::fusion);
  CHECK(
      size_sentence(e) ==
      "pays for launches: a wall of 122.0 µs is launches 90.0 µs (74 %), round trips and ramps 5.0 µs (4 %), "
      "fused/graph 13.0 µs (11 %). Fusion takes more "
      "of it away (graph -78.0 µs, fusion -108.0 µs, both -109.0 µs). A graph made blocking as good as "
      "fusion: no, "
      "44.0 vs 13.0 µs.");
}

TEST_CASE("memory-bound: a graph changes nothing", "[study][answer]") {
  const Evidence e = evidence(774, 769, 240, 239, 699, 8, 530);
  CHECK(payer_of(e) == Payer::round_trips);
  CHECK(remedy_of(e) == Remedy::fusion);
  CHECK(blocking_as_good_as_fusion(e) == false);
  CHECK_THAT(size_sentence(e), ContainsSubstring("round trips and ramps 530.0 µs (68 %)"));
}

TEST_CASE("mixed: both count", "[study][answer]") {
  const Evidence e = evidence(60, 45, 40, 30, 31, 20, 15);
  CHECK(payer_of(e) == Payer::both);
  CHECK(blocking_as_good_as_fusion(e) == true);
  CHECK_THAT(size_sentence(e),
             ContainsSubstring("A graph made blocking as good as fusion: yes, 31.0 vs 30.0 µs."));
}

TEST_CASE("neither cost counts, and neither remedy helps", "[study][answer]") {
  const Evidence e = evidence(1000, 990, 985, 980, 995, 20, 30);
  CHECK(payer_of(e) == Payer::neither);
  CHECK(remedy_of(e) == Remedy::neither);
  CHECK_THAT(size_sentence(e), ContainsSubstring("pays for neither"));
}

TEST_CASE("the thresholds of payer and remedy", "[study][answer]") {
  // Twice the other counts alone, a hair less does not.
  CHECK(payer_of(evidence(100, 100, 100, 100, 100, 40, 20)) == Payer::launches);
  CHECK(payer_of(evidence(100, 100, 100, 100, 100, 39, 20)) == Payer::both);
  CHECK(payer_of(evidence(100, 100, 100, 100, 100, 20, 40)) == Payer::round_trips);
  CHECK(payer_of(evidence(100, 100, 100, 100, 100, 9, 9)) == Payer::neither);
  // A negative round trip is no cost.
  CHECK(payer_of(evidence(100, 100, 100, 100, 100, 15, -8)) == Payer::launches);
  CHECK(remedy_of(evidence(100, 60, 90, 50, 50, 40, 0)) == Remedy::graph);
  CHECK(remedy_of(evidence(100, 60, 62, 50, 50, 40, 0)) == Remedy::either);
  CHECK(remedy_of(evidence(100, 120, 130, 110, 50, 40, 0)) == Remedy::neither);
  CHECK(blocking_as_good_as_fusion(evidence(1, 1, 1, 100, 105, 0, 0)) == true);
  CHECK(blocking_as_good_as_fusion(evidence(1, 1, 1, 100, 106, 0, 0)) == false);
}

TEST_CASE("what is missing is called unknown", "[study][answer]") {
  Evidence e = evidence(100, 60, 50, 40, 40, 30, 20);
  e.blocked_graph.reset();
  CHECK_FALSE(blocking_as_good_as_fusion(e));
  CHECK_THAT(size_sentence(e),
             ContainsSubstring("A graph made blocking as good as fusion: unknown, not measured."));
  e.fused_stream.reset();
  CHECK(remedy_of(e) == Remedy::unknown);
  CHECK_THAT(size_sentence(e), ContainsSubstring("fusion not measured"));
  e.launches_us.reset();
  CHECK(payer_of(e) == Payer::unknown);
  CHECK_THAT(size_sentence(e), ContainsSubstring("what it pays for is unknown"));
  e.separate_stream.reset();
  CHECK_THAT(size_sentence(e), ContainsSubstring("separate/stream has no wall time"));
}

TEST_CASE("evidence: three walls, and what lies between them adds up", "[study][answer]") {
  Recording recording;
  PipelineRecording p;
  p.name = "p";
  p.bench = {bench_row("p/separate/stream/latency/n:4", {{"wall_us", 20}}),
             bench_row("p/separate/graph/latency/n:4", {{"wall_us", 15}}),
             bench_row("p/fused/graph/latency/n:4", {{"wall_us", 9}})};
  const Evidence e = evidence_of(measured_sizes(p, recording).at(0));
  CHECK(*e.launches_us == 5);
  CHECK(*e.round_trips_us == 6);
  CHECK(*e.launches_us + *e.round_trips_us + *e.fused_graph == *e.separate_stream);
  p.bench.pop_back();
  CHECK_FALSE(evidence_of(measured_sizes(p, recording).at(0)).round_trips_us);
}

TEST_CASE("one sentence over all sizes of the synthetic recording", "[study][answer]") {
  const Recording recording = load_recording(synthetic_recording());
  const auto sizes = measured_sizes(recording.pipelines.at(1), recording);
  REQUIRE(sizes.size() == 3);
  CHECK(payer_of(evidence_of(sizes[0])) == Payer::both);
  CHECK(payer_of(evidence_of(sizes[2])) == Payer::round_trips);
  const std::string sentence = pipeline_sentence("sum_abs", sizes);
  CHECK_THAT(sentence, ContainsSubstring("sum_abs pays at 2^16 for both ("));
  CHECK_THAT(sentence, ContainsSubstring("from 2^24 to 2^28 for round trips (fusion takes more of it away)"));
  CHECK_THAT(sentence, ContainsSubstring("a graph made blocking as good as fusion at 0 of 3 sizes."));
}

TEST_CASE("sizes are powers of two where they are", "[study][answer]") {
  CHECK(size_text(1 << 20) == "2^20");
  CHECK(size_text((1 << 20) + 7) == "1048583");
  CHECK(size_text(512) == "512");
}
