# tests/unit/test_X.c -> CTest "unit.X"; tests/cli/X.sh -> "cli.X"; tests/fuzz/fuzz_X.c -> a libFuzzer target.
if(HW_FUZZ)
  file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE halfwarp_core)
    target_compile_options(${name} PRIVATE -fsanitize=fuzzer)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
  endforeach()
endif()

if(NOT BUILD_TESTING)
  return()
endif()
pkg_check_modules(CMOCKA REQUIRED IMPORTED_TARGET cmocka)

file(GLOB unit_sources CONFIGURE_DEPENDS tests/unit/test_*.c)
foreach(source IN LISTS unit_sources)
  get_filename_component(file_name ${source} NAME_WE)
  string(REPLACE "test_" "" name ${file_name})
  add_executable(${file_name} ${source})
  set_target_properties(${file_name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${file_name} PRIVATE tests/unit)
  target_link_libraries(${file_name} PRIVATE halfwarp_core PkgConfig::CMOCKA)
  # A test that checks with assert must not lose it to a release build.
  target_compile_options(${file_name} PRIVATE -UNDEBUG)
  target_compile_definitions(${file_name} PRIVATE
    HW_SOURCE_DIR="${CMAKE_SOURCE_DIR}" HW_BUILD_DIR="${CMAKE_BINARY_DIR}")
  add_test(NAME unit.${name} COMMAND ${file_name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT 120 LABELS unit)
endforeach()

if(NOT HW_SANITIZE)
  file(GLOB cli_scripts CONFIGURE_DEPENDS tests/cli/*.sh)
  foreach(script IN LISTS cli_scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli.${name} COMMAND bash ${script} $<TARGET_FILE:halfwarp>
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    # 77 from a script: what it needs is not on this machine.
    set_tests_properties(cli.${name} PROPERTIES TIMEOUT 240 LABELS cli SKIP_RETURN_CODE 77)
  endforeach()
  add_test(NAME tree.includes COMMAND bash ${CMAKE_SOURCE_DIR}/tools/check_includes.sh
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
endif()
