// Which loops and branches of a program become regions (exec/region.h). Internal to compile.
//
// Straight instructions become one where several of their accesses do not repeat, which the text makes itself. Any
// other region is made of what follows each other or lies in each other: straight instructions, `if` with and without
// `else`, loops whose ways out all lead behind them. Of each, the branches' reconvergence points are where it ends, so
// that lanes which have parted in it meet at its end and nowhere else: as many paths of lanes come to each instruction,
// in the same order, as in the interpreter. Jumps of any other kind are left to that. Where lanes exit early the rest
// of the kernel is a region, for packed lanes alone (exec/packed.c).
#ifndef HW_COMPILE_REGIONS_H
#define HW_COMPILE_REGIONS_H

#include "base/arena.h"
#include "exec/region.h"

typedef enum hw_region_item_kind {
    HW_REGION_PIECE,         // `count` instructions from `index` on: values, and accesses that the text makes, of which
                             // the first has number `step` among the steps
    HW_REGION_STEP,          // one that its body executes; count: the number of the step
    HW_REGION_BLOCK,         // the end of a basic block after which all lanes go on with the next instruction
    HW_REGION_IF,            // a branch around what follows
    HW_REGION_IF_ELSE,       // a branch to what follows behind ELSE
    HW_REGION_ELSE,          // the jump around it
    HW_REGION_EXIT_IF,       // a branch to an exit, instruction `count`, which lanes do not come back from
    HW_REGION_GUARD,
    HW_REGION_LOOP,          // the first instruction; count: the instruction behind the loop
    HW_REGION_BREAK,         // a branch out of the innermost loop
    HW_REGION_LATCH,         // the branch back to its first instruction, which ends it
    HW_REGION_END,           // of what was begun last, other than a loop
} hw_region_item_kind;

typedef struct hw_region_item {
    uint8_t kind;            // hw_region_item_kind
    bool is_lanewise;        // of LOOP: its lanes may go through it one after the other (lanewise.h); step is that of
                             // its first access
    uint32_t index, count, step;
} hw_region_item;

typedef struct hw_region_plan {
    hw_region *region;
    const hw_region_item *items;
    uint32_t n_items;
} hw_region_plan;

// Does what stands under the branch that the plan's region begins with pay for lanes that are packed, and can it be
// executed so? Then its registers, in the arena.
void hw_compile_find_packed(const hw_program *program, const hw_region_plan *plan, uint32_t n_steps, hw_arena *arena);

// The registers of lanes that instructions first .. end - 1 use, of which there are *n already. False: they are too
// many, or what they hold is not known.
enum { HW_REGION_REGISTERS = 64 };
bool hw_compile_note_registers(const hw_program *program, uint32_t first, uint32_t end, hw_region_register *registers,
                               uint32_t *n);

// The regions of a program whose lanes have been seen to part, without code; in the arena, as the regions are. *count:
// how many. NULL when memory ran out.
hw_region_plan *hw_compile_choose_regions(const hw_program_set *set, const hw_program *program, hw_arena *arena,
                                          uint32_t *count);

#endif
