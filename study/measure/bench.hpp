// `gvf-bench`: every variant at every size as a Google Benchmark row, on both clocks.
#pragma once

namespace gvf::study {

// Runs Google Benchmark with gvf's defaults (9 repetitions, random interleaving) before the user's flags.
// Besides
// --benchmark_*, takes --gvf_quick and --gvf_n=, --gvf_k= (comma-separated). Returns an exit code.
int run_bench(int argc, char** argv);

}  // namespace gvf::study
