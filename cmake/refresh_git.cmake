# cmake -P: writes OUTPUT from TEMPLATE with the commit of SOURCE. Only SOURCE's own repository counts: an unpacked
# archive that lies inside somebody else's checkout has no commit. SOURCES_HASH covers the device sources: *.cu and *.cuh
# of every layer and pipelines/*.hpp, as the SHA-256 of the lines "<SHA-256 of the file>  <path>\n" in order of path.
set(COMMIT unknown)
find_program(GIT git)
if(GIT AND EXISTS "${SOURCE}/.git")
  execute_process(COMMAND "${GIT}" -C "${SOURCE}" describe --always --dirty --abbrev=40 --exclude=*
                  OUTPUT_VARIABLE described OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    set(COMMIT "${described}")
  endif()
endif()

set(patterns pipelines/*.hpp)
foreach(layer core pipelines baseline fused graphs profiling study)
  list(APPEND patterns ${layer}/*.cu ${layer}/*.cuh)
endforeach()
list(TRANSFORM patterns PREPEND "${SOURCE}/")
file(GLOB files RELATIVE "${SOURCE}" ${patterns})
list(SORT files)
set(lines "")
foreach(file IN LISTS files)
  file(SHA256 "${SOURCE}/${file}" hash)
  string(APPEND lines "${hash}  ${file}\n")
endforeach()
string(SHA256 SOURCES_HASH "${lines}")
configure_file("${TEMPLATE}" "${OUTPUT}" @ONLY)
