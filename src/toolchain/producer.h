// Which compiler made PTX, told from the comments that compilers leave in it.
#ifndef HW_TOOLCHAIN_PRODUCER_H
#define HW_TOOLCHAIN_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>

// Compiler and version, for reports: "nvcc 13.0.88" (its text and NVRTC's are the same), "clang 14.0.6" of what this
// toolchain compiled, "LLVM NVPTX" of what another clang did, which does not say its version. Where no comment is left,
// as in what nvcc packs into programs, "unnamed compiler (PTX ISA 9.0)", and false. Looks at the comments before
// .version and behind the text's last line. Cut to out_bytes.
bool hw_producer_of_ptx(const char *ptx, size_t length, char *out, size_t out_bytes);

// A last line for PTX whose compiler leaves no version, as the function above reads it: a comment, with the line feeds
// around it. compiler: "clang 14.0.6".
#define HW_PRODUCER_LINE "\n// Compiled by %s\n"

#endif
