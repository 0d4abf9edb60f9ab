// Launches that kernels make (CUDA programming guide, "Dynamic Parallelism"): what a child knows of the launches that
// have led to it.
//
// A child comes after what its launching thread had done and known when it launched it: a message of that thread's
// (messages.h), which the child's threads have read when they begin. What else its parent does, before or after, is in
// no order with it. Of its parent's other launches, and of the host's, streams.h knows what it comes after. exec runs
// children when their parents have ended, so that questions are about the past, as always: a block's children after
// those of the blocks before it, in the order of their numbers, which they get one after the other, and tails last.
// Events are told to streams.h in that order as well. Where a block goes on with a stream or an event of a later one,
// the order is that of numbers alone.
//
// In CUDA 11's device runtime a thread can wait for what its block has launched (cudaDeviceSynchronize): then exec runs
// that in the midst of the parent, which is put aside meanwhile. What a launch has done comes before what a thread does
// that knew of the launch and has waited since, or that knows of such a thread's waiting: a message too, to all of the
// block that wait later.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_CHILDREN_H
#define HW_CHECK_CHILDREN_H

#include "check/order/blocks.h"
#include "check/order/streams.h"

typedef struct hw_check_birth {
    uint32_t number;                 // hw_child_step.number
    uint32_t block, warp, time;      // of the launching lane, and when it was; warp: in the block
    uint8_t lane;
    uint32_t last_mark;              // of the block, until then: as hw_check_block has it
    hw_check_child as;
    const hw_check_letters *known;   // what the launching lane had done and known
} hw_check_birth;

// An event that a lane has recorded in a stream, or that a stream waits for. Places are from 1 on, 0 is none.
typedef struct hw_check_mark {
    uint32_t block;
    uint32_t number;                 // children that have a smaller one may have been launched before; others have not
    uint32_t place;                  // of the launch's marks, as they were made
    uint32_t before;                 // the one that its block has made before
    uint32_t next;                   // that is to be told
    bool waits, is_told;
    uint64_t event;
    hw_check_child of;
} hw_check_mark;

// They are told to streams.h before the children behind them. When their launch has ended, that is the order of blocks,
// or where hw_child_step.is_behind_later_block was told that of numbers. Before, while a block waits, those of other
// blocks stay as they are: in CUDA 11 streams and events are of a block (CUDA programming guide, "Streams and Events
// (CDP1)").
typedef struct hw_check_marks {
    hw_check_mark *items;
    size_t n, capacity, n_told;      // n_told: of those that are in order
    bool are_by_number;
} hw_check_marks;

// A launch that is made while its block waits, with all that comes of it.
typedef struct hw_check_awaited {
    uint32_t first, last;            // works; last: when the block goes on
    uint32_t block, warp, launched;  // the launching lane, and when, as hw_check_birth has it
    uint8_t lane;
    uint32_t time;                   // when a lane that knew of the launch had waited for it; 0: none has
} hw_check_awaited;

// A launch whose children are launched now, or have been waited for.
typedef struct hw_check_parent {
    uint64_t launch;                 // its number
    bool has_ended;
    uint32_t work, n_warps;
    hw_check_awaited *awaited;       // in the order of works
    size_t n_awaited, awaited_capacity;
    size_t first_unwaited;           // of the awaited, all before it have a time
    uint32_t next;                   // above the numbers of its births
    hw_arena *arena;                 // of its messages
    hw_check_logs logs;
    hw_check_birth *births;
    size_t n_births, birth_capacity;
    hw_check_marks marks;
    const hw_check_birth *child;     // the running one, or that which has led to it; NULL: this one runs itself
    uint32_t last_child;             // its number, then as well
} hw_check_parent;

typedef struct hw_check_children {
    hw_check_birth *births;          // in the running launch, by number
    size_t n_births, capacity;
    hw_check_marks marks;
    uint32_t next;                   // above the numbers of these births
    hw_check_parent *parents;        // the outermost first
    size_t n_parents, parent_capacity;
    size_t n_above;                  // the first ones, which have led to the running launch; 0: it is no child
    size_t n_awaited;                // of all of them
} hw_check_children;

// A lane of the launch that is this work launches a kernel, does something with an event, or has waited. False: no
// memory, or nothing is known of its block.
bool hw_check_children_add(hw_check_children *children, hw_check_blocks *blocks, uint32_t work,
                           const hw_child_step *step);
// The running launch waits for one that is launched now, by it or by what it has launched; and goes on. False: no
// memory, and nothing has changed.
bool hw_check_children_put_aside(hw_check_children *children, hw_check_blocks *blocks, hw_check_streams *streams,
                                 uint64_t launch, uint32_t work);
void hw_check_children_take_back(hw_check_children *children, hw_check_blocks *blocks, hw_check_streams *streams,
                                 uint64_t launch);
// The running launch has ended, with its blocks, whose messages are taken from them where it has children. work: its.
// False: no memory.
bool hw_check_children_end(hw_check_children *children, hw_check_blocks *blocks, hw_check_streams *streams,
                           uint64_t launch, uint32_t work);
// Another launch begins, not of the host program's: its work. 0: nothing is known of its parent, or no memory; then no
// child is running, and what is open stays so.
uint32_t hw_check_children_begin(hw_check_children *children, hw_check_streams *streams, uint64_t parent,
                                 uint32_t child);
// All launches but `launch`, and those that have led to it, have had their children. 0: all.
void hw_check_children_close(hw_check_children *children, hw_check_streams *streams, uint64_t launch);
void hw_check_children_free(hw_check_children *children, hw_check_streams *streams);

// The launch that has led to the running one and is this work; NULL: it is none.
const hw_check_parent *hw_check_children_parent(const hw_check_children *children, uint32_t work);
// What the launch `waiter`, a work, has waited for that this work belongs to; NULL: nothing.
const hw_check_awaited *hw_check_children_awaited(const hw_check_children *children, uint32_t waiter, uint32_t work);
// May what the running launch knows of this work depend on who asks, or on which of its threads is asked about?
bool hw_check_children_are_by_thread(const hw_check_children *children, uint32_t work);
// Does the running launch come after the entry's access, by lane `of` of a parent, or of what a parent has waited for?
bool hw_check_children_know(hw_check_children *children, const hw_check_entry *entry, int of);

#endif
