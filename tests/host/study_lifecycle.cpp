// lifecycle.json and its tables out of invented samples: which costs make up a break-even, what is missing,
// what is shown.
#include "study/measure/lifecycle.hpp"

#include "study/recordings/lifecycle_tables.hpp"
#include "tests/catch.hpp"

using namespace gvf;
using namespace gvf::study;
using Catch::Approx;
using Catch::Matchers::ContainsSubstring;
using graphs::Clocks;
using graphs::Shape;
using nlohmann::ordered_json;
namespace cost = graphs::cost;

namespace {

Clocks host(double us) {
  return {{us, us, us}, {}, {}};
}
Clocks host_and_wall(double host_us, double wall_us) {
  return {{host_us, host_us, host_us}, {wall_us, wall_us, wall_us}, {}};
}

// Every cost is a + b * nodes; a graph saves 2 us a node on the host and 1 us on the wall.
MeasuredGraph invented(int nodes) {
  const double n = nodes;
  MeasuredGraph graph;
  graph.nodes = nodes;
  graph.repetitions = 3;
  graph.costs[cost::capture] = host(10 + n);
  graph.costs[cost::instantiate] = host(20 + 2 * n);
  graph.costs[cost::upload] = host_and_wall(5, 10);
  graph.costs[cost::destroy] = host(5);
  graph.costs[cost::stream] = host_and_wall(3 * n, 10 + 3 * n);
  graph.costs[cost::replay] = host_and_wall(n, 10 + 2 * n);
  graph.costs[cost::replay_update_nodes] = host_and_wall(3 * n, 10 + 4 * n);
  graph.costs[cost::replay].device_us = {n, n, n};
  graph.memory = graphs::GraphMemory{64, 4096.0 * n, 1024, 0};
  return graph;
}

LifeCycle invented_study() {
  LifeCycle lifecycle;
  for (const int nodes : {1, 16, 256}) lifecycle.by_nodes.push_back(invented(nodes));
  for (const std::size_t bytes : {std::size_t{8}, std::size_t{4096}}) {
    MeasuredGraph graph = invented(16);
    graph.parameter_bytes = bytes;
    lifecycle.by_parameters.push_back(graph);
  }
  return lifecycle;
}

// The first row of a list whose members have these values.
ordered_json row_of(const ordered_json& rows, const ordered_json& members) {
  for (const ordered_json& row : rows) {
    bool matches = true;
    for (const auto& [key, value] : members.items())
      matches = matches && row.contains(key) && row[key] == value;
    if (matches) return row;
  }
  FAIL("no row has " << members.dump());
  return {};
}

}  // namespace

TEST_CASE("life cycle: a break-even sums its own one-off costs, on each clock", "[study][lifecycle]") {
  const ordered_json rows = to_json(invented_study())["break_even"];
  // Host: capture 26 + instantiate 52 + upload 5 = 83 over 48 - 16 = 32 a replay.
  const auto host_row = row_of(rows, {{"scenario", "same parameters"}, {"clock", "host_us"}, {"nodes", 16}});
  CHECK(host_row["one_off_us"] == 83);
  CHECK(host_row["stream_us"] == 48);
  CHECK(host_row["replay_us"] == 16);
  CHECK(host_row["replays"] == 3);
  CHECK(host_row["low"] == 3);
  CHECK(host_row["high"] == 3);
  // Wall: calls that wait for nothing count as on the host, the upload to its end: 88 over 58 - 42.
  const auto wall = row_of(rows, {{"scenario", "same parameters"}, {"clock", "wall_us"}, {"nodes", 16}});
  CHECK(wall["one_off_us"] == 88);
  CHECK(wall["replays"] == 6);
  // With the update the host saves nothing, and the wall loses.
  for (const char* clock : {"host_us", "wall_us"}) {
    const auto updated = row_of(
        rows, {{"scenario", "parameters updated each replay"}, {"update", "node by node"}, {"clock", clock}});
    CHECK(updated["replays"] == "never");
    CHECK(updated["high"] == "never");
  }
  // A shape for ten replays: destruction is due too, 88 in all, of 320 that ten replays save.
  const auto shape = row_of(
      rows, {{"scenario", "shape changes"}, {"replays_per_shape", 10}, {"clock", "host_us"}, {"nodes", 16}});
  CHECK(shape["one_off_us"] == 88);
  CHECK(shape["replays"] == 3);
  // 43 of 20 at one node: never. 1000 replays of one shape pay.
  CHECK(row_of(rows, {{"replays_per_shape", 10}, {"clock", "host_us"}, {"nodes", 1}})["replays"] == "never");
  CHECK(row_of(rows, {{"replays_per_shape", 1000}, {"clock", "host_us"}, {"nodes", 1}})["replays"] == 22);
}

