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

# And PTX of some of them, as one compiler made it (device/recorded.h): packed by a program that is built for that.
file(GLOB recorded_files CONFIGURE_DEPENDS kernels/recorded/*/*.ptx)
set(recorded_table ${CMAKE_BINARY_DIR}/recorded.c)
list(JOIN recorded_files "\n" recorded_list)
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/recorded.txt CONTENT "${recorded_list}\n")
add_executable(embed_recorded cmake/embed_recorded.c)
set_target_properties(embed_recorded PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tools)
target_link_libraries(embed_recorded PRIVATE PkgConfig::ZSTD)
add_custom_command(
  OUTPUT ${recorded_table}
  COMMAND embed_recorded ${CMAKE_BINARY_DIR}/recorded.txt ${recorded_table}
  DEPENDS ${recorded_files} ${CMAKE_BINARY_DIR}/recorded.txt embed_recorded
  COMMENT "Embedding recorded kernels"
  VERBATIM)
target_sources(core_objects PRIVATE ${recorded_table})
