# tests/unit/FOLDER/test_X.c -> CTest "unit.X"; tests/opcodes/X.txt -> "opcodes.X"; tests/cli/ROOM/X.sh -> "cli.X";
# tests/fuzz/fuzz_X.c -> "fuzz.X", and with HW_FUZZ the libFuzzer target fuzz_X; "level.L.X": the recorded opcodes and
# the unit tests of execution at the instruction-set level L.
file(GLOB fuzz_sources CONFIGURE_DEPENDS tests/fuzz/fuzz_*.c)
if(HW_FUZZ)
  add_custom_target(fuzz)
  foreach(source IN LISTS fuzz_sources)
    get_filename_component(name ${source} NAME_WE)
    add_executable(${name} ${source})
    target_link_libraries(${name} PRIVATE halfwarp_core)
    target_link_options(${name} PRIVATE -fsanitize=fuzzer)
    add_dependencies(fuzz ${name})
  endforeach()
endif()

if(NOT BUILD_TESTING)
  return()
endif()
pkg_check_modules(CMOCKA IMPORTED_TARGET cmocka)
if(NOT CMOCKA_FOUND)   # `make` and `make demo` do without; `make test` installs it
  message(STATUS "No tests: they need cmocka (libcmocka-dev)")
  return()
endif()

# Ten times what the slowest test takes on two idle processors: that the machine is busy is no failure.
set(most_seconds 900)

# What `make test` builds under sanitizers: no benchmarks, no libraries for users; the command and the runtimes for
# cli.sanitized alone, which needs nvcc.
add_custom_target(tests)
find_program(NVCC nvcc)
if(NVCC)
  add_dependencies(tests halfwarp cudart_11 cudart_12 cudart_13)
endif()

# What takes the time is the library's work, which is compiled as users get it: the tests are not optimised, which would
# take three quarters of their compiler's time, but for those that compute a lot themselves. What they do with integers
# is not sanitized, what they do with memory is.
set(busy_tests check_random ops_float ops_mma)
set(test_flags)
if(HW_SANITIZE)
  set(test_flags -fno-sanitize=undefined)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set(test_flags -g1)
endif()

