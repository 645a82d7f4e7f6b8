// `gvf list`: what there is to study.
#include <fmt/format.h>
#include <CLI/CLI.hpp>

#include <memory>
#include <nlohmann/json.hpp>

#include "study/catalog.hpp"
#include "study/commands/command.hpp"
#include "study/exit_code.hpp"

namespace gvf::study {
namespace {

nlohmann::ordered_json as_json() {
  nlohmann::ordered_json json;
  for (const Pipeline& pipeline : catalog()) {
    nlohmann::ordered_json entry{
        {"name", pipeline.name}, {"summary", pipeline.summary}, {"max_n", pipeline.max_n}};
    if (pipeline.has_k) entry["max_k"] = pipeline.max_k;
    for (const Implementation& implementation : pipeline.implementations) {
      entry["structures"].push_back(to_string(implementation.structure));
    }
    json["pipelines"].push_back(entry);
  }
  for (const SubmissionKind& kind : submissions()) {
    json["submissions"].push_back({{"name", kind.name}, {"summary", kind.summary}});
  }
  return json;
}

void print_text() {
  fmt::print("pipelines\n");
  for (const Pipeline& pipeline : catalog()) {
    fmt::print("  {:<10} {}\n  {:<10} structures:", pipeline.name, pipeline.summary, "");
    for (const Implementation& implementation : pipeline.implementations) {
      fmt::print(" {}", to_string(implementation.structure));
    }
    fmt::print("\n");
  }
  fmt::print("submissions\n");
  for (const SubmissionKind& kind : submissions()) fmt::print("  {:<15} {}\n", kind.name, kind.summary);
}

}  // namespace

void add_list(CLI::App& app, Action& run) {
  CLI::App* command = app.add_subcommand("list", "List pipelines, structures and submissions");
  const auto json = std::make_shared<bool>(false);
  command->add_flag("--json", *json, "Print JSON");
  command->callback([&run, json] {
    run = [json] {
      if (*json) {
        fmt::print("{}\n", as_json().dump(1));
      } else {
        print_text();
      }
      return int{exit_done};
    };
  });
}

}  // namespace gvf::study
