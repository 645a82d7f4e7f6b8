# Every header compiles alone. One tiny source a header, compiled only when ctest asks, so that `gvf` doesn't wait for it.
# Headers that need nvcc are recognised by their text: .cuh, device keywords, or device libraries.
set(needs_nvcc "__global__|__device__|<<<|include <(cub|thrust|cooperative_groups|cuda)[/.]")

# gvf_header_check(<target> <headers>): the object library that compiles each header by itself.
function(gvf_header_check target)
  set(units "")
  foreach(header IN LISTS ARGN)
    file(RELATIVE_PATH path "${PROJECT_SOURCE_DIR}" "${header}")
    file(STRINGS "${header}" device_lines REGEX "${needs_nvcc}" LIMIT_COUNT 1)
    if(device_lines OR header MATCHES "\\.cuh$")
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}/${path}.cu")
    else()
      set(unit "${CMAKE_CURRENT_BINARY_DIR}/${target}/${path}.cpp")
    endif()
    # Twice: a header without include guard fails too.
    file(CONFIGURE OUTPUT "${unit}" CONTENT "#include \"${path}\"\n#include \"${path}\"\n")
    list(APPEND units "${unit}")
  endforeach()
  add_library(${target} OBJECT EXCLUDE_FROM_ALL ${units})
  target_link_libraries(${target} PRIVATE gvf::study)
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-O0>)
endfunction()

set(patterns "")
foreach(layer core pipelines baseline fused graphs profiling study)
  list(APPEND patterns "${PROJECT_SOURCE_DIR}/${layer}/*.hpp" "${PROJECT_SOURCE_DIR}/${layer}/*.cuh")
endforeach()
file(GLOB_RECURSE headers CONFIGURE_DEPENDS ${patterns})
set(header_fixtures "${CMAKE_CURRENT_SOURCE_DIR}/layering/fixture_headers")
gvf_header_check(gvf_headers ${headers} "${header_fixtures}/self_contained.hpp" "${header_fixtures}/self_contained.cuh")

# The check can fail: these two headers lean on an include that they don't make.
gvf_header_check(gvf_headers_bad_host "${header_fixtures}/leaning.hpp")
gvf_header_check(gvf_headers_bad_device "${header_fixtures}/leaning.cuh")

function(gvf_header_test name target)
  add_test(NAME ${name} COMMAND "${CMAKE_COMMAND}" --build "${PROJECT_BINARY_DIR}" --target ${target} --parallel 2)
  set_tests_properties(${name} PROPERTIES RESOURCE_LOCK build_tree TIMEOUT 1800 LABELS layout)
endfunction()
gvf_header_test(layout.headers_self_contained gvf_headers)
gvf_header_test(layout.headers_self_test_host gvf_headers_bad_host)
gvf_header_test(layout.headers_self_test_device gvf_headers_bad_device)
set_tests_properties(layout.headers_self_test_host PROPERTIES
                     PASS_REGULAR_EXPRESSION "leaning\\.hpp:[0-9]+:[0-9]+: error: .*vector.* in namespace .*std")
set_tests_properties(layout.headers_self_test_device PROPERTIES
                     PASS_REGULAR_EXPRESSION "leaning\\.cuh\\([0-9]+\\): error: .*blockReduce")
