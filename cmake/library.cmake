# libhalfwarp.so, the one object that has the core, and libhalfwarp.a, of the same objects, with what CMake and
# pkg-config need to find them.
include(CMakePackageConfigHelpers)

# Plain names: they are installed for users of the archive, whose machine has these libraries elsewhere.
set(library_needs jansson lz4 zstd -l:libsupc++.a ${CMAKE_DL_LIBS} m pthread)

# What the headers promise has the version HALFWARP_0. The command and the runtime look-alikes use more of the core than
# users may: that has a version of this release alone, so that parts of two releases refuse each other when they start.
set(public_headers include/halfwarp.h include/halfwarp/sim.h)
set(promised)
foreach(header IN LISTS public_headers)
  file(STRINGS ${header} declarations REGEX "^HW_API ")
  list(TRANSFORM declarations REPLACE "^HW_API .*[ *](hw_[a-z0-9_]+)\\(.*" "\\1")
  list(APPEND promised ${declarations})
endforeach()
list(JOIN promised " " promised)
string(REPLACE " " ";\n    " promised "${promised}")
set_property(DIRECTORY APPEND PROPERTY CMAKE_CONFIGURE_DEPENDS ${public_headers})
set(library_map ${CMAKE_BINARY_DIR}/libhalfwarp.map)
file(GENERATE OUTPUT ${library_map} CONTENT "HALFWARP_0 {\n  global:\n    ${promised};\n  local:\n    *;\n};\n\
HALFWARP_PRIVATE_${PROJECT_VERSION} {\n  global:\n    hw_*;\n};\n")

add_library(halfwarp_shared SHARED ${library_objects})
# Kernel names are demangled by the C++ runtime's archive, which comes with g++ and with clang.
target_link_libraries(halfwarp_shared
  PRIVATE PkgConfig::JANSSON PkgConfig::LZ4 PkgConfig::ZSTD Threads::Threads -l:libsupc++.a ${CMAKE_DL_LIBS} m)
# The core's own calls stay within it, whatever names the program has.
target_link_options(halfwarp_shared PRIVATE
  -Wl,--exclude-libs,ALL -Wl,-Bsymbolic -Wl,--version-script=${library_map})
if(NOT HW_SANITIZE)   # whose own symbols are found when the program starts
  target_link_options(halfwarp_shared PRIVATE -Wl,-z,defs)
endif()
# The interface may change with every 0.x version until there is a 1.0.
set_target_properties(halfwarp_shared PROPERTIES
  OUTPUT_NAME halfwarp EXPORT_NAME halfwarp VERSION ${PROJECT_VERSION} SOVERSION 0 LINKER_LANGUAGE C
  LINK_DEPENDS ${library_map})

# hw_finds_library(TARGET BUILT INSTALLED): where the shared object lies, from TARGET's folder. DT_RPATH and not RUNPATH:
# each finds the object that it was built with, whatever LD_LIBRARY_PATH says. Both places stand in both trees, since
# CMake fills up what it replaces on installing with empty ones, which mean the current folder. The linker looks from
# where it finds the library, which may be a link in a folder like a toolkit's: the shared object has one there as well.
function(hw_finds_library target built installed)
  set_target_properties(${target} PROPERTIES
    BUILD_WITH_INSTALL_RPATH ON INSTALL_RPATH "\$ORIGIN${built};\$ORIGIN${installed};\$ORIGIN")
  target_link_options(${target} PRIVATE -Wl,--disable-new-dtags)
endfunction()

# What is built here uses the core by this: its headers, the shared object, and the libraries that they use as well.
add_library(halfwarp_core INTERFACE)
target_include_directories(halfwarp_core INTERFACE src include)
target_link_libraries(halfwarp_core
  INTERFACE halfwarp_shared PkgConfig::JANSSON PkgConfig::LZ4 PkgConfig::ZSTD Threads::Threads ${CMAKE_DL_LIBS} m)

add_library(halfwarp_static STATIC ${library_objects})
target_link_libraries(halfwarp_static INTERFACE ${library_needs})
set_target_properties(halfwarp_static PROPERTIES OUTPUT_NAME halfwarp LINKER_LANGUAGE C)

foreach(library halfwarp_shared halfwarp_static)
  target_include_directories(${library} INTERFACE
    $<BUILD_INTERFACE:${CMAKE_SOURCE_DIR}/include> $<INSTALL_INTERFACE:include>)
endforeach()

install(TARGETS halfwarp_shared halfwarp_static EXPORT HalfwarpTargets LIBRARY DESTINATION lib ARCHIVE DESTINATION lib)
install(FILES include/halfwarp.h DESTINATION include)
install(FILES include/halfwarp/sim.h include/halfwarp/status.h DESTINATION include/halfwarp)

install(EXPORT HalfwarpTargets NAMESPACE Halfwarp:: DESTINATION lib/cmake/Halfwarp)
configure_file(cmake/HalfwarpConfig.cmake.in HalfwarpConfig.cmake @ONLY)
write_basic_package_version_file(${CMAKE_BINARY_DIR}/HalfwarpConfigVersion.cmake COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/HalfwarpConfig.cmake ${CMAKE_BINARY_DIR}/HalfwarpConfigVersion.cmake
  cmake/HalfwarpTest.cmake
  DESTINATION lib/cmake/Halfwarp)

list(TRANSFORM library_needs REPLACE "^([a-z].*)" "-l\\1" OUTPUT_VARIABLE private_libs)
list(JOIN private_libs " " private_libs)
configure_file(cmake/halfwarp.pc.in halfwarp.pc @ONLY)
install(FILES ${CMAKE_BINARY_DIR}/halfwarp.pc DESTINATION lib/pkgconfig)
