// Order inside a launch: which accesses of other threads a thread comes after.
//
// Each running block has a time, a counter that goes on whenever threads of it do something that orders memory. An
// entry of an access has the time of its block, so that one number for a whole block, a warp or a lane says what
// it knows of it: everything before that time.
//
//   what orders                                      what is known afterwards
//   a barrier that all threads of the block reach    every thread, all of its block until then
//   lanes of a warp that meet: __syncwarp, shuffles  each of them, what the others have done or knew
//   before compute capability 7.0: each step         every lane, all of its warp
//   named barriers of some warps, mbarriers,         those who waited, what those who came had done or knew: a message
//   fence and strong write, strong read and fence    the reader, what the writer had done or known before its fence:
//                                                    a message too (messages.h)
//
// PTX ISA, "Memory Consistency Model"; where it says less than programs rely on, the order is taken to be there: a
// barrier stands for the second fence, and what a thread knows when it writes is what it knew at its fence.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_BLOCKS_H
#define HW_CHECK_BLOCKS_H

#include "base/arena.h"
#include "check/entries.h"
#include "check/order/messages.h"
#include "check/runs.h"
#include "check/shadow.h"
#include "event/event.h"

// What one lane has to do with messages.
typedef struct hw_check_lane {
    const hw_check_letters *known, *seen;    // read; seen: which take effect at the next fence or barrier
    uint32_t fenced, fenced_far;             // what it did before this time is behind a fence; far: one of the cluster
                                             // or wider. 0: nothing
} hw_check_lane;

typedef struct hw_check_warp {
    uint32_t met;                            // all lanes know what the others did before this time
    uint32_t (*met_lanes)[HW_WARP_LANES];    // [a][b]: lane a knows of b's; NULL: no more than met
    hw_check_lane *lanes;                    // NULL: none has to do with messages
    const hw_check_letters *known;           // what all lanes have read
    uint32_t *answers;                       // by warp of the block: all lanes have been found to know what it did
                                             // before this time. NULL: nobody has asked
} hw_check_warp;

// Who has come to a barrier that has not been completed.
typedef struct hw_check_arrivals {
    uint32_t note, warp, mask;               // of the first
    uint32_t threads;
    bool has_arrivers;                       // who do not wait
    // The first that left others of their warp out: where they parted is a branch in which the barrier stands.
    struct {
        uint32_t note, warp, mask, lanes;    // lanes: those others; 0: nobody has
    } alone;
} hw_check_arrivals;

// Accesses to the block's shared memory that have not been looked at yet (intervals.h).
typedef struct hw_check_interval {
    char *log;
    uint32_t bytes, capacity;
    uint32_t kinds;                          // of accesses in the log, bits
    bool is_known;                           // shadow memory has accesses of the interval; what follows has to go there
    bool is_named;                           // all in the log is of patterns with a name
    uint64_t hash;                           // of such a log
} hw_check_interval;

// An asynchronous copy of a warp's lanes into shared memory that nobody has waited for.
typedef struct hw_check_lane_copy {
    const hw_check_runs *runs;               // of its pattern, as long as that has the same serial; or NULL
    uint64_t serial;
    uint32_t note, mask, base;               // mask: lanes that have not waited
    uint8_t warp, kind, width_bytes;
    int32_t delta[HW_WARP_LANES];
    uint32_t more[HW_WARP_LANES];            // of each lane: others of the same instruction to the same place
} hw_check_lane_copy;
typedef struct hw_check_lane_copies {
    hw_check_lane_copy *items;               // as they were begun, among them some that are over: mask is 0
    size_t n, capacity;
} hw_check_lane_copies;

// Since when each copy of a row has been under way: entries from `since` on are later.
typedef struct hw_check_rows {
    struct {
        uint64_t number;
        hw_check_ref since;
    } *items;
    size_t n, capacity;
} hw_check_rows;

typedef struct hw_check_block {
    struct hw_check_block *next;
    uint32_t number;                         // in the grid; modulo 2^32
    uint32_t index[3], time, barrier_time;   // all threads know what was done before barrier_time
    uint32_t serial;                         // of the launch's blocks as they began
    uint32_t last_mark;                      // the place, from 1 on, of its last hw_check_mark; 0: none
    hw_check_warp *warps;
    const hw_check_letters *known;           // what all threads have read
    hw_check_line *shared;
    hw_check_ref floor;                      // what shared memory refers to below it, all threads come after
    uint32_t proxied;                        // when a thread made a fence for copies of rows
    hw_check_rows rows;                      // copies of rows under way that it has begun
    bool has_late;                           // it may have copies for which barriers do not wait and that no log tells
    hw_check_lane_copies copies;             // of lanes, under way
    hw_check_interval interval;
    uint32_t met_at;                         // barriers that anybody has come to, bits
    hw_check_arrivals arrivals[HW_BARRIERS + 1];
    uint32_t *waiting[HW_BARRIERS + 1];      // lanes of each warp that wait at a barrier; NULL: nobody ever
} hw_check_block;

// The running launch.
typedef struct hw_check_blocks {
    hw_arena *arena;                         // of the launch
    hw_check_logs logs;
    hw_check_cells cells;                    // of shared memory's lines
    hw_check_block *buckets[256], *spare, *last;
    uint32_t grid[3], threads, n_warps, n_lines, n_begun;
    uint32_t cluster[3], cluster_blocks;     // at least 1
    bool by_step;                            // the last question about an order was answered by a warp's step alone
    uint8_t of_row;                          // hw_check_missing, of what the last race found lacks to a copy of a row
    bool has_rows;                           // the launch has instructions that copy rows
    bool tells_blocks, tells_warps;          // it may leave messages to other blocks, or within a block
    bool steps_order;                        // each step of a warp orders its lanes
    bool ran_out;                            // of memory: what is found from now on may be wrong, and is not told
} hw_check_blocks;

