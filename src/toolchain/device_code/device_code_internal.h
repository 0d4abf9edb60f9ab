// What the files behind device_code.h share. Internal to toolchain/.
#ifndef HW_TOOLCHAIN_DEVICE_CODE_INTERNAL_H
#define HW_TOOLCHAIN_DEVICE_CODE_INTERNAL_H

#include "toolchain/compilers/compilers.h"
#include "toolchain/compilers/nvrtc.h"
#include "toolchain/device_code/device_code.h"

// Writes folder/path, with the folders that path names.
hw_status hw_code_write_source(const char *folder, const hw_source_file *file, hw_arena *arena, hw_diag *diag);

// PTX by nvcc or clang as a child process, in a temporary folder.
hw_status hw_code_by_process(const hw_code_request *request, const hw_compiler *compiler, hw_arena *arena,
                             hw_code *code, hw_diag *diag);

// Tells the first error of a compiler's output: NVRTC's and nvcc's "FILE(LINE): error: TEXT", clang's
// "FILE:LINE:COLUMN: error: TEXT". folder, where the sources lay for the compiler ("" when nowhere), is taken off.
hw_status hw_code_complain(const hw_code_request *request, const char *output, const char *folder, hw_diag *diag);

// ptx with the sources named as the request names them, wherever they lay for the compiler, so that neither messages
// nor the cache depend on it. In the arena; NULL when memory ran out.
char *hw_code_name_files(const hw_code_request *request, const char *ptx, hw_arena *arena);

// The cached code of this key. False when there is none, or it is not whole.
bool hw_code_cache_find(const char *cache_dir, const hw_hash *key, hw_arena *arena, hw_code *code);
void hw_code_cache_keep(const char *cache_dir, const hw_hash *key, hw_arena *arena, const hw_code *code);

#endif
