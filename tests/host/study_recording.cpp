// The loader: names, medians, and what it says about files that are damaged, foreign or missing.
#include "study/recordings/recording.hpp"

#include <cmath>

#include "study/io/json_file.hpp"
#include "tests/catch.hpp"
#include "tests/host/study_fixture.hpp"

using namespace gvf::study;
using namespace gvf::tests;
using Catch::Matchers::ContainsSubstring;
using nlohmann::json;

TEST_CASE("row names are read with any suffix that Google Benchmark adds", "[study][recording]") {
  const auto row =
      parse_row_name("chain/fused/graph_pdl/latency/n:1048576/k:16/iterations:200/repeats:9/manual_time");
  REQUIRE(row);
  CHECK(row->pipeline == "chain");
  CHECK(row->structure == "fused");
  CHECK(row->submission == "graph_pdl");
  CHECK(row->clock == "latency");
  CHECK(row->n == 1048576);
  CHECK(row->k == 16);
  CHECK(row->slices == 0);
  CHECK(parse_row_name("sum_abs/sliced/stream/n:268435456/s:8")->slices == 8);
  CHECK(parse_row_name("sum_abs/sliced/stream/n:268435456/s:8")->clock.empty());
  const auto repeated =
      parse_row_name("chain/fused/graph_while/latency/n:1024/k:16/r:64/iterations:200/repeats:9/manual_time");
  CHECK(repeated->repeats == 64);
  CHECK(repeated->label() == "fused/graph_while/r:64");
  CHECK(parse_row_name("chain/fused/graph/latency/n:1024/k:16/repeats:9")->repeats == 0);
  for (const char* foreign : {"BM_copy/64", "a/b/c", "a/b/c/latency", "a/b/c/latency/n:", "a/b/c/n:-4",
                              "a/b/c/n:4x", "/b/c/n:4", ""}) {
    CAPTURE(foreign);
    CHECK_FALSE(parse_row_name(foreign));
  }
}

TEST_CASE("medians and ranges over repetitions, worked by hand", "[study][recording]") {
  CHECK(summarise({3, 1, 2}) == Quantity{2, 1, 3, 3});
  CHECK(summarise({4, 1, 3, 2}) == Quantity{2.5, 1, 4, 4});
  CHECK(summarise({7}) == Quantity{7, 7, 7, 1});
}

TEST_CASE("bench rows: repetitions are joined, aggregates are not counted as repetitions",
          "[study][recording]") {
  const auto entry = [](double wall, const char* type, const char* aggregate) {
    json out = {{"name", "p/fused/graph/latency/n:4/manual_time"},
                {"run_type", type},
                {"real_time", 1e3 * wall},
                {"time_unit", "ns"},
                {"host_us", 1.5}};
    if (*aggregate) out["aggregate_name"] = aggregate;
    return out;
  };
  json file = {{"benchmarks",
                {entry(8, "iteration", ""), entry(6, "iteration", ""), entry(7, "iteration", ""),
                 entry(99, "aggregate", "median"), entry(98, "aggregate", "stddev")}}};
  auto rows = bench_rows(file, "x.json");
  REQUIRE(rows.size() == 1);
  // No counter wall_us: Google Benchmark's own time, in its own unit, serves.
  REQUIRE(rows[0].find("wall_us"));
  CHECK(*rows[0].find("wall_us") == Quantity{7, 6, 8, 3});
  CHECK(rows[0].find("host_us")->median == 1.5);
  CHECK_FALSE(rows[0].find("period_us"));

  file["benchmarks"] = {entry(99, "aggregate", "median"), entry(98, "aggregate", "stddev")};
  rows = bench_rows(file, "x.json");
  CHECK(rows.at(0).find("wall_us")->median == 99);

  file["benchmarks"] = {entry(8, "iteration", "")};
  file["benchmarks"][0]["wall_us"] = 5;
  CHECK(bench_rows(file, "x.json").at(0).find("wall_us")->median == 5);
}

TEST_CASE("bench rows: errors and numbers that are not finite become the row's fault", "[study][recording]") {
  const json failed = {
      {"benchmarks",
       {{{"name", "p/fused/graph/latency/n:4"}, {"error_occurred", true}, {"error_message", "wrong sum"}}}}};
  CHECK(bench_rows(failed, "x.json").at(0).fault == "wrong sum");
  const json skipped = {
      {"benchmarks",
       {{{"name", "p/fused/graph/latency/n:4"}, {"skipped", true}, {"skip_message", "not here"}}}}};
  CHECK(bench_rows(skipped, "x.json").at(0).fault == "not here");
  const std::string text =
      R"({"benchmarks": [{"name": "p/fused/graph/latency/n:4", "label": "NaN stays", "wall_us": -Infinity}]})";
  const auto rows = bench_rows(parse_json(text, "x.json", ""), "x.json");
  CHECK(rows.at(0).fault == "wall_us is not a finite number");
  CHECK(rows.at(0).label == "NaN stays");
  const std::string aggregate = R"({"benchmarks": [
    {"name": "p/fused/graph/latency/n:4", "wall_us": 2.0},
    {"name": "p/fused/graph/latency/n:4_cv", "run_name": "p/fused/graph/latency/n:4", "run_type": "aggregate",
     "aggregate_name": "cv", "wall_us": NaN}]})";
  CHECK(bench_rows(parse_json(aggregate, "x.json", ""), "x.json").at(0).fault.empty());
}

