// Entry point of `gvf-bench`, a plain Google Benchmark binary.
#include "study/measure/bench.hpp"

int main(int argc, char** argv) {
  return gvf::study::run_bench(argc, argv);
}
