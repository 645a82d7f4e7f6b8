# cmake -P: prints which parts of the CUDA toolkit this machine lacks, one a line (nvcc, nvtx, cupti).
include("${CMAKE_CURRENT_LIST_DIR}/GvfToolkit.cmake")
gvf_survey_toolkit()
foreach(part IN LISTS GVF_TOOLKIT_MISSING)
  execute_process(COMMAND "${CMAKE_COMMAND}" -E echo "${part}")
endforeach()
