# What `--report` writes pages with: the files of cli/html/, and D3, a Debian package (node-d3), with its licence.
# Without it the command has no --report, and says what is missing.
set(html_sources)
set(d3_script /usr/share/nodejs/d3/dist/d3.min.js)
set(d3_licence /usr/share/doc/node-d3/copyright)
if(NOT EXISTS ${d3_script} OR NOT EXISTS ${d3_licence})
  message(STATUS "No pages by --report: they need D3 (node-d3)")
  set(d3_script /dev/null)
  set(d3_licence /dev/null)
endif()
# One script, of files that begin with what they define for those behind them.
set(scripts elements numbers table plots roofline access partitions code source timeline kernel profile hazards other page)
list(TRANSFORM scripts REPLACE "(.+)" "${CMAKE_SOURCE_DIR}/cli/html/script/\\1.js")
foreach(embedded "css;${CMAKE_SOURCE_DIR}/cli/html/report.css" "js;${scripts}" "d3;${d3_script}"
    "d3_licence;${d3_licence}")
  list(POP_FRONT embedded name)
  set(source ${CMAKE_BINARY_DIR}/html_${name}.c)
  add_custom_command(OUTPUT ${source} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D "IN=${embedded}" -D NAME=hw_cli_html_${name} -D OUT=${source}
      -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${embedded} ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake)
  list(APPEND html_sources ${source})
endforeach()
