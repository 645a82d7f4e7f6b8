// Where L2 ends, on points by hand.
#include "study/measure/l2_knee.hpp"

#include "tests/catch.hpp"

using namespace gvf::study;

TEST_CASE("knee: between the last resident and the first streaming working set", "[study][knee]") {
  const std::vector<KneePoint> points{{10, 0.0, 5}, {20, 0.09, 5}, {30, 0.1, 4},
                                      {40, 0.5, 3}, {50, 0.91, 2}, {60, 1.0, 2}};
  const Knee knee = knee_of(points);
  CHECK(knee.resident_up_to_bytes == 20);  // 0.1 is no longer below a tenth
  CHECK(knee.streaming_from_bytes == 50);
}

TEST_CASE("knee: one that lies outside the sweep, or a dip within it, claims nothing", "[study][knee]") {
  CHECK_FALSE(knee_of({}).resident_up_to_bytes.has_value());
  const Knee all_resident = knee_of({{10, 0, 5}, {20, 0.01, 5}});
  CHECK(all_resident.resident_up_to_bytes == 20);
  CHECK_FALSE(all_resident.streaming_from_bytes.has_value());
  const Knee all_streaming = knee_of({{10, 0.95, 5}, {20, 1.0, 5}});
  CHECK_FALSE(all_streaming.resident_up_to_bytes.has_value());
  CHECK(all_streaming.streaming_from_bytes == 10);
  // A point that streams below one that does not, and one that is resident above one that is not, do not
  // count.
  const Knee dips = knee_of({{10, 0.0, 5}, {20, 0.95, 5}, {30, 0.05, 5}, {40, 0.8, 5}, {50, 0.95, 5}});
  CHECK(dips.resident_up_to_bytes == 10);
  CHECK(dips.streaming_from_bytes == 50);
}
