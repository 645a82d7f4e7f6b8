// Entry point of `gvf`.
#include "study/commands/command.hpp"

int main(int argc, char** argv) {
  return gvf::study::run_gvf(argc, argv);
}
