// Machine code as counts need it: what kinds its instructions are of, and which of its basic blocks are executed as
// often as which instructions of the PTX that it was made from.
#ifndef HW_ISA_MACHINE_H
#define HW_ISA_MACHINE_H

#include "isa/rates.h"

typedef enum hw_machine_kind {
    HW_MACHINE_PLAIN,
    HW_MACHINE_KEPT,        // accesses memory or other lanes: as many are executed as PTX has, or merges of them
    HW_MACHINE_GATHER,      // opens, closes or leaves a part at whose end lanes meet
    HW_MACHINE_NOTHING,     // fills up
    HW_MACHINE_BRANCH,      // to a place that the instruction says
    HW_MACHINE_JUMP,        // to one that a register says
    HW_MACHINE_CALL,
    HW_MACHINE_EXIT,        // the end of a kernel or function
} hw_machine_kind;

typedef struct hw_machine_op {
    uint16_t number;
    const char *name;
    uint8_t kind, rate;     // hw_machine_kind, hw_rate
    uint8_t slots;          // of its pipe that one takes
} hw_machine_op;

// Of the low nine bits of an instruction; of numbers that have no row, one of kind PLAIN that is named "". Pure.
const hw_machine_op *hw_machine_op_of(uint64_t first_word);

// Lines of the PTX text, from 1 on: those of a basic block, whose instructions are all executed equally often.
typedef struct hw_machine_range { uint32_t first, last; } hw_machine_range;

// How often a block of machine code is executed, as far as the PTX's counts tell.
typedef enum hw_machine_share {
    HW_MACHINE_NEVER,       // slow paths inside of an instruction of PTX, which rare operands take
    HW_MACHINE_ALONE,       // as often as its range, over the copies of it that one execution does
    HW_MACHINE_ENTRY,       // as often as the range's loop is entered: asks whether there are turns left
    HW_MACHINE_AMONG,       // does a part of the range's turns, beside other blocks of it: unrolled code first
    HW_MACHINE_AS_NEXT,     // as often as the block behind it
} hw_machine_share;

enum { HW_MACHINE_NO_RANGE = 0xffffffff };
typedef struct hw_machine_block {
    uint8_t share;          // hw_machine_share
    uint16_t copies;        // at least 1
    uint32_t range, entry;  // into the function's ranges; entry: of the block before the loop, or HW_MACHINE_NO_RANGE
    uint32_t parted;        // the range whose branch parts lanes that gather here, each group by itself; or NO_RANGE
    uint32_t inst[HW_RATES];    // slots by pipe; [HW_RATE_ISSUE]: instructions
} hw_machine_block;

// One kernel, or a function that kernels call.
typedef struct hw_machine_function {
    const char *name;       // mangled
    bool is_kernel;
    const hw_machine_range *ranges;   // in the order of their lines; none overlap
    const hw_machine_block *blocks;   // in the order of the code
    uint32_t n_ranges, n_blocks;
} hw_machine_function;

// The machine code of a module.
typedef struct hw_machine_module {
    const hw_machine_function *functions;
    uint32_t n_functions;
} hw_machine_module;

#endif
