# gvf::git: the commit and device sources that were built, as constants in generated/gvf_git.hpp. A new commit recompiles one small file.
set(gvf_generated "${PROJECT_BINARY_DIR}/generated")
configure_file("${CMAKE_CURRENT_LIST_DIR}/gvf_git.hpp.in" "${gvf_generated}/gvf_git.hpp" COPYONLY)

# Runs in every build, and rewrites the .cpp only when its content changes.
add_custom_target(gvf_git_refresh
  COMMAND "${CMAKE_COMMAND}" "-DSOURCE=${PROJECT_SOURCE_DIR}" "-DVERSION=${PROJECT_VERSION}"
          "-DCUDA_COMPILER_VERSION=${CMAKE_CUDA_COMPILER_VERSION}" "-DTEMPLATE=${CMAKE_CURRENT_LIST_DIR}/gvf_git.cpp.in"
          "-DOUTPUT=${gvf_generated}/gvf_git.cpp" -P "${CMAKE_CURRENT_LIST_DIR}/refresh_git.cmake"
  BYPRODUCTS "${gvf_generated}/gvf_git.cpp"
  COMMENT "Reading the git commit" VERBATIM)

add_library(gvf_git STATIC "${gvf_generated}/gvf_git.cpp")
add_library(gvf::git ALIAS gvf_git)
add_dependencies(gvf_git gvf_git_refresh)
target_link_libraries(gvf_git PRIVATE gvf::options)
target_include_directories(gvf_git PUBLIC "${PROJECT_BINARY_DIR}" "${gvf_generated}")
