// Every kernel that a Launcher may give a programmatic edge waits before it does anything: read in the
// sources, because a kernel that forgets it is right under every other submission.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/catch.hpp"

namespace {

namespace fs = std::filesystem;

std::string text_of(const fs::path& file) {
  std::ifstream in(file);
  std::stringstream text;
  text << in.rdbuf();
  return text.str();
}

// First statements of the kernels that a source defines.
std::vector<std::string> first_statements(const std::string& source) {
  std::vector<std::string> found;
  for (std::size_t at = source.find("__global__"); at != std::string::npos;
       at = source.find("__global__", at + 1)) {
    const std::size_t body = source.find('{', at);
    REQUIRE(body != std::string::npos);
    const std::size_t begin = source.find_first_not_of(" \n", body + 1);
    found.push_back(source.substr(begin, source.find(';', begin) - begin + 1));
  }
  return found;
}

}  // namespace

TEST_CASE("every kernel of a pipeline begins with begin_dependent_kernel()", "[core][programmatic]") {
  int kernels = 0;
  for (const char* folder : {"baseline", "fused", "graphs"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(GVF_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cu") continue;
      for (const std::string& statement : first_statements(text_of(entry.path()))) {
        CAPTURE(entry.path().string(), statement);
        CHECK(statement == "begin_dependent_kernel();");
        ++kernels;
      }
    }
  }
  CHECK(kernels >= 8);
}

TEST_CASE("what a kernel's predecessor writes is not read through a restricted pointer",
          "[core][programmatic]") {
  // Only a pipeline's input, which no kernel writes, may be.
  for (const char* folder : {"baseline", "fused"}) {
    for (const auto& entry : fs::directory_iterator(fs::path(GVF_SOURCE_DIR) / folder)) {
      if (entry.path().extension() != ".cu") continue;
      const std::string source = text_of(entry.path());
      const std::regex restricted(R"(__restrict__ (\w+))");
      for (std::sregex_iterator it(source.begin(), source.end(), restricted), end; it != end; ++it) {
        CAPTURE(entry.path().string(), it->str());
        CHECK((*it)[1] == "x");
      }
    }
  }
}