TEST_CASE("the synthetic recording loads", "[study][recording]") {
  const Recording recording = load_recording(synthetic_recording());
  CHECK(recording.provenance.gpu == "Synthetic GPU");
  CHECK(recording.provenance.l2_bytes == 62914560);
  REQUIRE(recording.pipelines.size() == 2);
  CHECK(recording.pipelines[0].name == "chain");
  CHECK(recording.pipelines[1].name == "sum_abs");
  CHECK(recording.pipelines[1].bench.size() == 3u * 6 * 2 * 2 + 2);  // the last from_device
  CHECK(recording.pipelines[1].attribution.size() == 3u * 6 * 2);
  CHECK(recording.machine->read_gbps == 4500);
  CHECK(recording.missing.empty());
  const BenchRow& row = recording.pipelines[1].bench.front();
  CHECK(row.find("wall_us")->repetitions == 3);
  CHECK(row.find("wall_us")->low < row.find("wall_us")->median);
  CHECK(row.find("wall_us")->median < row.find("wall_us")->high);
}

TEST_CASE("damaged files are named with the place of the damage", "[study][recording]") {
  const RecordingCopy copy;
  const fs::path bench = copy.path() / "bench" / "sum_abs.json";
  const auto message = [&] { return bad_input([&] { static_cast<void>(load_recording(copy.path())); }); };

  std::string text = read_text(bench);
  write_text(bench, text.substr(0, text.size() / 2));
  CHECK_THAT(message(), ContainsSubstring("bench/sum_abs.json:"));
  CHECK_THAT(message(), ContainsSubstring("cut off"));
  CHECK_THAT(message(), ContainsSubstring("--resume"));

  write_text(bench, "{\n\"context\": {},\n  oops\n}");
  CHECK_THAT(message(), ContainsSubstring("sum_abs.json:3:3: this is not JSON"));
  write_text(bench, "");
  CHECK_THAT(message(), ContainsSubstring("the file is empty"));
  write_text(bench, R"({"version": "2.1.0", "runs": []})");
  CHECK_THAT(message(), ContainsSubstring("no list 'benchmarks'"));
  write_text(bench, R"({"benchmarks": [{"name": "BM_copy/64", "real_time": 1}]})");
  CHECK_THAT(message(), ContainsSubstring("benchmarks[0] (BM_copy/64) is no row of gvf-bench"));
  write_text(bench, R"({"benchmarks": [{"name": "chain/fused/graph/latency/n:4", "wall_us": 1}]})");
  CHECK_THAT(message(), ContainsSubstring("holds rows of pipeline 'chain'"));
  write_text(bench, R"({"benchmarks": [{"name": "sum_abs/fused/graph/latency/n:4", "wall_us": "fast"}]})");
  CHECK_THAT(message(), ContainsSubstring("'wall_us' is not a number"));
  write_text(bench,
             R"({"benchmarks": [{"name": "sum_abs/fused/graph/latency/n:4", "error_occurred": "yes"}]})");
  CHECK_THAT(message(), ContainsSubstring("sum_abs.json"));
  write_text(bench, text);
  CHECK(message().empty());

  replace_in(copy.path() / "attribution" / "sum_abs.json", "\"gap_us\"", "\"gaap_us\"");
  CHECK_THAT(message(), ContainsSubstring("has no 'gap_us'"));
  CHECK_THAT(message(), ContainsSubstring("attribution/sum_abs.json"));
}

