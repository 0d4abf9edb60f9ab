# The library for users: libhalfwarp.so and libhalfwarp.a of the objects of halfwarp_core, with what CMake and pkg-config
# need to find them. What is not marked HW_API is hidden.
include(CMakePackageConfigHelpers)

set(library_objects $<TARGET_OBJECTS:halfwarp_core>)
foreach(level IN LISTS levels)
  list(APPEND library_objects $<TARGET_OBJECTS:exec_${level}>)
endforeach()
# Plain names: they are installed for users of the archive, whose machine has these libraries elsewhere.
set(library_needs jansson lz4 zstd -l:libsupc++.a ${CMAKE_DL_LIBS} m pthread)

add_library(halfwarp_shared SHARED ${library_objects})
target_link_libraries(halfwarp_shared
  PRIVATE PkgConfig::JANSSON PkgConfig::LZ4 PkgConfig::ZSTD Threads::Threads -l:libsupc++.a ${CMAKE_DL_LIBS} m)
target_link_options(halfwarp_shared PRIVATE -Wl,--exclude-libs,ALL)
if(NOT HW_SANITIZE)   # whose own symbols are found when the program starts
  target_link_options(halfwarp_shared PRIVATE -Wl,-z,defs)
endif()
# The interface may change with every 0.x version until there is a 1.0.
set_target_properties(halfwarp_shared PROPERTIES
  OUTPUT_NAME halfwarp EXPORT_NAME halfwarp VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C)

add_library(halfwarp_static STATIC ${library_objects})
target_link_libraries(halfwarp_static INTERFACE ${library_needs})
set_target_properties(halfwarp_static PROPERTIES OUTPUT_NAME halfwarp LINKER_LANGUAGE C)

foreach(library halfwarp_shared halfwarp_static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endforeach()

install(TARGETS halfwarp_shared halfwarp_static EXPORT HalfwarpTargets LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
install(FILES include/halfwarp.h DESTINATION include)
install(FILES include/halfwarp/status.h DESTINATION include/halfwarp)

install(EXPORT HalfwarpTargets NAMESPACE Halfwarp:: DESTINATION lib/cmake/Halfwarp)
configure_file(cmake/HalfwarpConfig.cmake.in HalfwarpConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/HalfwarpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/HalfwarpConfig.cmake ${CMAKE_BINARY_DIR}/HalfwarpConfigVersion.cmake
  DESTINATION lib/cmake/Halfwarp)

list(TRANSFORM library_needs REPLACE "^([a-z].*)" "-l\\1" OUTPUT_VARIABLE private_libs)
list(JOIN private_libs " " private_libs)
configure_file(cmake/halfwarp.pc.in halfwarp.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/halfwarp.pc DESTINATION lib/pkgconfig)
