// Launches that kernels make (CUDA programming guide, "Dynamic Parallelism"): what a child knows of the launches that
// have led to it.
//
// A child comes after what its launching thread had done and known when it launched it: a message of that thread's
// (messages.h), which the child's threads have read when they begin. What else its parent does, before or after, is in
// no order with it. Of its parent's other launches, and of the host's, streams.h knows what it comes after. exec runs
// children when their parents have ended, so that questions are about the past, as always: a block's children after
// those of the blocks before it, in the order of their numbers, which they get one after the other, and tails last.
// Events are told to streams.h in that order as well.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_CHILDREN_H
#define HW_CHECK_CHILDREN_H

#include "check/order/blocks.h"
#include "check/order/streams.h"

typedef struct hw_check_birth {
    uint32_t number;                 // hw_child_step.number
    uint32_t block;                  // of the launching lane
    hw_check_child as;
    const hw_check_letters *known;   // what the launching lane had done and known
} hw_check_birth;

// An event that a lane has recorded in a stream, or that a stream waits for.
typedef struct hw_check_mark {
    uint32_t block;
    uint32_t number;                 // children that have a smaller one may have been launched before; others have not
    uint32_t index;                  // of the launch's marks
    bool waits;
    uint64_t event;
    hw_check_child of;
} hw_check_mark;

typedef struct hw_check_marks {
    hw_check_mark *items;
    size_t n, capacity, n_told;
} hw_check_marks;

// A launch whose children are launched now.
typedef struct hw_check_parent {
    uint64_t launch;                 // its number
    uint32_t work, n_warps;
    hw_arena *arena;                 // of its messages
    hw_check_logs logs;
    hw_check_birth *births;
    size_t n_births;
    hw_check_marks marks;            // in the order in which they are told
    const hw_check_birth *child;     // the running one, or that which has led to it
} hw_check_parent;

typedef struct hw_check_children {
    hw_check_birth *births;          // in the running launch
    size_t n_births, capacity;
    hw_check_marks marks;            // likewise
    uint32_t next;                   // above the numbers of these births
    hw_check_parent *parents;        // the outermost first
    size_t n_parents, parent_capacity;
    bool are_running;                // the running launch is a child
} hw_check_children;

// A lane launches a kernel, or does something with an event. False: no memory, or nothing is known of its block.
bool hw_check_children_add(hw_check_children *children, hw_check_blocks *blocks, const hw_child_step *step);
// The running launch has ended, with its blocks, whose messages are taken from them where it has children. work: its.
// False: no memory.
bool hw_check_children_end(hw_check_children *children, hw_check_blocks *blocks, hw_check_streams *streams,
                           uint64_t launch, uint32_t work);
// Another launch begins, not of the host program's: its work. 0: nothing is known of its parent, or no memory; then no
// child is running.
uint32_t hw_check_children_begin(hw_check_children *children, hw_check_streams *streams, uint64_t parent,
                                 uint32_t child);
// All launches but `launch`, and those that have led to it, have had their children. 0: all.
void hw_check_children_close(hw_check_children *children, hw_check_streams *streams, uint64_t launch);
void hw_check_children_free(hw_check_children *children, hw_check_streams *streams);

// The launch that has led to the running one and is this work; NULL: it is none.
const hw_check_parent *hw_check_children_parent(const hw_check_children *children, uint32_t work);
// Does the running launch come after the entry's access, by lane `of` of a parent?
bool hw_check_children_know(hw_check_children *children, const hw_check_entry *entry, int of);

#endif