TEST_CASE("damaged steps.json and lifecycle.json", "[study][recording]") {
  const RecordingCopy copy;
  const auto message = [&] { return bad_input([&] { static_cast<void>(load_recording(copy.path())); }); };
  for (const std::string name : {"steps.json", "lifecycle.json"}) {
    const fs::path file = copy.path() / name;
    const std::string text = read_text(file);
    const json whole = parse_json(text, name, "");
    for (const auto& [key, unused] : whole.items()) {
      CAPTURE(name, key);
      json damaged = whole;
      damaged.erase(key);
      write_text(file, damaged.dump());
      if (key != "provenance")
        CHECK_THAT(message(), ContainsSubstring(name) && ContainsSubstring("--resume"));
      damaged[key] = 7;
      write_text(file, damaged.dump());
      if (key != "provenance")
        CHECK_THAT(message(), ContainsSubstring(name) && ContainsSubstring("--resume"));
    }
    write_text(file, "{\"tables\": ");
    CHECK_THAT(message(), ContainsSubstring(name + ":1:"));
    fs::remove(file);
    const Recording recording = load_recording(copy.path());
    REQUIRE(recording.missing.size() == 1);
    CHECK_THAT(recording.missing[0], ContainsSubstring("(" + name + ")"));
    write_text(file, text);
  }
  CHECK(message().empty());
}

TEST_CASE("damaged machine.json and study.json", "[study][recording]") {
  const RecordingCopy copy;
  const auto message = [&] { return bad_input([&] { static_cast<void>(load_recording(copy.path())); }); };
  const std::string machine = read_text(copy.path() / "machine.json");
  write_text(copy.path() / "machine.json", R"({"read_gbps": -3})");
  CHECK_THAT(message(), ContainsSubstring("machine.json: 'read_gbps' is no positive number"));
  write_text(copy.path() / "machine.json", R"({"bandwidth": 3})");
  CHECK_THAT(message(), ContainsSubstring("is it a machine.json of gvf?"));
  write_text(copy.path() / "machine.json", R"({"missing": {"ceilings": "no GPU memory left"}})");
  CHECK(load_recording(copy.path()).missing.at(0) == "machine.json lacks ceilings: no GPU memory left");
  write_text(copy.path() / "machine.json", machine);
  replace_in(copy.path() / "study.json", "\"gpu\"", "\"cpu_only\"");
  CHECK_THAT(message(), ContainsSubstring("study.json: has no 'gpu'"));
  fs::remove(copy.path() / "study.json");
  CHECK_THAT(message(), ContainsSubstring("has no study.json"));
  CHECK_THAT(bad_input([&] { static_cast<void>(load_recording(copy.path() / "nowhere")); }),
             ContainsSubstring("no such folder"));
}

TEST_CASE("missing parts are listed, missing timing is an error", "[study][recording]") {
  const RecordingCopy copy;
  fs::remove(copy.path() / "attribution" / "chain.json");
  fs::remove(copy.path() / "machine.json");
  fs::remove(copy.path() / "check.json");
  const Recording recording = load_recording(copy.path());
  REQUIRE(recording.missing.size() == 3);
  CHECK_THAT(recording.missing[0], ContainsSubstring("attribution/chain.json"));
  CHECK_THAT(recording.missing[1], ContainsSubstring("machine.json"));
  CHECK_THAT(recording.missing[2], ContainsSubstring("check.json"));
  fs::remove_all(copy.path() / "bench");
  CHECK_THAT(bad_input([&] { static_cast<void>(load_recording(copy.path())); }),
             ContainsSubstring("holds no bench/*.json"));
}

TEST_CASE("the newest recording is chosen by its date, not its name", "[study][recording]") {
  const ScratchFolder root;
  const auto add = [&](const std::string& name, const std::string& date) {
    write_text(root.path() / "docs" / "recordings" / name / "study.json", R"({"date": ")" + date + "\"}");
  };
  CHECK_THROWS_AS(static_cast<void>(newest_recording(root.path())), MachineLacks);
  add("a", "2026-03-01T00:00:00Z");
  add("z", "2025-12-31T00:00:00Z");
  CHECK(newest_recording(root.path()).filename() == "a");
  fs::create_directories(root.path() / "docs" / "recordings" / "notes");
  CHECK(newest_recording(root.path()).filename() == "a");
}

TEST_CASE("a recording of other device sources is stale", "[study][recording]") {
  Provenance p;
  p.sources_hash = "0123456789abcdef";
  CHECK(stale_note(p, "0123456789abcdef").empty());
  CHECK_THAT(stale_note(p, "ffff456789abcdef"), ContainsSubstring("0123456789ab there, ffff456789ab here"));
  CHECK(stale_note(p, "unknown").empty());
}

TEST_CASE("provenance survives a round trip", "[study][recording]") {
  const Provenance p = load_recording(synthetic_recording()).provenance;
  const Provenance back = provenance_from_json(to_json(p), "x");
  CHECK(to_json(back) == to_json(p));
  json text = to_json(p);
  text["l2_bytes"] = "62914560";
  CHECK(provenance_from_json(text, "x").l2_bytes == 62914560);
  text["l2_bytes"] = "large";
  CHECK_THAT(bad_input([&] { static_cast<void>(provenance_from_json(text, "x")); }),
             ContainsSubstring("l2_bytes"));
}
