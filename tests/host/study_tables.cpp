// Tables: exact text on a small example, and the rule that what cannot be right is never shown as a result.
#include "study/recordings/tables.hpp"

#include <limits>

#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;

namespace {

// separate/stream and fused/graph of a pipeline whose useful bytes are 4 MB.
Recording small_recording() {
  Recording recording;
  PipelineRecording p;
  p.name = "p";
  p.bench = {
      bench_row("p/separate/stream/latency/n:1024",
                {{"wall_us", 20}, {"host_us", 8}, {"span_us", 12}, {"kernels", 2}, {"bytes_min", 4e6}}),
      bench_row("p/separate/stream/throughput/n:1024", {{"period_us", 10}, {"bytes_min", 4e6}}),
      bench_row("p/fused/graph/latency/n:1024",
                {{"wall_us", 8}, {"host_us", 2}, {"kernels", 1}, {"bytes_min", 4e6}}),
      bench_row("p/fused/graph/throughput/n:1024", {{"period_us", 4}, {"bytes_min", 4e6}})};
  recording.pipelines = {p};
  recording.machine = MachineCeilings{4000, 3900, 3800, 6000, {}};
  recording.provenance.l2_bytes = 1000;
  return recording;
}

Measured measured(const Recording& recording, const char* structure, const char* submission) {
  const auto sizes = measured_sizes(recording.pipelines.at(0), recording);
  const Measured* found = sizes.at(0).find(structure, submission);
  REQUIRE(found);
  return *found;
}

std::string text_of(const Table& table) {
  return to_text({table});
}

}  // namespace

TEST_CASE("the answer table, exactly", "[study][tables]") {
  const Recording recording = small_recording();
  const auto sizes = measured_sizes(recording.pipelines[0], recording);
  REQUIRE(sizes.size() == 1);
  CHECK(text_of(answer_table(sizes[0])) ==
        "The answer\n"
        "  structure  submission  kernels  wall µs  min-max  host µs  period µs  span µs  useful GB/s  wall "
        "speed-up  "
        "period speed-up\n"
        "  ---------  ----------  -------  -------  -------  -------  ---------  -------  -----------  "
        "-------------  "
        "---------------\n"
        "  separate   stream            2     20.0        -      8.0       10.0     12.0          400        "
        "  1.00x  "
        "          1.00x\n"
        "  fused      graph             1      8.0        -      2.0        4.0        -         1000        "
        "  2.50x  "
        "          2.50x\n"
        "  Medians over repetitions; min-max is their range. Useful bytes (input once, output once) per "
        "period; "
        "speed-ups over separate/stream.\n");
  const std::string markdown = to_markdown({answer_table(sizes[0])});
  CHECK_THAT(markdown, ContainsSubstring("|---|---|---:|"));
  CHECK_THAT(markdown,
             ContainsSubstring("| fused | graph | 1 | 8.0 | - | 2.0 | 4.0 | - | 1000 | 2.50x | 2.50x |"));
}

TEST_CASE("the attribution table shows every part, its share, and what is modelled", "[study][tables]") {
  Recording recording = small_recording();
  recording.pipelines[0].attribution = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 8, 4, -1}),
                                        attributed_row("p/fused/graph/n:1024", {3, 0, 0, 2, 3, 0})};
  recording.pipelines[0].attribution[1].row.attribution->modelled = true;
  recording.pipelines[0].attribution[0].row.attribution->marks = {"api pass disturbs wall by +8%"};
  recording.pipelines[0].attribution[1].row.attribution->marks = {"no twin",
                                                                  "api pass disturbs wall by +17%"};
  const auto sizes = measured_sizes(recording.pipelines[0], recording);
  const Table table = attribution_table(sizes[0]);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == std::vector<std::string>{"separate", "stream", "20.0", "4.0 (20%)",
                                                        "3.0 (15%)", "2.0 (10%)", "8.0 (40%)", "4.0 (20%)",
                                                        "-1.0 (-5%)", "11.0 / -", "measured"});
  CHECK(table.rows[1].cells.back() == "modelled");
  CHECK(table.notes ==
        std::vector<std::string>{"api pass disturbs wall: separate/stream +8%, fused/graph +17%",
                                 "no twin: fused/graph"});
}

