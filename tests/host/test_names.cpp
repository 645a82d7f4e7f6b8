// Names of test cases pass through CMake lists on their way to ctest: a ';' makes two tests of one, an open
// '[' one of all that follow, and each of those is run under a name that no test has, which passes.
#include <filesystem>
#include <fstream>
#include <regex>
#include <sstream>

#include "tests/catch.hpp"

TEST_CASE("names of test cases hold nothing that CMake lists take apart", "[tests]") {
  const std::regex test_case(R"re(TEST_CASE\(\s*((?:"[^"]*"\s*)+))re");
  std::size_t found = 0;
  for (const char* folder : {"host", "device"}) {
    const auto tests = std::filesystem::path(GVF_SOURCE_DIR) / "tests" / folder;
    for (const auto& file : std::filesystem::directory_iterator(tests)) {
      std::ostringstream text;
      text << std::ifstream(file.path()).rdbuf();
      const std::string source = text.str();
      for (std::sregex_iterator at(source.begin(), source.end(), test_case), end; at != end; ++at, ++found) {
        const std::string name = (*at)[1];
        CAPTURE(file.path(), name);
        CHECK(name.find_first_of(";[]\\") == std::string::npos);
      }
    }
  }
  CHECK(found > 100);
}
