# cmake -D "IN=a.h;b.h" -D ROOT=folder -D OUT=x.c -P embed_values.cmake
# Writes headers one after the other as hw_compile_values, a text of C, without their includes of each other.
set(text "")
foreach(file IN LISTS IN)
  file(READ ${ROOT}/${file} header)
  string(REGEX REPLACE "#include \"[^\n]*\n" "" header "${header}")
  string(APPEND text "${header}")
endforeach()
file(WRITE ${OUT}.txt "${text}")
file(READ ${OUT}.txt hex HEX)
file(REMOVE ${OUT}.txt)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "// Made by cmake/embed_values.cmake.\n#include \"compile/forms.h\"\n\nconst char hw_compile_values[] = {${bytes}0};\n")