TEST_CASE("life cycle: lines through costs, each clock its own", "[study][lifecycle]") {
  const ordered_json json = to_json(invented_study());
  const auto fit =
      row_of(json["fits"], {{"shape", "straight_line"}, {"cost", "instantiate"}, {"clock", "host_us"}});
  CHECK(fit["a_us"].get<double>() == Approx(20));
  CHECK(fit["b_us_per_node"].get<double>() == Approx(2));
  CHECK(fit["relative_error"].get<double>() == Approx(0).margin(1e-9));
  CHECK(row_of(json["fits"], {{"cost", "replay"}, {"clock", "device_us"}})["b_us_per_node"].get<double>() ==
        Approx(1));
  CHECK(row_of(json["memory_fits"], {{"shape", "straight_line"}})["b_bytes_per_node"].get<double>() ==
        Approx(4096));
  CHECK(row_of(json["parameter_fits"], {{"cost", "capture"}})["b_us_per_kib"].get<double>() ==
        Approx(0).margin(1e-9));
  CHECK(json["graphs"][1]["edges"] == 15);
  CHECK(json["graphs"][1]["costs"]["upload"]["wall_us"]["p90"] == 10);
  CHECK_FALSE(json["graphs"][1]["costs"]["capture"].contains("wall_us"));
}

TEST_CASE("life cycle: what could not be measured is told, and has no break-even", "[study][lifecycle]") {
  LifeCycle lifecycle = invented_study();
  lifecycle.by_nodes[0].missing["updates from the device"] = "the driver is too old";
  lifecycle.by_nodes[0].memory->bytes_per_executable = 512;  // less than can be told
  const ordered_json json = to_json(lifecycle);
  CHECK(json["graphs"][0]["missing"]["updates from the device"] == "the driver is too old");
  for (const auto& row : json["break_even"]) {
    const bool from_device = row.contains("update") && row["update"] == "from the device";
    CHECK_FALSE(from_device);
  }
  CHECK(json["memory_fits"][0]["b_bytes_per_node"].get<double>() == Approx(4096));
  const std::string text = to_text(lifecycle_tables(json));
  CHECK_THAT(text, ContainsSubstring("<1 ") &&
                       ContainsSubstring("1: no updates from the device (the driver is too old)"));
}

TEST_CASE("life cycle: a size that failed costs only itself", "[study][lifecycle]") {
  for (const std::size_t failed : {0U, 2U}) {
    LifeCycle lifecycle = invented_study();
    MeasuredGraph& graph = lifecycle.by_nodes[failed];
    graph.costs.clear();
    graph.memory.reset();
    graph.missing = {{"life cycle", "no memory left"}, {"memory", "no memory left"}};
    const ordered_json json = to_json(lifecycle);
    const auto fit = row_of(json["fits"], {{"cost", "instantiate"}, {"clock", "host_us"}});
    CHECK(fit["a_us"].get<double>() == Approx(20));
    CHECK(fit["b_us_per_node"].get<double>() == Approx(2));
    for (const auto& row : json["break_even"]) CHECK(row["nodes"] != graph.nodes);
    const std::string text = to_markdown(lifecycle_tables(json));
    CHECK_THAT(text, ContainsSubstring(std::to_string(graph.nodes) + ": no life cycle (no memory left)"));
    CHECK_THAT(text, ContainsSubstring("| capture | host |") && ContainsSubstring(" - |"));
  }
}

TEST_CASE("life cycle: every cost has its line in the table", "[study][lifecycle]") {
  LifeCycle lifecycle = invented_study();
  const std::vector<const char*> all{cost::capture,
                                     cost::build,
                                     cost::instantiate,
                                     cost::reinstantiate,
                                     cost::upload,
                                     cost::first_launch,
                                     cost::destroy,
                                     cost::stream,
                                     cost::replay,
                                     cost::update_nodes,
                                     cost::replay_update_nodes,
                                     cost::update_graph,
                                     cost::replay_update_graph,
                                     cost::build_updatable,
                                     cost::instantiate_updatable,
                                     cost::upload_updatable,
                                     cost::first_launch_updatable,
                                     cost::replay_update_device,
                                     cost::replay_twin,
                                     cost::destroy_updatable};
  for (MeasuredGraph& graph : lifecycle.by_nodes) {
    for (const char* name : all) graph.costs.emplace(name, host(7));
  }
  const std::string text = to_text(lifecycle_tables(to_json(lifecycle)));
  for (const char* name : all) CHECK_THAT(text, ContainsSubstring("\n  " + std::string(name) + " "));
  CHECK_THAT(text, ContainsSubstring("next to empty") && ContainsSubstring("never") &&
                       ContainsSubstring("shape changes every 1000 replays"));
  CHECK_THAT(text, !ContainsSubstring("nan"));
}

TEST_CASE("life cycle: edges of the three shapes", "[study][lifecycle]") {
  using graphs::edge_count;
  CHECK(edge_count(Shape::straight_line, 1) == 0);
  CHECK(edge_count(Shape::straight_line, 5) == 4);
  CHECK(edge_count(Shape::fan_out, 5) == 4);
  CHECK(edge_count(Shape::diamond, 4) == 4);
  CHECK(edge_count(Shape::diamond, 8) == 9);  // two diamonds and the edge between them
  CHECK(edge_count(Shape::diamond, 3) == 2);
  for (const Shape shape : graphs::all_shapes) {
    for (int node = 1; node < 20; ++node) {
      const graphs::Predecessors before = predecessors(shape, node);
      REQUIRE(before.count > 0);
      for (int i = 0; i < before.count; ++i) CHECK(before.nodes[static_cast<std::size_t>(i)] < node);
    }
  }
}
