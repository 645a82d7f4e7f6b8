// The environment variables by which `gvf record` talks to the library inside the program.
#pragma once

namespace gvf::profiling::record_environment {

inline constexpr const char* cuda_injection = "CUDA_INJECTION64_PATH";  ///< read by the CUDA driver
inline constexpr const char* nvtx_injection = "NVTX_INJECTION64_PATH";  ///< read by NVTX at its first call
inline constexpr const char* output = "GVF_RECORD_OUTPUT";              ///< a folder or a file, absolute
inline constexpr const char* graph_nodes = "GVF_RECORD_GRAPH_NODES";    ///< "1": a record a node
inline constexpr const char* flush_interval = "GVF_RECORD_FLUSH_MS";

}  // namespace gvf::profiling::record_environment
