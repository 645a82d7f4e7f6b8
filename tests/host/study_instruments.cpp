// The catalog of instruments: names, and that no two are the same.
#include "study/measure/instruments.hpp"

#include <set>
#include <tuple>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;

TEST_CASE("instruments: the passes of an attribution are among them", "[study][instruments]") {
  CHECK_FALSE(find_instrument("untraced").options.has_value());
  CHECK(find_instrument("counters").counts);
  for (const char* pass : {"api", "kernel", "graph", "trace"})
    CHECK(find_instrument(pass).options.has_value());
  CHECK_THAT(bad_input([] { static_cast<void>(find_instrument("sideways")); }),
             ContainsSubstring("unknown pass 'sideways'; there are: untraced, api"));
}

TEST_CASE("instruments: each has a name, says what it records, and is different", "[study][instruments]") {
  std::set<std::string_view> names;
  std::set<std::tuple<int, int, bool>> settings;
  for (const Instrument& instrument : instruments()) {
    CAPTURE(instrument.name);
    CHECK(names.insert(instrument.name).second);
    CHECK_FALSE(instrument.what.empty());
    CHECK_FALSE((instrument.options && instrument.counts));
    if (!instrument.options) continue;
    const auto& o = *instrument.options;
    CHECK(settings.insert({static_cast<int>(o.mode), static_cast<int>(o.api_scope), o.latency_timestamps})
              .second);
  }
}
