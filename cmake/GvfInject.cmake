# libgvf_inject.so, which the CUDA driver loads into a recorded program. It compiles what it needs of profiling/
# once more: position-independent, without CUDA, with the C++ library inside, so that it fits into any process.
file(GLOB inject_sources CONFIGURE_DEPENDS "${PROJECT_SOURCE_DIR}/profiling/inject/*.cpp")
add_library(gvf_inject SHARED
  ${inject_sources}
  profiling/cupti_api.cpp
  profiling/dynamic_library.cpp
  profiling/timeline.cpp
  profiling/record/buffer_pool.cpp
  profiling/record/recorder.cpp
  profiling/record/timeline_writer.cpp)
target_link_libraries(gvf_inject PRIVATE gvf::options fmt::fmt-header-only nlohmann_json::nlohmann_json
                                         Threads::Threads ${CMAKE_DL_LIBS})
set(inject_exports "${PROJECT_SOURCE_DIR}/profiling/inject/exports.map")
set_target_properties(gvf_inject PROPERTIES CXX_VISIBILITY_PRESET hidden VISIBILITY_INLINES_HIDDEN ON
                                            LINK_DEPENDS "${inject_exports}"
                                            LIBRARY_OUTPUT_DIRECTORY "${PROJECT_BINARY_DIR}")
target_link_options(gvf_inject PRIVATE -static-libstdc++ -static-libgcc "LINKER:--version-script=${inject_exports}"
                                       "LINKER:-z,defs" "LINKER:-z,nodelete")
