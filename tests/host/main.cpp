// Host tests: no GPU, no driver.
#include "tests/catch_main.hpp"

int main(int argc, char** argv) {
  Catch::Session session;
  if (const int status = session.applyCommandLine(argc, argv); status != 0) return gvf::tests::exit_failed;
  return gvf::tests::run_catch(session);
}
