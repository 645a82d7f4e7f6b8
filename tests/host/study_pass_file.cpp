// What a measuring pass hands over: through JSON and back, round by round, and damaged.
#include "study/measure/pass_file.hpp"

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using gvf::profiling::Timeline;
using gvf::profiling::WorkKind;

namespace {

PassFile example() {
  Timeline timeline;
  timeline.start = 1234567890123456789;  // more digits than a double holds
  timeline.sync_return = 1234567890123999999;
  timeline.calls.push_back(
      {{1234567890123456800, 1234567890123456900}, 4000000000U, "cudaLaunchKernelExC_v11060"});
  timeline.works.push_back({{1234567890123457000, 1234567890123458000},
                            4000000000U,
                            WorkKind::memset,
                            "a \"kernel\" with <quotes>",
                            7,
                            3,
                            18446744073709551615ULL});
  PassFile pass;
  pass.mode = "kernel";
  pass.rows["sum_abs/fused/stream/n:1"] = {{10.25, 11.5}, {timeline, Timeline{}}, ""};
  pass.rows["sum_abs/persistent/stream/n:1"] = {{}, {}, "no cooperative launch"};
  pass.empty_kernels = {{"empty_kernel_ns", 900}};
  return pass;
}

void check_equal(const PassFile& a, const PassFile& b) {
  CHECK(a.mode == b.mode);
  CHECK(a.empty_kernels == b.empty_kernels);
  REQUIRE(a.rows.size() == b.rows.size());
  for (const auto& [name, row] : a.rows) {
    CAPTURE(name);
    CHECK(b.row(name).wall_us == row.wall_us);
    CHECK(b.row(name).timelines == row.timelines);
    CHECK(b.row(name).reason == row.reason);
  }
}

}  // namespace

TEST_CASE("pass file: to JSON text and back without a nanosecond lost", "[study][pass]") {
  const PassFile pass = example();
  const std::string text = to_json(pass).dump();
  check_equal(pass, pass_from_json(nlohmann::json::parse(text), "file"));
}

TEST_CASE("pass file: a row that is not there says which pass lacks it", "[study][pass]") {
  const PassRow row = example().row("chain/fused/stream/n:1/k:16");
  CHECK(row.wall_us.empty());
  CHECK(row.timelines.empty());
  CHECK(row.reason == "the kernel pass has no row chain/fused/stream/n:1/k:16");
}

TEST_CASE("pass file: a foreign or damaged one is named", "[study][pass]") {
  auto no_constants = to_json(example());
  no_constants.erase("empty_kernels");
  auto no_walls = to_json(example());
  no_walls["rows"]["sum_abs/fused/stream/n:1"].erase("wall_us");
  auto text_for_time = to_json(example());
  text_for_time["rows"]["sum_abs/fused/stream/n:1"]["timelines"][0]["start"] = "now";
  auto short_work = to_json(example());
  short_work["rows"]["sum_abs/fused/stream/n:1"]["timelines"][0]["works"][0] = {1, 2};
  for (const nlohmann::json& json :
       {nlohmann::json::object(), nlohmann::json::array(), nlohmann::json{{"mode", "kernel"}},
        nlohmann::json{{"mode", 3}, {"rows", {}}}, no_constants, no_walls, text_for_time, short_work}) {
    CAPTURE(json.dump());
    CHECK_THAT(bad_input([&] { static_cast<void>(pass_from_json(json, "kernel.json")); }),
               ContainsSubstring("kernel.json: not a pass file: "));
  }
}
