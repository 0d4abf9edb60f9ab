// What threads leave for others at a word of memory: a strong write behind a fence is a message, and who reads the word
// knows what its writer knew (message passing as in the PTX memory model).
//
// All messages of a word stand in its log, in order; those that only threads of the writer's block hear, in one of
// that block's. What a reader has read is so many from the beginning: who writes after others has, as a rule, read what
// these have left, and where it has not, too much order is taken to be there rather than too little.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_MESSAGES_H
#define HW_CHECK_MESSAGES_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"
#include "check/order/ledger.h"

typedef struct hw_check_letters hw_check_letters;

typedef struct hw_check_message {
    uint32_t block, warp;            // of the writer; warp: in its block
    uint8_t lane;
    uint32_t own;                    // its writer has done what comes before this time,
    uint32_t met;                    // knows what its warp did before this one,
    uint32_t barrier;                // and what its block did before this one
    const hw_check_letters *known[3];// what it had read: the lane, its warp, its block
} hw_check_message;

typedef struct hw_check_log {
    struct hw_check_log *next;
    uint64_t key;
    uint32_t block;                  // whose threads hear it; HW_CHECK_ALL_BLOCKS
    uint32_t n, capacity;
    hw_check_message *messages;      // in the arena; the first few
    // Where messages are more than those, else empty: what all say, and of which logs their writers had read how many.
    hw_check_ledger ledger, sources;
    const hw_check_letters *entered[3];    // into sources at last
    // Of hw_check_letters_have: how many messages it has looked at, of how many it has gone on to what their writers
    // had read, and the next log for which it is to do so.
    uint32_t visit, asked, followed;
    bool is_waiting;
    struct hw_check_log *waiting;
} hw_check_log;

// What has been read: the first n messages of logs. Immutable, in the launch's arena. NULL: nothing.
struct hw_check_letters {
    uint32_t n;
    struct {
        hw_check_log *log;
        uint32_t n;
    } items[];
};

typedef struct hw_check_logs {
    hw_check_log **buckets;          // in the arena
    uint32_t n, n_buckets, visits;
} hw_check_logs;

// Where a word's messages are kept: by its address in device memory, or its offset in the shared memory of a block.
static inline uint64_t hw_check_key_of_global(uint64_t address) { return address; }
static inline uint64_t hw_check_key_of_shared(uint32_t block_serial, uint64_t offset) {
    return 1ull << 63 | (uint64_t)block_serial << 24 | (offset & 0xffffff);
}
// Of a barrier that the hardware has, and of an mbarrier. A cluster's barrier has the number of its first block there.
static inline uint64_t hw_check_key_of_barrier(uint32_t block_serial, uint32_t barrier) {
    return 3ull << 62 | (uint64_t)block_serial << 24 | barrier;
}
static inline uint64_t hw_check_key_of_mbarrier(uint32_t block_serial, uint64_t offset) {
    return 7ull << 61 | (uint64_t)block_serial << 24 | (offset & 0xffffff);
}

// What a lane knows that launches a kernel.
static inline uint64_t hw_check_key_of_child(uint32_t number) { return 15ull << 60 | number; }
// What the block's threads know that have waited for the kernels that it has launched.
static inline uint64_t hw_check_key_of_waits(uint32_t block) { return 31ull << 59 | block; }

// The log that all threads hear, or those of a block alone. NULL: there is none, or with `make` no memory.
static const uint32_t HW_CHECK_ALL_BLOCKS = UINT32_MAX;
hw_check_log *hw_check_logs_find(const hw_check_logs *logs, uint64_t key, uint32_t block);
hw_check_log *hw_check_logs_make(hw_check_logs *logs, hw_arena *arena, uint64_t key, uint32_t block);
// False: no memory.
bool hw_check_log_add(hw_check_log *log, hw_arena *arena, const hw_check_message *message);

// Both together; and with all that is in a log now. False: no memory, and *letters is as it was.
bool hw_check_letters_join(const hw_check_letters **letters, hw_arena *arena, const hw_check_letters *other);
bool hw_check_letters_add(const hw_check_letters **letters, hw_arena *arena, hw_check_log *log);

// Whose access it is that is asked for.
typedef struct hw_check_author {
    uint32_t block, warp, time;
    uint8_t lane;
    bool is_many;                    // all lanes of the warp
} hw_check_author;

// Does a message among them say that this access has been made, or one that a writer of theirs had read, and so on?
bool hw_check_letters_have(hw_check_logs *logs, const hw_check_letters *letters, const hw_check_author *author);

#endif
