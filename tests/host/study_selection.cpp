// Options that choose problems: what is taken, what is refused and with which words.
#include "study/commands/selection.hpp"

#include "study/measure/matrix.hpp"

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf;
using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("sizes: numbers, powers, and powers with a rest", "[study][selection]") {
  CHECK(parse_size("1") == 1);
  CHECK(parse_size("1048576") == 1 << 20);
  CHECK(parse_size("2^20") == 1 << 20);
  CHECK(parse_size("2^20+7") == (1 << 20) + 7);
  CHECK(parse_size("2^31") == std::int64_t{1} << 31);
  CHECK(parse_size("10^9") == 1000000000);
  CHECK(parse_size("7^0") == 1);
  CHECK(parse_size("100+1") == 101);
}

TEST_CASE("sizes: what is no size is refused with the range and the spellings", "[study][selection]") {
  for (const char* text : {"0",
                           "-5",
                           "2^32",
                           "2^31+1",
                           "2^40",
                           "10^30",
                           "99999999999999999999",
                           "abc",
                           "",
                           "2^",
                           "^3",
                           "2^-1",
                           "-2^3",
                           "2^^3",
                           "1e6",
                           "1.5",
                           "0x10",
                           " 1",
                           "1 ",
                           "+5",
                           "5+",
                           "2^20+",
                           "2^20+-1",
                           "2^20+7+7",
                           "2^99999999999999999999",
                           "1+9223372036854775807",
                           "0^1"}) {
    CAPTURE(text);
    const std::string said = bad_input([&] { static_cast<void>(parse_size(text)); });
    CHECK_THAT(said, ContainsSubstring("--size " + std::string(text) + ": not a number of elements") &&
                         ContainsSubstring("1 to 2^31") && ContainsSubstring("2^20+7"));
    CHECK(said.find('\n') == std::string::npos);
  }
}

TEST_CASE("sizes: a huge exponent of one ends, and is one", "[study][selection]") {
  CHECK(parse_size("1^62") == 1);
}

TEST_CASE("stages: from 1 to the pipeline's largest", "[study][selection]") {
  const Pipeline& chain = find_pipeline("chain");
  CHECK(parse_stages("1", chain) == 1);
  CHECK(parse_stages("64", chain) == 64);
  for (const char* text : {"0", "65", "-1", "x", "", "1.5", "99999999999"}) {
    CAPTURE(text);
    const std::string said = bad_input([&] { static_cast<void>(parse_stages(text, chain)); });
    CHECK_THAT(said, ContainsSubstring("--stages " + std::string(text)) && ContainsSubstring("chain") &&
                         ContainsSubstring("from 1 to 64"));
  }
}

TEST_CASE("repeats: from 1 to 1024, an axis of problems", "[study][selection]") {
  CHECK(parse_repeats("1") == 1);
  CHECK(parse_repeats("1024") == 1024);
  for (const char* text : {"0", "1025", "-1", "x", "", "1.5"}) {
    CAPTURE(text);
    CHECK_THAT(bad_input([&] { static_cast<void>(parse_repeats(text)); }),
               ContainsSubstring("--repeats " + std::string(text)) && ContainsSubstring("from 1 to 1024"));
  }
  Selection chosen;
  chosen.repeats = {"1", "8"};
  CHECK(selected_problems(chosen, find_pipeline("sum_abs"), {5}, {16}) ==
        std::vector<Problem>{{5, 2, 0, 1}, {5, 2, 0, 8}});
}

TEST_CASE("submissions for a size: what was asked for, else what a study measures there",
          "[study][selection]") {
  const auto names = [](const Selection& selection, const Problem& problem) {
    std::vector<std::string_view> found;
    for (const SubmissionKind* kind : submissions_for(selection, problem)) found.push_back(kind->name);
    return found;
  };
  CHECK(names({}, {1024, 2}).size() == submissions().size());
  CHECK(names({}, {1 << 28, 2}) == std::vector<std::string_view>{"stream", "graph"});
  CHECK(names({}, {1024, 2, 0, 4}) ==
        std::vector<std::string_view>{"graph_unrolled", "graph_while", "graph_device"});
  CHECK(names({}, {1 << 20, 2}).size() == 2);
  Selection asked;
  asked.submissions = {"graph_pdl"};
  CHECK(names(asked, {1 << 28, 2}) == std::vector<std::string_view>{"graph_pdl"});
}

TEST_CASE("what the host launches and what the device does are measured apart", "[study][selection]") {
  const auto names = [](const Selection& selection) {
    std::vector<std::string_view> found;
    for (const SubmissionKind* kind : selected_submissions(selection)) found.push_back(kind->name);
    return found;
  };
  const std::vector<Selection> parts = by_launching_side({});
  REQUIRE(parts.size() == 2);
  CHECK(names(parts[0]).size() + names(parts[1]).size() == submissions().size());
  CHECK(names(parts[1]) == std::vector<std::string_view>{"graph_device", "graph_fan_out"});
  CHECK(submissions_for(parts[1], {1 << 28, 2}).empty());
  for (const SubmissionKind& kind : submissions()) {
    CHECK(is_wanted(parts[0], kind, {1024, 2}) != is_wanted(parts[1], kind, {1024, 2}));
    CHECK(is_wanted({}, kind, {1024, 2}));
  }

  Selection asked;
  asked.submissions = {"graph_device", "stream"};
  const std::vector<Selection> both = by_launching_side(asked);
  REQUIRE(both.size() == 2);
  CHECK(both[0].submissions == std::vector<std::string>{"stream"});
  CHECK(both[1].submissions == std::vector<std::string>{"graph_device"});
  CHECK(is_wanted(both[1], find_submission("graph_device"), {1 << 28, 2}));
  asked.submissions = {"graph"};
  REQUIRE(by_launching_side(asked).size() == 1);
  asked.launched_from = "device";
  CHECK(by_launching_side(asked).empty());
  CHECK(bad_input([&] { require_submissions(asked); }) ==
        "--launched-from device leaves none of the chosen submissions: graph");
  CHECK_NOTHROW(require_submissions({}));
}

