# Third-party libraries: the machine's package first, a pinned release from its repository only where that is absent.
include(FetchContent)

set(THREADS_PREFER_PTHREAD_FLAG ON)
find_package(Threads REQUIRED)
# CMake 3.25.1 deprecates CUDA::nvToolsExt for projects that require 3.25, and fails where that library is gone (CUDA 13).
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.24)
find_package(CUDAToolkit ${GVF_MINIMUM_CUDA} REQUIRED)
set(CMAKE_MINIMUM_REQUIRED_VERSION 3.25)
find_package(Python3 3.11 COMPONENTS Interpreter)

# gvf_dependency(<package> <version> <repository> <tag>): find_package, else FetchContent.
macro(gvf_dependency package version repository tag)
  find_package(${package} ${version} QUIET)
  if(${package}_FOUND)
    message(STATUS "${package}: ${${package}_VERSION} from the machine")
  else()
    message(STATUS "${package}: fetching ${tag}")
    FetchContent_Declare(${package} GIT_REPOSITORY https://github.com/${repository}.git GIT_TAG ${tag}
                                    GIT_SHALLOW ON SYSTEM)
    FetchContent_MakeAvailable(${package})
  endif()
endmacro()

set(BENCHMARK_ENABLE_TESTING OFF CACHE BOOL "" FORCE)
set(BENCHMARK_ENABLE_INSTALL OFF CACHE BOOL "" FORCE)
gvf_dependency(benchmark 1.7 google/benchmark v1.9.1)
gvf_dependency(nlohmann_json 3.10 nlohmann/json v3.11.3)
gvf_dependency(CLI11 2.1 CLIUtils/CLI11 v2.4.2)
gvf_dependency(fmt "" fmtlib/fmt 11.0.2)

# Catch2 2.13 (Debian 12) and 3.x both do: tests/catch.hpp levels the difference.
if(GVF_BUILD_TESTS)
  gvf_dependency(Catch2 "" catchorg/Catch2 v3.7.1)
  if(DEFINED catch2_SOURCE_DIR)
    list(APPEND CMAKE_MODULE_PATH "${catch2_SOURCE_DIR}/extras")
  endif()
endif()
