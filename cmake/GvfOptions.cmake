# gvf::options: language, floating-point and warning flags that every target shares.
add_library(gvf_options INTERFACE)
add_library(gvf::options ALIAS gvf_options)

set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_CUDA_RUNTIME_LIBRARY Static)
set(CMAKE_CUDA_SEPARABLE_COMPILATION OFF)
target_compile_features(gvf_options INTERFACE cxx_std_20)
if("cuda_std_20" IN_LIST CMAKE_CUDA_COMPILE_FEATURES)
  target_compile_features(gvf_options INTERFACE cuda_std_20)
else()  # CMake 3.25 doesn't know yet that nvcc has C++20.
  target_compile_options(gvf_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20>)
endif()

# A build that is not Release compiles, and refuses to time.
target_compile_definitions(gvf_options INTERFACE GVF_BUILD_TYPE="$<CONFIG>")

# Includes are written from the repository's root: "core/error.hpp".
target_include_directories(gvf_options INTERFACE "${PROJECT_SOURCE_DIR}")
# nvcc finds CCCL by itself, a host compiler does not. CUPTI is headers only: the library is opened at run time.
target_include_directories(gvf_options SYSTEM INTERFACE ${CUDAToolkit_INCLUDE_DIRS} "${GVF_CCCL_INCLUDE}"
                                                        "${GVF_NVTX_INCLUDE}" "${GVF_CUPTI_INCLUDE}")

# Host references must not contract a*b+c on their own: kernels are compared with them bit for bit.
set(gvf_host_flags -ffp-contract=off -Wall -Wextra)
if(CMAKE_CXX_COMPILER_ID STREQUAL "GNU" AND CMAKE_CXX_COMPILER_VERSION VERSION_LESS 13)
  list(APPEND gvf_host_flags -Wno-restrict)  # false alarm on "literal" + std::string, GCC bug 105651
endif()
if(GVF_WARNINGS_AS_ERRORS)
  list(APPEND gvf_host_flags -Werror)
  target_compile_options(gvf_options INTERFACE $<$<COMPILE_LANGUAGE:CUDA>:-Werror=all-warnings>)
endif()
list(JOIN gvf_host_flags "," gvf_nvcc_host_flags)
target_compile_options(gvf_options INTERFACE
  "$<$<COMPILE_LANGUAGE:CXX>:${gvf_host_flags}>"
  "$<$<COMPILE_LANGUAGE:CUDA>:-Xcompiler=${gvf_nvcc_host_flags}>"
  # -lineinfo: profilers show source lines; the code is the same.
  "$<$<COMPILE_LANGUAGE:CUDA>:--expt-relaxed-constexpr;--extended-lambda;-lineinfo>")
target_link_options(gvf_options INTERFACE "LINKER:--as-needed")
