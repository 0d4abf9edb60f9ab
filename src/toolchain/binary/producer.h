// Which compiler made PTX, told from the comments that compilers leave in it, or inferred from what is there instead.
#ifndef HW_TOOLCHAIN_PRODUCER_H
#define HW_TOOLCHAIN_PRODUCER_H

#include <stdbool.h>
#include <stddef.h>

// Compiler and version, for reports: "nvcc 13.0.88" (its text and NVRTC's are the same), "clang 14.0.6" of what this
// toolchain compiled, "LLVM NVPTX" of what another clang did, which does not say its version. Where no comment is left
// false, and what the last line infers (hw_producer_infer), or "unnamed compiler (PTX ISA 9.0)". Looks at the comments
// before .version and at the text's last line. Cut to out_bytes.
bool hw_producer_of_ptx(const char *ptx, size_t length, char *out, size_t out_bytes);

// Last lines for PTX that does not name its compiler, as the function above reads them: comments, with the line feeds
// around them. compiler: "clang 14.0.6". The second says that it is inferred.
#define HW_PRODUCER_LINE "\n// Compiled by %s\n"
#define HW_PRODUCER_INFERRED_LINE "\n// Likely compiled by %s\n"

// Of PTX that was packed into a program without its comments, as nvcc packs it: which nvcc was that likely?
// code: machine code that was packed with it, or NULL. ptxas notes its release there (.note.nv.tkinfo, since CUDA 12),
// and one toolkit has both: "nvcc 13.0.88 (by the machine code beside it)". Else by the version of text that looks as
// nvcc packs it, since nvcc writes the newest that it knows: "nvcc of CUDA 13.0 (by PTX ISA 9.0)". False: neither says.
bool hw_producer_infer(const char *ptx, size_t length, const char *code, size_t code_bytes, char *out,
                       size_t out_bytes);

#endif
