// A part of the program in a process of its own: what it says and why it failed reach the one that asked.
#include "study/measure/child.hpp"

#include <stdexcept>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("child: its own last words are the reason", "[study][child]") {
  const std::string reason = bad_input([] {
    static_cast<void>(run_child_for_json({"attribute", "--pass", "sideways", "-p", "sum_abs"}));
  });
  CHECK_THAT(reason, ContainsSubstring("unknown pass 'sideways'; there are: untraced") &&
                         ContainsSubstring("(gvf attribute --pass sideways -p sum_abs)"));
}

TEST_CASE("child: a pass that the rest can do without fails in words, but an interrupt ends the rest",
          "[study][child]") {
  CHECK_FALSE(failure_of([] {}));
  CHECK(failure_of([] { throw std::runtime_error("ended with exit code 139"); }) ==
        "ended with exit code 139");
  CHECK(failure_of([] { throw MachineLacks("no permission"); }) == "no permission");
  CHECK(failure_of([] { throw BadInput("no JSON"); }) == "no JSON");
  CHECK_THROWS_AS(static_cast<void>(failure_of([] { throw Interrupted("interrupted"); })), Interrupted);
}
