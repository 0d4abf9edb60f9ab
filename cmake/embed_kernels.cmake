# cmake -D ROOT=kernels -D LIST=kernels.txt -D OUT=kernels.c -P embed_kernels.cmake
# Writes the files that LIST names (separated by |) as C: bytes, so that no text needs escaping.
cmake_minimum_required(VERSION 3.18)
file(READ ${LIST} paths)
string(STRIP "${paths}" paths)
string(REPLACE "|" ";" paths "${paths}")
set(texts "")
set(rows "")
set(number 0)
foreach(path IN LISTS paths)
  file(READ ${ROOT}/${path} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
  string(APPEND texts "static const char text_${number}[] = {${bytes}0};\n")
  string(APPEND rows "    {\"${path}\", text_${number}, sizeof text_${number} - 1},\n")
  math(EXPR number "${number} + 1")
endforeach()
file(WRITE ${OUT} "// Made from kernels/ by cmake/embed_kernels.cmake.\n#include \"device/kernels.h\"\n\n${texts}\n\
const hw_source_file hw_kernel_table[] = {\n${rows}    {0, 0, 0},\n};\n\
const size_t hw_kernel_table_size = ${number};\n")
