// Regions: a loop, what stands under a branch, or straight instructions with accesses that do not repeat, that compiled
// code executes in the interpreter's stead, one warp at a time, with the lanes that are on as masks.
//
// A region has one way in and one way out, and in it lanes part and meet in such an order that at each instruction the
// same lanes are together as in the interpreter (compile/regions.h says how that is found), so that results and counts
// are the same. Its code computes by the functions of values that segments are made of. What it cannot compute, loads
// and stores first of all, it has executed by the bodies that the interpreter has for it: they look addresses up,
// count, tell sinks, find faults. So a region knows nothing of these, and stands in memory as the interpreter would
// after each instruction.
//
// The code enters a region with any lanes on, and comes out with the same ones. Only where the warp's turn is over it
// stops inside, at the head of a loop, and says where the lanes are that are not there.
#ifndef HW_EXEC_REGION_H
#define HW_EXEC_REGION_H

#include "exec/warp/warp.h"

// A branch or loop that lanes have entered and not all left.
typedef struct hw_region_open {
    uint32_t reconverge;         // where they meet: index into insts
    uint32_t lanes;              // that have entered
    uint32_t others, others_at;  // of those: that go on later, and where
} hw_region_open;

enum { HW_REGION_DEPTH = 8 };

// Lanes of several warps of a convoy, side by side in the place of one warp's lanes (packed.c). Those of member k begin
// at first[k], in the order of its own lanes, which are lanes[k].
typedef struct hw_region_pack {
    uint32_t n;
    uint32_t lanes[HW_CONVOY_MAX], first[HW_CONVOY_MAX];
    hw_state *members[HW_CONVOY_MAX];
    uint32_t ends[HW_CONVOY_MAX];   // their last places
    // By the code, in place of the block's sum: what each has issued, and what those of `in` have besides, which has a
    // bit of each one's last place.
    uint32_t issued[HW_CONVOY_MAX], in, fresh;
    const struct hw_region *region;
    hw_lone_list *lone;          // of the worker
    hw_lone_access last;         // of all of them: the last access that the code has made itself
    uint32_t room[HW_WARP_LANES];   // vectors that begin in the last's places end here
    // Accesses of all of them are told as one, if this is set: each lane's place has its member's number in it.
    bool is_told_as_one;
    _Alignas(64) uint32_t member[HW_WARP_LANES];
    // For each lane of a member, its rank among the set lanes of its group of eight; 0 for lanes that are off.
    _Alignas(64) uint32_t order[HW_CONVOY_MAX][HW_WARP_LANES];
} hw_region_pack;

// What the code of a region gets; the text has the same (compile/prologue.h).
typedef struct hw_region_run {
    hw_block_count *counts;      // of the program's first basic block
    uint64_t *guarded_off;       // of the program's first note
    uint64_t *issued;
    int32_t *fuel;
    const hw_inst *steps;        // what bodies execute: each followed by an end
    // For accesses that the code makes itself.
    const hw_pattern *patterns;
    hw_lone_list *lone;          // of the worker, to tell sinks that add up; NULL: there are none
    void (*tell)(hw_worker *worker);   // when the list is full
    hw_worker *worker;
    const char *shared, *local;
    int32_t is_quick;            // else each goes by its body: a sink wants order
    // Of packed lanes; else NULL, and 0. ends: the last lane of each warp, as a mask.
    uint32_t ends;
    hw_region_pack *pack;
    // Set when the code stops inside.
    uint32_t at, depth;
    hw_region_open open[HW_REGION_DEPTH];
} hw_region_run;

typedef enum hw_region_result { HW_REGION_DONE, HW_REGION_FAULT, HW_REGION_STOPPED } hw_region_result;
typedef int (*hw_region_code)(char *warp, hw_region_run *run);

// A register that a region has in the frame, or of the warp's own.
typedef struct hw_region_register {
    hw_slot slot;
    uint8_t bytes;               // of a lane; 0: a predicate
    bool is_written;
} hw_region_register;

typedef struct hw_region {
    uint32_t first, end;         // instructions of the program; goes on at end
    bool has_loops;              // it may stop inside
    bool is_straight;            // part of a basic block: every convoy goes through it, warp by warp
    hw_region_code code;
    const hw_inst *steps;
    // Of an `if` around loops, and of a branch to an exit with loops behind it: what lanes execute that have not taken
    // the branch, as long as none is left; NULL: they are not to be packed. is_only_packed: it pays for packed lanes
    // alone, the interpreter has the others. has_exits: `end` is an exit, whose lanes the code has counted.
    hw_region_code inside;
    const hw_inst *packed_steps; // the same as steps, whose body is hw_region_step_packed
    const hw_region_register *registers;
    uint32_t n_registers;
    bool is_only_packed, has_exits;
    // Set by hw_region_attach: what executes the first instruction otherwise.
    hw_body body, convoy_body;
} hw_region;

// The body of a step of packed lanes, a load or store: the step's own for each warp.
const hw_inst *hw_region_step_packed(hw_warp *packed, const hw_inst *in);

// What code is to be told of warp s.
void hw_region_begin(hw_region_run *run, hw_state *s, const hw_region *region);

// A convoy whose lanes part at the region's branch, few of them staying: executes the region with these packed.
// *result: how that ended; stopped: each warp stands where it goes on. False: nothing has happened, they are too many,
// or the launch wants each warp for itself.
bool hw_region_run_packed(hw_state *first, const hw_region *region, hw_region_result *result);

// Instruction `index` and an end behind it, to be executed alone: into steps[0] and steps[1]. The program's own bodies.
void hw_region_step(const hw_program *program, uint32_t index, hw_inst steps[2]);

// From now on the region is executed by its code, as hw_segment_attach does it.
void hw_region_attach(hw_program *program, hw_region *region);

// What the instruction's bodies were before compiled code took their place.
hw_body hw_region_own_body(const hw_program *program, uint32_t index);
hw_body hw_region_own_convoy_body(const hw_program *program, uint32_t index);

// Have lanes been seen to part at the end of this basic block, hw_inst.basic_block?
bool hw_region_seen_parted(const hw_program_set *set, uint32_t basic_block);

#endif
