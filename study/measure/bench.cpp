// Implements study/measure/bench.hpp.
#include "study/measure/bench.hpp"

#include <benchmark/benchmark.h>
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <iterator>
#include <memory>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/error.hpp"
#include "study/commands/selection.hpp"
#include "study/exit_code.hpp"
#include "study/io/output.hpp"
#include "study/io/running.hpp"
#include "study/measure/bench_lifecycle.hpp"
#include "study/measure/matrix.hpp"
#include "study/measure/measure.hpp"
#include "study/measure/provenance.hpp"
#include "study/measure/samples.hpp"
#include "study/measure/sm_clock.hpp"
#include "study/measure/workbench.hpp"

namespace gvf::study {
namespace {

enum class Clock { latency, throughput };

constexpr std::string_view to_string(Clock clock) {
  return clock == Clock::latency ? "latency" : "throughput";
}

struct Options {
  Depth depth = Depth::full;
  Selection selection;
  bool chose_side = false;  // --gvf_launched_from was given
};

// Splits gvf's own flags from argv; the rest is Google Benchmark's.
Options take_own_flags(std::vector<char*>& arguments) {
  Options options;
  const auto list = [](std::string_view text, std::vector<std::string>& into) {
    std::stringstream stream{std::string(text)};
    for (std::string item; std::getline(stream, item, ',');) into.push_back(item);
  };
  std::erase_if(arguments, [&](const char* argument) {
    const std::string_view text(argument);
    if (text == "--gvf_quick") {
      options.depth = Depth::quick;
    } else if (text.starts_with("--gvf_n=")) {
      list(text.substr(8), options.selection.sizes);
    } else if (text.starts_with("--gvf_k=")) {
      list(text.substr(8), options.selection.stages);
    } else if (text.starts_with("--gvf_r=")) {
      list(text.substr(8), options.selection.repeats);
    } else if (text.starts_with("--gvf_launched_from=")) {
      options.selection.launched_from = text.substr(20);
    } else {
      return false;
    }
    return true;
  });
  std::string& side = options.selection.launched_from;
  options.chose_side = !side.empty();
  if (side.empty()) side = "host";
  if (side != "host" && side != "device")
    throw BadInput(fmt::format("--gvf_launched_from={}: write host or device", side));
  return options;
}

// What the rows of one process share.
struct Harness {
  Harness(const Device& device, const Selection& selection) : bench(device, selection) {}
  Workbench bench;
  Stopwatch stopwatch;
  SmClock clock;
  bool something_failed = false;  // a row was an error: the gate rejected its variant, or CUDA did
};

// How long one repetition may measure, µs of expected time; with the iteration limits below it declares a
// study's run time.
constexpr double repetition_us = 8000;

std::int64_t iterations_for(double expected_us, Clock clock) {
  const double fitting = std::floor(repetition_us / expected_us);
  return static_cast<std::int64_t>(clock == Clock::latency ? std::clamp(fitting, 5.0, 200.0)
                                                           : std::clamp(fitting, 8.0, 400.0));
}

// The SM clock while `variant` keeps the GPU busy: two milliseconds are queued, then NVML is asked.
double loaded_mhz(Harness& harness, Variant& variant) {
  constexpr double load_us = 2000;
  const auto iterations = static_cast<int>(std::clamp(load_us / variant.expected_us(), 3.0, 500.0));
  for (int i = 0; i < iterations; ++i) variant.submit();
  const double mhz = harness.clock.mhz();
  variant.synchronize();
  return mhz;
}

void count_row(benchmark::State& state, const Variant& variant) {
  state.counters["kernels"] = variant.kernels();
  state.counters["submissions"] = variant.host_submissions();
  state.counters["bytes_min"] = static_cast<double>(variant.pipeline().bytes_min(variant.problem()));
  state.counters["bytes_intermediate"] = static_cast<double>(variant.byte_model().intermediate_bytes());
  state.counters["verified"] = 1;
  if (variant.kind().has_repeats()) state.counters["repeats"] = variant.iterations();
}

void count_percentiles(benchmark::State& state, const std::string& name, const std::vector<double>& samples) {
  state.counters[name] = median(samples);
  state.counters[name + "_p10"] = percentile(samples, 10);
  state.counters[name + "_p90"] = percentile(samples, 90);
}

// Returns what a reader of the row must know; empty: nothing.
std::string run_latency(benchmark::State& state, Harness& harness, Variant& variant) {
  for (int warm_up = 0; warm_up < 3; ++warm_up) measure_latency(variant);
  std::vector<double> wall;
  std::vector<double> host;
  for ([[maybe_unused]] auto _ : state) {
    const Latency latency = measure_latency(variant);
    const int iterations = variant.iterations();
    state.SetIterationTime(latency.wall_us / iterations * 1e-6);
    wall.push_back(latency.wall_us / iterations);
    host.push_back(latency.host_us / iterations);
  }
  count_row(state, variant);
  count_percentiles(state, "wall_us", wall);
  count_percentiles(state, "host_us", host);
  std::vector<double> spans;
  for (int i = 0; i < 9; ++i) {
    const Span span = measure_span(harness.stopwatch, variant);
    if (!span.reason.empty()) return "no span_us: " + span.reason;
    spans.push_back(span.span_us / variant.iterations());
  }
  state.counters["span_us"] = median(spans);
  return {};
}

std::string run_throughput(benchmark::State& state, Harness& harness, Variant& variant) {
  const auto in_flight = static_cast<int>(state.max_iterations);
  measure_throughput(harness.stopwatch, variant, std::min(in_flight, 8));
  // All iterations are one measurement; each is given its share, so that the row's time is the period.
  const Throughput throughput = measure_throughput(harness.stopwatch, variant, in_flight);
  const double period_us = throughput.period_us / variant.iterations();
  for ([[maybe_unused]] auto _ : state) state.SetIterationTime(period_us * 1e-6);
  count_row(state, variant);
  state.counters["period_us"] = period_us;
  state.counters["host_us"] = throughput.host_us / variant.iterations();
  return {};
}

void run_row(benchmark::State& state, Harness& harness, const Pipeline& pipeline, const Problem& problem,
             Structure structure, const SubmissionKind& submission, Clock clock) {
  std::string failure;
  try {
    const auto [variant, reason, not_applicable] =
        harness.bench.passed(pipeline, problem, structure, submission);
    if (variant != nullptr) {
      const PinnedThread pinned;
      const double mhz_before = loaded_mhz(harness, *variant);
      std::string label = clock == Clock::latency ? run_latency(state, harness, *variant)
                                                  : run_throughput(state, harness, *variant);
      const double mhz = loaded_mhz(harness, *variant);
      if (mhz > 0) state.counters["sm_mhz"] = mhz;
      const std::string remark = clock_remark(mhz_before, mhz, harness.clock.throttle_reasons());
      if (!remark.empty()) label += (label.empty() ? "" : "; ") + remark;
      if (!label.empty()) state.SetLabel(label);
      return;
    }
    failure = reason;
    if (not_applicable) {
      state.SkipWithError(("not applicable: " + reason).c_str());
      return;
    }
  } catch (const std::exception& error) {
    failure = error.what();
  }
  harness.something_failed = true;
  state.SkipWithError(failure.c_str());
}

using PlannedProblem = std::pair<const Pipeline*, Problem>;

// What to run, largest last. Throws BadInput for a size or a number of stages that cannot be.
std::vector<PlannedProblem> plan_problems(const Options& options) {
  std::vector<PlannedProblem> plan;
  for (const Pipeline& pipeline : catalog()) {
    std::vector<Problem> problems = bench_problems(pipeline, options.depth);
    if (chooses_problems(options.selection)) {
      std::set<std::int64_t> sizes;
      for (const Problem& problem : problems) sizes.insert(problem.n);
      problems =
          selected_problems(options.selection, pipeline, {sizes.begin(), sizes.end()}, {pipeline.default_k});
    }
    for (const Problem& problem : problems) plan.emplace_back(&pipeline, problem);
  }
  return plan;
}

void register_variants(Harness& harness, const Pipeline& pipeline, const Problem& problem,
                       bool sizes_were_chosen) {
  for (const Structure structure : all_structures) {
    const ByteModel model =
        pipeline.byte_model(structure, resolve(pipeline, structure, problem, harness.bench.device()));
    const double expected = expected_us(model, harness.bench.device());
    for (const SubmissionKind* kind : selected_submissions(harness.bench.selection())) {
      const SubmissionKind& submission = *kind;
      const bool has_rows =
          sizes_were_chosen ? is_measured(submission, problem) : is_benched(pipeline, submission, problem);
      if (!has_rows) continue;
      for (const Clock clock : {Clock::latency, Clock::throughput}) {
        benchmark::RegisterBenchmark(
            row_name(pipeline, structure, submission.name, to_string(clock), problem).c_str(),
            [&harness, &pipeline, problem, structure, &submission, clock](benchmark::State& state) {
              run_row(state, harness, pipeline, problem, structure, submission, clock);
            })
            ->UseManualTime()
            ->Unit(benchmark::kMicrosecond)
            ->Iterations(iterations_for(submission.repeats(problem) * expected, clock));
      }
    }
  }
}

// Random interleaving needs all problems of a process in memory at once.
void register_rows(Harness& harness, const std::vector<PlannedProblem>& plan, bool sizes_were_chosen) {
  const auto budget = static_cast<std::int64_t>(0.8 * static_cast<double>(free_device_bytes()));
  std::int64_t planned = 0;
  for (const auto& [pipeline, problem] : plan) {
    const std::int64_t needed = pipeline->device_bytes(problem);
    if (planned + needed > budget) {
      note(
          fmt::format("size skipped: {} at n = {} does not fit into this GPU's free memory beside the others",
                      pipeline->name, problem.n));
      continue;
    }
    planned += needed;
    register_variants(harness, *pipeline, problem, sizes_were_chosen);
  }
}

int run(int argc, char** argv) {
  require_release_build();
  // Defaults first, so that the user's flags override them.
  std::vector<std::string> defaults{"--benchmark_repetitions=9",
                                    "--benchmark_enable_random_interleaving=true",
                                    "--benchmark_display_aggregates_only=true"};
  std::vector<char*> arguments{argv[0]};
  for (std::string& flag : defaults) arguments.push_back(flag.data());
  std::copy(argv + 1, argv + argc, std::back_inserter(arguments));
  const Options options = take_own_flags(arguments);
  const std::vector<PlannedProblem> plan = plan_problems(options);
  int count = static_cast<int>(arguments.size());
  arguments.push_back(nullptr);
  benchmark::Initialize(&count, arguments.data());
  if (benchmark::ReportUnrecognizedArguments(count, arguments.data())) return exit_bad_input;

  const Device device = require_device();
  for (const auto& [key, value] : provenance(device)) benchmark::AddCustomContext(key, value);
  if (!options.chose_side)
    note("graphs that the device launches are for a process of their own: --gvf_launched_from=device");
  Harness harness(device, options.selection);
  register_rows(harness, plan, !options.selection.sizes.empty());
  if (!chooses_problems(options.selection) && options.selection.launched_from == "host")
    register_lifecycle_rows(options.depth, harness.something_failed);
  const std::size_t ran = benchmark::RunSpecifiedBenchmarks();
  benchmark::Shutdown();
  if (ran == 0) throw BadInput("no row matches --benchmark_filter; --benchmark_list_tests names them all");
  if (!harness.something_failed) return exit_done;
  note("some rows are errors: see their error_message");
  return exit_check_failed;
}

}  // namespace

int run_bench(int argc, char** argv) {
  setenv("CUDA_MODULE_LOADING", "EAGER", 0);  // see run_gvf
  return exit_code_of_running([&] { return run(argc, argv); });
}

}  // namespace gvf::study
