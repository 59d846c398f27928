# Turns a file into a C array: cmake -DINPUT=page.js -DOUTPUT=page_js.c -DNAME=decant__page_js -P embed.cmake
file(READ ${INPUT} bytes HEX)
string(REGEX REPLACE "([0-9a-f][0-9a-f])" "0x\\1," bytes "${bytes}")
string(REGEX REPLACE "(................................................................................)" "\\1\n" bytes "${bytes}")
file(WRITE ${OUTPUT} "#include \"report/page.h\"\n\nconst unsigned char ${NAME}[] = {\n${bytes}0};\n")