TEST_CASE("selection: nothing chosen is everything", "[study][selection]") {
  const Selection nothing;
  CHECK(selected_pipelines(nothing).size() == catalog().size());
  CHECK(selected_structures(nothing).size() == all_structures.size());
  CHECK(selected_submissions(nothing).size() == submissions().size());
}

TEST_CASE("selection: what was chosen, in the order given, what is unknown is named", "[study][selection]") {
  Selection some;
  some.pipelines = {"chain", "sum_abs"};
  some.structures = {"library", "separate"};
  some.submissions = {"graph"};
  CHECK(selected_pipelines(some).at(0) == &find_pipeline("chain"));
  CHECK(selected_pipelines(some).at(1) == &find_pipeline("sum_abs"));
  CHECK(selected_structures(some) == std::vector<Structure>{Structure::library, Structure::separate});
  CHECK(selected_submissions(some).at(0) == &find_submission("graph"));
  some.structures = {"fused", "molten"};
  CHECK(bad_input([&] { static_cast<void>(selected_structures(some)); }) ==
        "unknown structure 'molten'; there are: separate, sliced, blocked, persistent, fused, library");
  some.pipelines = {"nothing"};
  CHECK_FALSE(bad_input([&] { static_cast<void>(selected_pipelines(some)); }).empty());
  some.submissions = {"pigeon"};
  CHECK_FALSE(bad_input([&] { static_cast<void>(selected_submissions(some)); }).empty());
}

TEST_CASE("problems: sizes times stages, stages only where they are an axis", "[study][selection]") {
  Selection chosen;
  chosen.sizes = {"31", "2^10"};
  chosen.stages = {"1", "3"};
  const auto chain = selected_problems(chosen, find_pipeline("chain"), {5}, {16});
  CHECK(chain == std::vector<Problem>{{31, 1, 0}, {31, 3, 0}, {1024, 1, 0}, {1024, 3, 0}});
  const auto sum = selected_problems(chosen, find_pipeline("sum_abs"), {5}, {16});
  CHECK(sum == std::vector<Problem>{{31, 2, 0}, {1024, 2, 0}});
  const auto defaults = selected_problems({}, find_pipeline("chain"), {5, 6}, {16});
  CHECK(defaults == std::vector<Problem>{{5, 16, 0}, {6, 16, 0}});
}

TEST_CASE("stages asked of a pipeline that has none: refused by name, no concern of a general choice",
          "[study][selection]") {
  const Pipeline& fixed = find_pipeline("sum_abs");
  Selection selection;
  selection.stages = {"4"};
  CHECK(selected_problems(selection, fixed, {1024}, {16}).size() == 1);
  selection.pipelines = {"sum_abs"};
  CHECK_THAT(bad_input([&] { static_cast<void>(selected_problems(selection, fixed, {1024}, {16})); }),
             ContainsSubstring("--stages 4: sum_abs has a fixed number of stages"));
}

TEST_CASE("what a study has time for: all submissions at a few sizes, a stream and its graph at all",
          "[study][selection]") {
  const SubmissionKind& pdl = find_submission("graph_pdl");
  const SubmissionKind& loop = find_submission("graph_while");
  const Pipeline& chain = find_pipeline("chain");
  for (const char* basic : {"stream", "graph"}) {
    const SubmissionKind& kind = find_submission(basic);
    for (const int exponent : {1, 13, 28}) {
      const Problem problem{std::int64_t{1} << exponent, 2};
      CHECK(is_basic(kind));
      CHECK(is_measured(kind, problem));
      CHECK(is_benched(chain, kind, problem));
      CHECK(is_attributed(kind, problem));
    }
    CHECK_FALSE(is_benched(chain, kind, {1024, 2, 0, 4}));  // carries one iteration a launch
  }
  CHECK(is_measured(pdl, {1023, 2}));
  CHECK_FALSE(is_measured(pdl, {1 << 24, 2}));
  CHECK(is_benched(chain, pdl, {1 << 20, 16}));
  CHECK(is_benched(chain, pdl, {1 << 10, 64}));
  CHECK_FALSE(is_benched(chain, pdl, {1 << 16, 64}));
  CHECK_FALSE(is_benched(chain, pdl, {1 << 13, 16}));
  CHECK(is_attributed(pdl, {1 << 16, 2}));
  CHECK_FALSE(is_attributed(pdl, {1 << 20, 2}));
  CHECK(is_benched(chain, loop, {1024, 2, 0, 4}));
}
