# cmake -D IN=man/x.7 -D NAME=hw_cli_x -D OUT=x.c -P embed_text.cmake
# Writes a file as a text of C: bytes, so that nothing needs escaping.
file(READ ${IN} hex HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${hex}")
file(WRITE ${OUT} "// Made by cmake/embed_text.cmake.\nextern const char ${NAME}[];\nconst char ${NAME}[] = {${bytes}0};\n")