TEST_CASE("an attribution that does not add up is not shown", "[study][tables]") {
  Recording recording = small_recording();
  recording.pipelines[0].attribution = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 8, 4, -1})};
  recording.pipelines[0].attribution[0].row.attribution->wall_us = 25;
  const Measured m = measured(recording, "separate", "stream");
  CHECK_FALSE(m.attribution);
  CHECK(m.attribution_fault == "its parts add up to 20.00 µs, its wall is 25.00");
  const auto sizes = measured_sizes(recording.pipelines[0], recording);
  CHECK(attribution_table(sizes[0]).rows.at(0).message == m.attribution_fault);
}

TEST_CASE("an attribution of another wall than the benchmark's is remarked", "[study][tables]") {
  Recording recording = small_recording();
  recording.pipelines[0].attribution = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 18, 4, -1})};
  const Table table = attribution_table(measured_sizes(recording.pipelines[0], recording)[0]);
  CHECK(table.notes ==
        std::vector<std::string>{"separate/stream: explains a wall of 30.0 µs, the benchmark measured 20.0"});
}

TEST_CASE("a rate above the ceiling is replaced by what is wrong", "[study][tables][rule]") {
  Recording recording = small_recording();
  for (BenchRow& row : recording.pipelines[0].bench) {
    if (row.name.structure == "fused" && row.name.clock == "throughput")
      row.values["period_us"] = {0.9, 0.9, 0.9, 1};
  }
  const Measured m = measured(recording, "fused", "graph");
  CHECK(m.fault == "4444 GB/s of useful bytes would exceed the measured read ceiling of 4000 GB/s");
  CHECK_FALSE(m.wall);
  CHECK_FALSE(m.useful_gbps);
  const std::string text = text_of(answer_table(measured_sizes(recording.pipelines[0], recording)[0]));
  CHECK_THAT(text, ContainsSubstring("  fused      graph       4444 GB/s of useful bytes would exceed"));

  // 4 MB that could live in an L2 of 10 MB may move at L2's rate, and no faster.
  recording.provenance.l2_bytes = 10'000'000;
  CHECK(measured(recording, "fused", "graph").fault.empty());
  CHECK(measured(recording, "fused", "graph").useful_gbps == Approx(4444.4).epsilon(1e-3));
  recording.machine->l2_read_gbps = 4200;
  CHECK_THAT(measured(recording, "fused", "graph").fault, ContainsSubstring("L2 read ceiling of 4200"));
  recording.machine.reset();
  CHECK(measured(recording, "fused", "graph").fault.empty());
}

TEST_CASE("times that are none, unverified rows and errors are replaced by what is wrong",
          "[study][tables][rule]") {
  Recording recording = small_recording();
  BenchRow& row = recording.pipelines[0].bench[2];
  REQUIRE(row.name.structure == "fused");
  row.values["wall_us"] = {0, 0, 0, 1};
  CHECK(measured(recording, "fused", "graph").fault == "a wall of 0 µs is no time");
  row.values["wall_us"] = {8, 8, 8, 1};
  row.values["verified"] = {1, 0, 1, 9};
  CHECK_THAT(measured(recording, "fused", "graph").fault, ContainsSubstring("not verified"));
  row.values["verified"] = {1, 1, 1, 9};
  CHECK(measured(recording, "fused", "graph").fault.empty());
  row.fault = "the check found 3 wrong elements";
  const auto sizes = measured_sizes(recording.pipelines[0], recording);
  const Table table = answer_table(sizes[0]);
  CHECK(table.rows.at(1).cells == std::vector<std::string>{"fused", "graph"});
  CHECK(table.rows.at(1).message == "the check found 3 wrong elements");
}

TEST_CASE("expected busy time follows each kernel's own mix of reads and writes", "[study][tables]") {
  const MachineCeilings machine{4000, 2000, 3000, 6000, {}};
  const auto expected = [&](std::int64_t read, std::int64_t written) {
    return expected_busy_us({{gvf::KernelTraffic{"k", 1, read, written, 0}, {}}, 1}, machine);
  };
  CHECK(*expected(4'000'000, 0) == Approx(1.0));
  CHECK(*expected(3'000'000, 3'000'000) == Approx(2.0));
  CHECK(*expected(0, 2'000'000) == Approx(1.0));
  // A quarter written: half way, in time per byte, between the read and the copy ceiling.
  CHECK(*expected(3'000'000, 1'000'000) == Approx(4e6 * 0.5 * (1 / 4000.0 + 1 / 3000.0) * 1e-3));
  CHECK_FALSE(expected_busy_us({{gvf::KernelTraffic{"k", 1, 1000, 1000, 0}, {}}, 1},
                               MachineCeilings{4000, {}, {}, {}, {}}));
  CHECK(expected_busy_us({{gvf::KernelTraffic{"k", 1, 1 << 20, 4, 0}, {}}, 1},
                         MachineCeilings{4000, {}, {}, {}, {}}));
}

