# The families of the ladder: each src/op/NAME/NAME_family.c becomes a row HW_FAMILY(NAME) of families.def, so that a new
# family is its kernels, its ladder.def and its operation file, and no list.
file(GLOB family_sources CONFIGURE_DEPENDS src/op/*/*_family.c)
set(family_rows "// Made by cmake/families.cmake.\n")
foreach(source IN LISTS family_sources)
  get_filename_component(name ${source} NAME)
  string(REPLACE "_family.c" "" name ${name})
  string(APPEND family_rows "HW_FAMILY(${name})\n")
endforeach()
file(GENERATE OUTPUT ${CMAKE_BINARY_DIR}/generated/families.def CONTENT "${family_rows}")
# The root as well: operation files include kernels/NAME/ladder.def.
target_include_directories(core_objects PRIVATE ${CMAKE_BINARY_DIR}/generated ${CMAKE_SOURCE_DIR})
