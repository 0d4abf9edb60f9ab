// What ptxas made of a module's PTX, as far as it tells how many instructions of machine code a launch executes.
#ifndef HW_TOOLCHAIN_MACHINE_MACHINE_H
#define HW_TOOLCHAIN_MACHINE_MACHINE_H

#include <stddef.h>

#include "base/arena.h"
#include "base/status.h"
#include "isa/machine.h"
#include "toolchain/toolchain.h"

// One instruction of machine code.
typedef struct hw_machine_inst {
    const hw_machine_op *op;
    uint32_t ptx_line;           // that it was made from; 0: not known
    uint32_t target;             // of a branch: index of an instruction of this code; HW_MACHINE_NO_TARGET: elsewhere
    bool is_guarded;             // by a predicate
    bool is_rare;                // a branch for lanes that have parted where they should be together (BRA.DIV)
} hw_machine_inst;
enum { HW_MACHINE_NO_TARGET = 0xffffffff };

// The code of one kernel, or of a function that is called.
typedef struct hw_machine_code {
    const char *name;            // mangled; alive as long as the bytes
    bool is_kernel;
    hw_machine_inst *insts;
    uint32_t n_insts;
} hw_machine_code;

// Reads a cubin that `ptxas -lineinfo` made, compute capability 7.0 or newer: code whose instructions have no lines of
// PTX is left out. Everything is in the arena but the names. HW_MALFORMED where it is no such file; HW_NO_MEMORY.
hw_status hw_cubin_read(const void *bytes, size_t length, int cc, hw_arena *arena, hw_machine_code **codes,
                        uint32_t *n_codes, hw_diag *diag);

// What a cubin of that capability says of its kernels, by any compiler, with lines or without. spill_bytes: all that
// their instructions store to local memory and load from it, their own arrays' as well; before 7.0 at least what the
// stack frame has twice. HW_MALFORMED: it is no such file.
hw_status hw_cubin_usage(const void *bytes, size_t length, int cc, hw_ptxas_sink sink, void *user, hw_diag *diag);

// Finds for each block of the code the block of the PTX text that it was made from. All in the arena, names too.
hw_status hw_machine_match(const hw_machine_code *codes, uint32_t n_codes, const char *ptx, size_t length,
                           hw_arena *arena, hw_machine_module *machine, hw_diag *diag);

// The same as text with a NUL behind it, for the cache, and back. NULL when memory ran out; HW_MALFORMED where it is no
// such text.
const char *hw_machine_print(const hw_machine_module *machine, hw_arena *arena, size_t *length);
hw_status hw_machine_parse(const char *text, hw_arena *arena, hw_machine_module *machine, hw_diag *diag);

#endif
