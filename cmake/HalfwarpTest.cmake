# halfwarp_add_test(TARGET
#   [NAME name]                    # of the test; halfwarp.TARGET unless given
#   [GPU id]                       # h200 unless given; `halfwarp gpus` lists them
#   [BUDGETS condition|file.toml ...]   # --fail-if, and where the word ends in .toml --budgets
#   [CHECK]                        # the test fails when there are hazards, too
#   [REPORT file.html] [JUNIT file.xml] [SARIF file.sarif]
#   [ARGS argument ...])           # the program's
#
# Adds a test that runs a program on a simulated GPU, and fails when the program does, when a launch breaks a budget, or
# with CHECK when it has hazards.
#
#   find_package(Halfwarp REQUIRED COMPONENTS Test)
#   halfwarp_add_test(histogram GPU t4 BUDGETS "bank_passes > 1.1" ${CMAKE_SOURCE_DIR}/budgets.toml ARGS 1000)
find_program(HALFWARP_EXECUTABLE halfwarp HINTS "${CMAKE_CURRENT_LIST_DIR}/../../../bin")
mark_as_advanced(HALFWARP_EXECUTABLE)

function(halfwarp_add_test target)
  cmake_parse_arguments(PARSE_ARGV 1 hw "CHECK" "NAME;GPU;REPORT;JUNIT;SARIF" "BUDGETS;ARGS")
  if(NOT HALFWARP_EXECUTABLE)
    message(FATAL_ERROR "halfwarp_add_test: there is no halfwarp on PATH; -DHALFWARP_EXECUTABLE= names one")
  endif()
  if(hw_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "halfwarp_add_test: what does '${hw_UNPARSED_ARGUMENTS}' mean? The program's arguments stand "
      "behind ARGS")
  endif()
  if(NOT hw_NAME)
    set(hw_NAME halfwarp.${target})
  endif()
  set(command ${HALFWARP_EXECUTABLE} profile)
  foreach(option GPU REPORT JUNIT SARIF)
    if(hw_${option})
      string(TOLOWER ${option} word)
      list(APPEND command --${word} ${hw_${option}})
    endif()
  endforeach()
  foreach(budget IN LISTS hw_BUDGETS)
    if(budget MATCHES "\\.toml$")
      list(APPEND command --budgets ${budget})
    else()
      list(APPEND command --fail-if ${budget})
    endif()
  endforeach()
  if(hw_CHECK)
    list(APPEND command --check)
  endif()
  add_test(NAME ${hw_NAME} COMMAND ${command} -- $<TARGET_FILE:${target}> ${hw_ARGS})
endfunction()
