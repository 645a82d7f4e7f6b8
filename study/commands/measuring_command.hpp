// A subcommand that measures one thing, writes it as JSON and prints it as tables.
#pragma once

#include <nlohmann/json.hpp>

#include "study/commands/command.hpp"
#include "study/recordings/render.hpp"

namespace gvf::study {

struct MeasuringCommand {
  const char* name;
  const char* help;
  const char* file;                                    // what --output writes
  nlohmann::ordered_json (*measure)(bool quick);       // on the GPU that is there; throws MachineLacks
  Document (*tables)(const nlohmann::json& measured);  // of what `measure` returned
};

// Adds it with --quick, --output, --json and --markdown. What it writes has its provenance in front.
void add_measuring_command(CLI::App& app, Action& run, const MeasuringCommand& command);

}  // namespace gvf::study