TEST_CASE("busy is compared with the ceiling, less than DRAM allows is explained", "[study][tables][rule]") {
  Recording recording = small_recording();
  recording.pipelines[0].attribution = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 8, 4, -1}),
                                        attributed_row("p/fused/graph/n:1024", {3, 0, 0, 2, 3, 0})};
  const TrafficOf traffic = [](const RowName& name) -> std::optional<gvf::ByteModel> {
    const std::int64_t bytes = name.structure == "separate" ? 16'000'000 : 12'000'000;
    return gvf::ByteModel{{gvf::KernelTraffic{"k", 1, bytes, 0, 0}, {}}, 1};
  };
  const auto sizes = measured_sizes(recording.pipelines[0], recording);
  Table table = ceiling_table(sizes[0], recording, traffic);
  CHECK(table.rows.at(0).cells == std::vector<std::string>{"separate", "stream", "8.0", "4.0", "50%"});
  CHECK_THAT(table.rows.at(1).message,
             ContainsSubstring("the byte model, the ceiling or the trace is wrong"));
  CHECK(table.notes.at(0) == "busy(separate)/busy(fused) = 4.00");
  CHECK(table.notes.at(1) == "busy(fused)/busy(library): not measured");
  recording.provenance.l2_bytes = 60'000'000;
  table = ceiling_table(sizes[0], recording, traffic);
  CHECK_THAT(table.rows.at(1).message, ContainsSubstring("part of it stays in L2"));
}

TEST_CASE("a split is shown with its numbers or with its reason", "[study][tables]") {
  Recording recording = small_recording();
  recording.pipelines[0].attribution = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 8, 4, -1}),
                                        attributed_row("p/separate/graph/n:1024", {4, 3, 2, 8, 4, -1})};
  gvf::profiling::Split split;
  split.essential_us = 4;
  split.ramp_us = -0.5;
  split.round_trip_us = 4.5;
  recording.pipelines[0].attribution[0].row.split = split;
  recording.pipelines[0].attribution[1].row.not_separable = "not separable: a slice has 2 waves";
  const Table table = split_table(measured_sizes(recording.pipelines[0], recording)[0]);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells ==
        std::vector<std::string>{"separate", "stream", "4.0", "-0.5", "4.5", "-", "-", "-", "-"});
  CHECK(table.rows[1].message == "not separable: a slice has 2 waves");
}

TEST_CASE("the document of the synthetic recording", "[study][tables]") {
  const Recording recording = load_recording(synthetic_recording());
  TableOptions options;
  options.sources_hash = "another";
  for (const std::string& text :
       {to_text(study_tables(recording, options)), to_markdown(study_tables(recording, options))}) {
    CHECK_THAT(text, ContainsSubstring("Graphs versus Fusion: Synthetic GPU"));
    CHECK_THAT(text, ContainsSubstring("Stale: recorded with other device sources"));
    CHECK_THAT(text, ContainsSubstring("Synthetic: numbers from a formula, measured on no machine"));
    CHECK_THAT(text, ContainsSubstring("the check found 3 wrong elements"));
    CHECK_THAT(text, ContainsSubstring("library/graph: not applicable: no library fuses a chain"));
    CHECK(text.find("fused/graph: pass") == std::string::npos);  // what passed is no remark
    CHECK_THAT(text, ContainsSubstring("failed the check: element 7 is 3, not 0"));
    for (const char* never : {"nan", "inf ", "-0.0", "-0%"}) CHECK(text.find(never) == std::string::npos);
  }
  options.sources_hash = "synthetic";
  CHECK(to_text(study_tables(recording, options)).find("Stale") == std::string::npos);
}

TEST_CASE("Markdown cells do not break a table", "[study][tables]") {
  const Table table{"", {{"a", false}, {"b", true}, {"c", true}}, {{{"x"}, "either | or"}}, {}};
  CHECK(to_markdown({table}) == "| a | b | c |\n|---|---:|---:|\n| x | either \\| or | |\n");
}