file(GLOB unit_sources CONFIGURE_DEPENDS tests/unit/*/test_*.c tests/unit/test_*.c)
foreach(source IN LISTS unit_sources)
  get_filename_component(file_name ${source} NAME_WE)
  string(REPLACE "test_" "" name ${file_name})
  add_executable(${file_name} ${source})
  if(name MATCHES "^(exec_|compiled$|lanewise$)")
    target_sources(${file_name} PRIVATE tests/unit/at_level.c)
    list(APPEND level_tests ${name})
  endif()
  set_target_properties(${file_name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_include_directories(${file_name} PRIVATE tests/unit)
  target_link_libraries(${file_name} PRIVATE halfwarp_core PkgConfig::CMOCKA)
  # A test that checks with assert must not lose it to a release build.
  set(optimised -O0)
  if(name IN_LIST busy_tests)
    set(optimised -O1)
  endif()
  target_compile_options(${file_name} PRIVATE -UNDEBUG ${test_flags} ${optimised})
  target_compile_definitions(${file_name} PRIVATE
    HW_SOURCE_DIR="${CMAKE_SOURCE_DIR}" HW_TEST_CACHE="${HW_TEST_CACHE}")
  if(HW_SANITIZE)
    # Kernels are simulated by code that is not optimised: tests that run many of them make do with fewer.
    target_compile_definitions(${file_name} PRIVATE HW_SANITIZED=1)
  endif()
  if(source MATCHES "/unit/shim/")   # calls the runtime look-alike, and looks behind it
    target_sources(${file_name} PRIVATE shim/cudart/version.c $<TARGET_OBJECTS:shim_objects> $<TARGET_OBJECTS:cudart_objects>)
    target_include_directories(${file_name} PRIVATE . include/cuda)
    target_compile_definitions(${file_name} PRIVATE HW_CUDART=13)
  endif()
  if(name STREQUAL "lanewise")   # what it compiles counts in it
    set_target_properties(${file_name} PROPERTIES ENABLE_EXPORTS ON)
  endif()
  add_dependencies(tests ${file_name})
  add_test(NAME unit.${name} COMMAND ${file_name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(unit.${name} PROPERTIES TIMEOUT ${most_seconds} LABELS unit)
  # No result or count of an operation follows from the registers that ptxas counts: with a toolkit as without one these
  # tests do not ask for them, which took a quarter of their time where nothing was compiled before.
  if(source MATCHES "/unit/(op|ladder)/")
    set_property(TEST unit.${name} APPEND PROPERTY ENVIRONMENT PATH=/usr/bin:/bin)
  endif()
endforeach()

# What threads of the host may do at the same time, under the sanitizer of threads: to a check, to the runtime, and to a
# program of both of CUDA's interfaces, which has their doors inside. Each module alone is built for it, the rest is the
# library's; with the runtime the device's, whose atomics say that a kernel is prepared: the sanitizer would not see
# them. (It cannot start where the kernel lays out memory too freely.)
include(CheckCCompilerFlag)
set(CMAKE_REQUIRED_LINK_OPTIONS -fsanitize=thread)
check_c_compiler_flag(-fsanitize=thread HAS_THREAD_SANITIZER)
unset(CMAKE_REQUIRED_LINK_OPTIONS)
if(HAS_THREAD_SANITIZER AND NOT HW_SANITIZE)
  set(sanitized_flags -UNDEBUG ${test_flags} -O1 -fsanitize=thread)
  file(GLOB check_sources CONFIGURE_DEPENDS src/check/*.c)
  file(GLOB runtime_sources CONFIGURE_DEPENDS src/runtime/*.c src/device/*.c src/mem/*.c)
  list(FILTER runtime_sources EXCLUDE REGEX "cuda")   # real GPUs, which no thread here has
  file(GLOB door_sources CONFIGURE_DEPENDS shim/*.c shim/cuda/*.c shim/cudart/*.c)
  add_library(runtime_threads_objects OBJECT ${runtime_sources})
  target_link_libraries(runtime_threads_objects PRIVATE halfwarp_core)
  target_compile_options(runtime_threads_objects PRIVATE ${sanitized_flags})
  set(check_threads tests/unit/check/test_check_threads.c ${check_sources})
  set(runtime_threads tests/unit/runtime/test_runtime_threads.c $<TARGET_OBJECTS:runtime_threads_objects>)
  set(doors_threads tests/shim/driver_mixed.c ${door_sources} $<TARGET_OBJECTS:runtime_threads_objects>)
  foreach(module check runtime doors)
    set(sanitized ${module}_threads_sanitized)
    add_executable(${sanitized} ${${module}_threads})
    set_target_properties(${sanitized} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
    target_include_directories(${sanitized} PRIVATE tests/unit tests/unit/${module})
    target_link_libraries(${sanitized} PRIVATE halfwarp_core PkgConfig::CMOCKA)
    target_compile_options(${sanitized} PRIVATE ${sanitized_flags})
    target_link_options(${sanitized} PRIVATE -fsanitize=thread)
    add_dependencies(tests ${sanitized})
    add_test(NAME threads.${module} COMMAND ${sanitized})
    set_tests_properties(threads.${module} PROPERTIES
      TIMEOUT ${most_seconds} SKIP_REGULAR_EXPRESSION "FATAL: ThreadSanitizer: unexpected memory mapping")
  endforeach()
  target_include_directories(doors_threads_sanitized PRIVATE . include/cuda)
  target_compile_definitions(doors_threads_sanitized PRIVATE HW_CUDART=13)
endif()

# Tests of execution once more, by machine code: each kernel is compiled before the launch that counts.
foreach(name exec_barrier exec_convoy exec_fault exec_flow exec_memory)
  add_test(NAME compiled.${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(compiled.${name} PROPERTIES TIMEOUT ${most_seconds} ENVIRONMENT HALFWARP_TEST_COMPILED=1)
endforeach()

# Opcode tests: every row of a file becomes a kernel, whose results are compared with what an H200 gave.
add_executable(run_opcodes tests/opcodes/run_opcodes.c tests/opcodes/cases.c tests/unit/at_level.c)
set_target_properties(run_opcodes PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
target_link_libraries(run_opcodes PRIVATE halfwarp_core)
add_dependencies(tests run_opcodes)
file(GLOB opcode_files CONFIGURE_DEPENDS tests/opcodes/*.txt)
foreach(opcodes IN LISTS opcode_files)
  get_filename_component(name ${opcodes} NAME_WE)
  add_test(NAME opcodes.${name} COMMAND run_opcodes ${opcodes} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(opcodes.${name} PROPERTIES TIMEOUT 120 LABELS opcodes)
endforeach()

# The same at every level that this machine runs, where there is more than the best, which the tests above have.
list(LENGTH levels level_count)
if(level_count GREATER 1)
  # What takes its time is waiting and scheduling, which no level changes.
  list(REMOVE_ITEM level_tests exec_progress)
  set(seed 3)   # of unit.compiled, the last
  foreach(level IN LISTS levels)
    set(at_level)
    add_test(NAME level.${level}.opcodes COMMAND run_opcodes ${opcode_files} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    list(APPEND at_level level.${level}.opcodes)
    foreach(name IN LISTS level_tests)
      add_test(NAME level.${level}.${name} COMMAND test_${name} WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
      list(APPEND at_level level.${level}.${name})
    endforeach()
    set_tests_properties(${at_level} PROPERTIES
      TIMEOUT 120 LABELS level ENVIRONMENT "HW_TEST_LEVEL=${level}" SKIP_RETURN_CODE 77)
    # Random kernels of its own for each level, and a third of them: what takes the time is the C compiler.
    math(EXPR seed "${seed} + 1")
    set_property(TEST level.${level}.compiled APPEND PROPERTY ENVIRONMENT "HALFWARP_TEST_SEEDS=${seed} 1")
  endforeach()
endif()

# Fuzz targets with their corpus, without libFuzzer.
foreach(source IN LISTS fuzz_sources)
  get_filename_component(file_name ${source} NAME_WE)
  string(REPLACE "fuzz_" "" name ${file_name})
  add_executable(replay_${name} ${source} tests/fuzz/replay.c)
  set_target_properties(replay_${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_BINARY_DIR}/tests)
  target_link_libraries(replay_${name} PRIVATE halfwarp_core)
  add_dependencies(tests replay_${name})
  add_test(NAME fuzz.${name} COMMAND replay_${name} ${CMAKE_SOURCE_DIR}/tests/fuzz/corpus/${name})
  set_tests_properties(fuzz.${name} PROPERTIES TIMEOUT 120 LABELS fuzz)
endforeach()

if(NOT HW_SANITIZE)
  file(GLOB cli_scripts CONFIGURE_DEPENDS tests/cli/*/*.sh)
  foreach(script IN LISTS cli_scripts)
    get_filename_component(name ${script} NAME_WE)
    add_test(NAME cli.${name} COMMAND bash ${script} $<TARGET_FILE:halfwarp>
      WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
    # 77 from a script: what it needs is not on this machine.
    set_tests_properties(cli.${name} PROPERTIES TIMEOUT ${most_seconds} LABELS cli SKIP_RETURN_CODE 77)
  endforeach()
  add_test(NAME tree.includes COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_includes.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME tree.lines COMMAND bash ${CMAKE_SOURCE_DIR}/tools/check_lines.sh
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  add_test(NAME tree.sizes COMMAND python3 ${CMAKE_SOURCE_DIR}/tools/check_sizes.py
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
elseif(NVCC)
  add_test(NAME cli.sanitized COMMAND bash tests/cli/sanitized.bash $<TARGET_FILE:halfwarp>
    WORKING_DIRECTORY ${CMAKE_SOURCE_DIR})
  set_tests_properties(cli.sanitized PROPERTIES TIMEOUT ${most_seconds} LABELS cli SKIP_RETURN_CODE 77)
endif()

# The longest first, so that none of them runs alone at the end.
foreach(name unit.compile unit.device_code unit.exec_progress unit.ladder unit.ladder_counters unit.ladder_steps
    unit.matmul unit.matmul_integers unit.matmul_ladder unit.nearest unit.product_plan unit.reduce unit.reduce_cpu
    unit.transpose unit.transpose_host unit.transpose_strides cli.accuracy cli.estimate cli.generations cli.gpus
    cli.ladder cli.leftovers cli.limits cli.matmul cli.nvcc cli.nvcc_cmake cli.occupancy cli.places cli.profile
    cli.programs cli.progress cli.ptx cli.reduce cli.registers cli.reserved_shared cli.run cli.sanitized)
  if(TEST ${name})
    set_tests_properties(${name} PROPERTIES COST 10)
  endif()
endforeach()

if(HW_SANITIZE)
  # GCC 13 keeps too little alignment for 64-byte vectors where it looks for uses after return (GCC bug 110027).
  # And the leaks' finder takes a library's thread-local memory for what stands before it in memory (OpenBLAS; it ends
  # with a signal 11 of its own): it finds that memory through the thread as well.
  get_property(tests DIRECTORY PROPERTY TESTS)
  set_property(TEST ${tests} APPEND PROPERTY
    ENVIRONMENT "ASAN_OPTIONS=detect_stack_use_after_return=0:intercept_tls_get_addr=0")
endif()
