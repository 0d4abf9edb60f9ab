# The kernels' sources become a table in the library: kernels/FAMILY/X.cu is found there as "FAMILY/X.cu".
file(GLOB kernel_sources CONFIGURE_DEPENDS RELATIVE ${CMAKE_SOURCE_DIR}/kernels kernels/*/*.cu kernels/*/*.cuh)
set(kernel_table ${CMAKE_BINARY_DIR}/kernels.c)
set(kernel_paths ${kernel_sources})
list(TRANSFORM kernel_paths PREPEND ${CMAKE_SOURCE_DIR}/kernels/)
string(REPLACE ";" "|" kernel_list "${kernel_sources}")
# The list is written where it changed, so that a file that goes is missed as well.
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/kernels.txt CONTENT "${kernel_list}\n")
add_custom_command(
  OUTPUT ${kernel_table}
  COMMAND ${CMAKE_COMMAND} -D ROOT=${CMAKE_SOURCE_DIR}/kernels -D LIST=${CMAKE_BINARY_DIR}/kernels.txt
    -D OUT=${kernel_table} -P ${CMAKE_SOURCE_DIR}/cmake/embed_kernels.cmake
  DEPENDS ${kernel_paths} ${CMAKE_BINARY_DIR}/kernels.txt ${CMAKE_SOURCE_DIR}/cmake/embed_kernels.cmake
  COMMENT "Embedding kernels"
  VERBATIM)
target_sources(core_objects PRIVATE ${kernel_table})