// False: no memory.
bool hw_check_blocks_begin(hw_check_blocks *blocks, const hw_launch_info *info, int compute_capability);
void hw_check_blocks_end(hw_check_blocks *blocks);
// What the shared memory of running blocks refers to, before and after hw_check_entries_sweep.
void hw_check_blocks_mark(const hw_check_blocks *blocks, hw_check_entries *entries);
void hw_check_blocks_move(hw_check_blocks *blocks, const hw_check_entries *entries);

// A block that begins, and one that has ended. NULL where it was never told to begin. next: of hw_check_entries_next.
void hw_check_block_begin(hw_check_blocks *blocks, const hw_where *where, hw_check_ref next);
void hw_check_block_end(hw_check_blocks *blocks, const hw_where *where);
hw_check_block *hw_check_block_find(hw_check_blocks *blocks, const hw_where *where);
static inline bool hw_check_block_has(const hw_check_block *block, const uint32_t index[3]) {
    return block->index[0] == index[0] && block->index[1] == index[1] && block->index[2] == index[2];
}
static inline hw_check_block *hw_check_block_of(hw_check_blocks *blocks, const hw_where *where) {
    hw_check_block *last = blocks->last;
    return last && hw_check_block_has(last, where->block) ? last : hw_check_block_find(blocks, where);
}

// The block whose shared memory an offset is in, `block` or one of its cluster; the offset is one there from then on.
// NULL: that one has ended.
hw_check_block *hw_check_blocks_home(hw_check_blocks *blocks, hw_check_block *block, uint64_t *offset);

// What orders: events as exec tells them. barrier: false where threads of another place in the source came first, which
// *first_note is then.
bool hw_check_blocks_barrier(hw_check_blocks *blocks, const hw_barrier_step *step, const hw_note *notes,
                             uint32_t *first_note);
// Of a barrier that is complete: lanes that have exited without it, from behind a branch in which others of their warp
// wait for it (arrivals.alone).
uint32_t hw_check_blocks_left_out(const hw_check_block *block, uint32_t barrier);
// Is this the end of a barrier that all threads of the block have reached and waited at?
bool hw_check_blocks_is_for_all(const hw_check_block *block, const hw_barrier_step *step);
void hw_check_blocks_meet(hw_check_blocks *blocks, const hw_warp_sync *sync);
void hw_check_blocks_fence(hw_check_blocks *blocks, const hw_fence *fence);
void hw_check_blocks_mbarrier(hw_check_blocks *blocks, const hw_mbarrier_step *step, uint8_t scope);

// A copy of a row that the lane has begun is there: who asks the mbarrier, in the memory of `block` or one of its
// cluster, from now on comes after it.
void hw_check_blocks_row_lands(hw_check_blocks *blocks, hw_check_block *block, uint32_t warp, int lane, uint64_t at);

// A strong access of some lanes to one word: lanes that read it learn what was left there, those that write leave what
// they know. key: of the word (messages.h).
void hw_check_blocks_exchange(hw_check_blocks *blocks, hw_check_block *block, uint32_t warp, int lane, uint64_t key,
                              uint8_t act, uint8_t order, uint8_t scope);

// The lane launches the kernel `number` of the launch's: what it has done and known until now. NULL: no memory.
const hw_check_letters *hw_check_blocks_launch(hw_check_blocks *blocks, hw_check_block *block, uint32_t warp, int lane,
                                               uint32_t number);
// Does the lane know that this one of its block has done something at that time?
bool hw_check_blocks_know_of(hw_check_blocks *blocks, const hw_check_block *block, uint32_t warp, int lane,
                             uint32_t its_warp, int its_lane, uint32_t time);
// The lane has waited for what its block has launched. is_first: for some of that nobody had waited before; what it did
// is as if a thread of the block had done it at the block's present time.
void hw_check_blocks_wait_for_children(hw_check_blocks *blocks, hw_check_block *block, uint32_t warp, int lane,
                                       bool is_first);
// Does the lane come after what another block, or its own, had waited for at that time?
bool hw_check_blocks_are_behind_wait(hw_check_blocks *blocks, const hw_check_block *block, uint32_t warp, int lane,
                                     uint32_t its_block, uint32_t time);
// Who that is to whom messages are asked about it.
static inline hw_check_author hw_check_author_of_wait(uint32_t n_warps, uint32_t block, uint32_t time) {
    return (hw_check_author){.block = block, .warp = n_warps, .time = time};
}
// Messages, and what they lie in, become the caller's; the launch leaves no more until it has them back.
void hw_check_blocks_keep_messages(hw_check_blocks *blocks, hw_arena **arena, hw_check_logs *logs);
void hw_check_blocks_have_messages(hw_check_blocks *blocks, hw_arena **arena, hw_check_logs *logs);

// Does the access of the entry, by whichever lane, come before what any lane of the warp does now? false: it may depend
// on the lanes. The entry is of another warp.
bool hw_check_blocks_order_warps(hw_check_blocks *blocks, hw_check_block *block, uint32_t warp,
                                 const hw_check_entry *entry);

// Does the access of the entry, by lane `of`, come before what lane `lane` of the warp does now?
bool hw_check_blocks_order(hw_check_blocks *blocks, const hw_check_block *block, uint32_t warp, int lane,
                           const hw_check_entry *entry, int of);

#endif