TEST_CASE("counted bytes stand beside the model's, and a row that is too far off says so",
          "[study][tables]") {
  Recording recording = small_recording();
  auto& rows = recording.pipelines[0].attribution;
  rows = {attributed_row("p/separate/stream/n:1024", {4, 3, 2, 8, 4, -1}),
          attributed_row("p/fused/graph/n:1024", {3, 0, 0, 2, 3, 0})};
  rows[0].row.counters.dram_read_bytes = 2147.5e6;
  rows[0].row.counters.dram_write_bytes = 1074.1e6;
  rows[0].row.counters.l2_sm_bytes = 3221.2e6;
  rows[0].row.counters.model_bytes = 2147.5e6;
  rows[0].row.counters.deviation = 0.5;
  rows[0].row.counters.allowed = 0.03;
  rows[0].row.counters.residence = "streaming";
  rows[1].row.counters.missing = "no permission for counters";
  const Table table = counter_table(measured_sizes(recording.pipelines[0], recording)[0]);
  REQUIRE(table.rows.size() == 2);
  CHECK(table.rows[0].cells == std::vector<std::string>{"separate", "stream", "2147.5", "1074.1", "2147.5",
                                                        "+50.0% (!)", "3221.2", "streaming"});
  CHECK(table.rows[1].message == "no permission for counters");

  rows[0].row.counters.deviation = -0.0004;
  CHECK(counter_table(measured_sizes(recording.pipelines[0], recording)[0]).rows[0].cells[5] == "+0.0%");
  rows[0].row.counters.deviation = 0.02;
  CHECK(counter_table(measured_sizes(recording.pipelines[0], recording)[0]).rows[0].cells[5] == "+2.0%");
  rows[0].row.counters.residence = "resident";  // the model is of DRAM, which such a row does not need
  CHECK(counter_table(measured_sizes(recording.pipelines[0], recording)[0]).rows[0].cells[5] == "-");
}

TEST_CASE("the machine's instruments and knee are tables, or absent, or damaged", "[study][tables]") {
  MachineCeilings machine;
  CHECK(instrument_table(machine).rows.empty());
  CHECK(knee_table(machine).rows.empty());
  machine.instruments = nlohmann::json::parse(R"([{"name": "kernel", "records": "kernels", "cost": [
      {"what": "one launch", "host_us_per_call": 6.1, "wall_us": 11.25, "wall_p10_us": 11, "wall_p90_us": 12.5,
       "device_us_per_record": 0.51}]}])");
  const Table cost = instrument_table(machine);
  REQUIRE(cost.rows.size() == 1);
  CHECK(cost.rows[0].cells == std::vector<std::string>{"kernel", "kernels", "one launch", "6.10", "11.2",
                                                       "11.0-12.5", "-", "0.51"});
  machine.l2_knee = nlohmann::json::parse(
      R"({"points": [{"bytes": 4000000, "dram_fraction": 0.004, "gbps": 1500.4}], "resident_up_to_bytes": 4000000})");
  const Table knee = knee_table(machine);
  REQUIRE(knee.rows.size() == 1);
  CHECK(knee.rows[0].cells == std::vector<std::string>{"4.0", "0%", "1500"});
  CHECK(knee.notes.back() == "Resident (DRAM sees less than a tenth) up to 4.0 MB.");

  machine.instruments[0]["cost"][0].erase("wall_p90_us");
  machine.l2_knee["points"][0]["bytes"] = "many";
  CHECK_THAT(bad_input([&] { static_cast<void>(instrument_table(machine)); }),
             ContainsSubstring("machine.json: 'instruments' is damaged"));
  CHECK_THAT(bad_input([&] { static_cast<void>(knee_table(machine)); }),
             ContainsSubstring("machine.json: 'l2_knee' is damaged"));
}

TEST_CASE("remarks that say the same of several rows are one line", "[study][tables]") {
  Recording recording = small_recording();
  recording.provenance.labels = {"no picture of p/fused/graph/n:1024: clocks differ", "the clock moved",
                                 "no picture of p/separate/graph/n:1024: clocks differ",
                                 "no picture of p/blocked/graph/n:1024: too short"};
  const std::string text = to_text(study_tables(recording));
  CHECK_THAT(text, ContainsSubstring("no picture of 2 rows (p/fused/graph/n:1024, ...): clocks differ"));
  CHECK_THAT(text, ContainsSubstring("no picture of p/blocked/graph/n:1024: too short"));
  CHECK_THAT(text, ContainsSubstring("the clock moved"));
  CHECK(text.find("p/separate/graph/n:1024: clocks") == std::string::npos);
}
