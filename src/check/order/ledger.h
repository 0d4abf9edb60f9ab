// What the messages of a log say of whom: who asks finds it without a search through them.
//
// An account is of the lane, the warp or the block that has done something, and a message that says more of it than
// those before adds a line: until which time, and since how many messages. Both grow, so that a line is found by
// halving, however many there are.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_LEDGER_H
#define HW_CHECK_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

// Of a lane of a warp of a block; EVERY: of all lanes of the warp, or all warps of the block.
enum { HW_CHECK_EVERY = 255 };
typedef struct hw_check_party {
    uint32_t block;
    uint8_t warp, lane;
    bool is_far;                     // what other blocks may hear too
} hw_check_party;

typedef struct hw_check_account hw_check_account;
typedef struct hw_check_ledger {
    hw_check_account **buckets;      // in the arena, as all of it
    uint32_t n, n_buckets;           // accounts
} hw_check_ledger;

// Message number n, from 1 on, says that the party has done all before `until`. False: no memory.
bool hw_check_ledger_add(hw_check_ledger *ledger, hw_arena *arena, hw_check_party party, uint32_t until, uint32_t n);

// Does one of the first n messages say that the party has done what it did at that time?
bool hw_check_ledger_says(const hw_check_ledger *ledger, hw_check_party party, uint32_t time, uint32_t n);

#endif
