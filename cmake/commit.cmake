# cmake -D ROOT=source -D COMMIT=name-or-nothing -D OUT=commit.c -P commit.cmake
# Writes the commit that is built as C, and touches the file only when it is another one.
cmake_minimum_required(VERSION 3.18)
if(NOT COMMIT)
  execute_process(COMMAND git -C ${ROOT} describe --always --dirty --abbrev=12 OUTPUT_VARIABLE COMMIT
    OUTPUT_STRIP_TRAILING_WHITESPACE ERROR_QUIET)
endif()
if(NOT COMMIT)
  set(COMMIT unknown)
endif()
file(CONFIGURE OUTPUT ${OUT} CONTENT "// Made by cmake/commit.cmake.\n#include \"cli.h\"\n\nconst char hw_cli_commit[] = \"@COMMIT@\";\n" @ONLY)
