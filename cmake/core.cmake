# The core: all of src/ as objects, of which cmake/library.cmake makes the one shared object that the command, the
# runtime look-alikes, users and tests share, and the archive. The lane loops are compiled once per instruction-set
# level; exec picks one at start.
file(GLOB core_sources CONFIGURE_DEPENDS src/*/*.c src/*/*/*.c src/*/*/*/*.c)
file(GLOB exec_sources CONFIGURE_DEPENDS src/exec/*.c src/exec/*/*.c)
file(GLOB level_sources CONFIGURE_DEPENDS src/exec/ops/ops_*.c src/exec/*/*_lanes.c)
if(level_sources)
  list(REMOVE_ITEM core_sources ${level_sources})
  list(REMOVE_ITEM exec_sources ${level_sources})
endif()

# Results are defined to the bit: no contraction that PTX does not ask for, and memory is untyped.
# Bodies jump to each other, at any level of optimisation (exec/ops/lanes.h).
set(exec_flags -ffp-contract=off -fno-strict-aliasing -foptimize-sibling-calls)
set(level_flags ${exec_flags} -fno-math-errno -fno-trapping-math)
# A loop over the lanes that copies is two vector moves, not a call of memcpy.
if(CMAKE_C_COMPILER_ID STREQUAL "GNU")
  list(APPEND level_flags -fno-tree-loop-distribute-patterns)
endif()
if(HW_SANITIZE)
  # There are thousands of bodies, three times: optimising them under sanitizers would take most of the test time.
  # Pointers that are null, or have wrapped, AddressSanitizer finds where they are used.
  list(APPEND level_flags -O0 -g1 -fno-sanitize=null,object-size,pointer-overflow)
elseif(NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  list(APPEND level_flags -O3 -g0)
endif()
set_property(SOURCE ${exec_sources} APPEND PROPERTY COMPILE_OPTIONS ${exec_flags})
if(HW_SANITIZE)
  file(GLOB busy_sources CONFIGURE_DEPENDS src/mem/*.c src/event/*.c src/model/*.c src/prof/*.c src/op/*/*_family.c
    src/op/matmul/cpu/*.c src/op/nearest/cpu/*.c)
  set_property(SOURCE ${exec_sources} ${busy_sources} APPEND PROPERTY COMPILE_OPTIONS -O1)
endif()

# The processor's reductions have the same bits at every level, and leave integers to the vectoriser.
file(GLOB fold_sources CONFIGURE_DEPENDS src/op/reduce/cpu/fold_*.c)
set_property(SOURCE ${fold_sources} APPEND PROPERTY COMPILE_OPTIONS -ffp-contract=off)
if(NOT HW_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set_property(SOURCE ${fold_sources} APPEND PROPERTY COMPILE_OPTIONS -O3 -g1)
endif()

# The models' counts by vectors leave their loops to the vectoriser as well.
file(GLOB distinct_sources CONFIGURE_DEPENDS src/model/distinct_*.c)
if(NOT HW_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set_property(SOURCE ${distinct_sources} APPEND PROPERTY COMPILE_OPTIONS -O3 -g1)
endif()

# Each access that is checked goes through loops over cells of shadow memory, or over lanes.
file(GLOB lanes_sources CONFIGURE_DEPENDS src/check/lanes_*.c)
if(NOT HW_SANITIZE AND NOT CMAKE_BUILD_TYPE STREQUAL "Debug")
  set_property(SOURCE src/check/race.c src/check/reads.c ${lanes_sources} APPEND PROPERTY COMPILE_OPTIONS -O3 -g1)
endif()

# The instruction sets of src/base/processor.h.
set(simd_avx2 -mavx2 -mfma -mbmi2 -mf16c)
set(simd_avx512 -mavx512f -mavx512bw -mavx512dq -mavx512vl ${simd_avx2} -mprefer-vector-width=512)

# The levels, ascending, and the best that this machine runs.
set(levels base)
if(CMAKE_SYSTEM_PROCESSOR MATCHES "^(x86_64|amd64|AMD64)$")
  list(APPEND levels avx2 avx512)
  set(has_x86_levels TRUE)
endif()

# The inner loops of the processor's operations: a file for each level, its name says which.
foreach(level avx2 avx512)
  file(GLOB simd_sources CONFIGURE_DEPENDS src/op/*/cpu/*_${level}.c src/op/*/cpu/*_${level}_*.c)
  if(has_x86_levels)
    set_property(SOURCE ${simd_sources} APPEND PROPERTY COMPILE_OPTIONS ${simd_${level}})
  else()
    list(REMOVE_ITEM core_sources ${simd_sources})
  endif()
endforeach()

# Compilers clear the upper halves of vector registers where a body ends or calls, and are to: while they are not clear,
# each turn to code without AVX, of which there is some between bodies, costs a Xeon a hundred nanoseconds
# (docs/performance.md, "What check costs"). An EPYC notices neither.
set(flags_base)
set(flags_avx2 ${simd_avx2})
set(flags_avx512 ${simd_avx512})

set(best_level base)
if(has_x86_levels AND EXISTS /proc/cpuinfo)
  file(STRINGS /proc/cpuinfo cpu_flags REGEX "^flags" LIMIT_COUNT 1)
  if(cpu_flags MATCHES " avx512vl")
    set(best_level avx512)
  elseif(cpu_flags MATCHES " avx2")
    set(best_level avx2)
  endif()
endif()
# The bodies are two thirds of what there is to compile. What was built for this machine alone runs on no other; adding
# the other levels later compiles nothing twice. Sanitized tests run the best level, so theirs are built so.
if(HW_LEVELS STREQUAL "native")
  set(levels ${best_level})
endif()

# The functions that bodies are made of, as text, for compiled kernels (src/compile/forms.h).
set(value_files types half float f32 f64 approx int bits convert compare)
list(TRANSFORM value_files PREPEND src/exec/ops/value_)
list(TRANSFORM value_files APPEND .h)
string(REPLACE value_half half value_files "${value_files}")
string(REPLACE value_approx approx value_files "${value_files}")
list(APPEND value_files src/compile/prologue.h)
set(value_text ${CMAKE_BINARY_DIR}/compile_values.c)
add_custom_command(OUTPUT ${value_text}
  COMMAND ${CMAKE_COMMAND} -D "IN=${value_files}" -D ROOT=${CMAKE_SOURCE_DIR} -D OUT=${value_text}
    -P ${CMAKE_SOURCE_DIR}/cmake/embed_values.cmake
  DEPENDS ${value_files} cmake/embed_values.cmake VERBATIM)

add_library(core_objects OBJECT ${core_sources} ${value_text})
set(library_objects $<TARGET_OBJECTS:core_objects>)
foreach(level IN LISTS levels)
  if(level_sources)
    add_library(exec_${level} OBJECT ${level_sources})
    target_include_directories(exec_${level} PRIVATE src include)
    target_compile_options(exec_${level} PRIVATE ${level_flags} ${flags_${level}})
    target_compile_definitions(exec_${level} PRIVATE HW_LEVEL=${level})
    # What all of them include, <immintrin.h> first of all, takes a fifth of a second for each file: it is read once a
    # level. Not with ccache, which would keep none of them.
    if(NOT CMAKE_C_COMPILER_LAUNCHER)
      target_precompile_headers(exec_${level} PRIVATE src/exec/ops/lanes.h)
    endif()
    list(APPEND library_objects $<TARGET_OBJECTS:exec_${level}>)
    set_property(SOURCE src/exec/ops/level.c APPEND PROPERTY COMPILE_DEFINITIONS HW_HAS_LEVEL_${level}=1)
  endif()
endforeach()
list(JOIN levels ", " level_list)
set_property(SOURCE src/exec/ops/level.c APPEND PROPERTY COMPILE_DEFINITIONS HW_LEVEL_LIST="${level_list}")
target_include_directories(core_objects PRIVATE src include)
target_link_libraries(core_objects PRIVATE ${CMAKE_DL_LIBS} PkgConfig::JANSSON PkgConfig::LZ4 PkgConfig::ZSTD Threads::Threads)

include(cmake/kernels.cmake)
include(cmake/families.cmake)
