# cmake -D IN=man/x.7 -D NAME=hw_cli_x -D OUT=x.c -P embed_text.cmake
# Writes a file, or several one after the other, as a text of C: bytes, so that nothing needs escaping.
set(bytes)
foreach(file ${IN})
  file(READ ${file} hex HEX)
  string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," more "${hex}")
  string(APPEND bytes "${more}")
endforeach()
file(WRITE ${OUT} "// Made by cmake/embed_text.cmake.\nextern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")
