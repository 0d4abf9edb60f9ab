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
foreach(pair css|${CMAKE_SOURCE_DIR}/cli/html/report.css js|${CMAKE_SOURCE_DIR}/cli/html/report.js d3|${d3_script}
    d3_licence|${d3_licence})
  string(REPLACE "|" ";" pair ${pair})
  list(GET pair 0 name)
  list(GET pair 1 file)
  set(source ${CMAKE_BINARY_DIR}/html_${name}.c)
  add_custom_command(OUTPUT ${source} VERBATIM
    COMMAND ${CMAKE_COMMAND} -D IN=${file} -D NAME=hw_cli_html_${name} -D OUT=${source}
      -P ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake
    DEPENDS ${file} ${CMAKE_SOURCE_DIR}/cmake/embed_text.cmake)
  list(APPEND html_sources ${source})
endforeach()
