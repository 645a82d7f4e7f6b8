// A part of the program in a process of its own: what it says and why it failed reach the one that asked.
#include "study/measure/child.hpp"

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
