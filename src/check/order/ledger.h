// What the messages of a log say, by what they say it of: who asks finds it without a search through them.
//
// An account is of a party that has done something, or of another log that the messages' writers had read. A message
// that says more of it than those before adds a line: how much, and since how many messages. Both grow, so that a line
// is found by halving, however many there are.
//
// Internal to check/. Calls are one at a time.
#ifndef HW_CHECK_LEDGER_H
#define HW_CHECK_LEDGER_H

#include <stdbool.h>
#include <stdint.h>

#include "base/arena.h"

// A party: a lane of a warp of a block; EVERY: all lanes of the warp, or all warps of the block.
enum { HW_CHECK_EVERY = 255 };
static inline uint64_t hw_check_key_of_party(uint32_t block, uint8_t warp, uint8_t lane) {
    return (uint64_t)block << 32 | (uint32_t)warp << 8 | lane;
}

typedef struct hw_check_account hw_check_account;
typedef struct hw_check_ledger {
    hw_check_account **buckets;      // in the arena, as all of it
    hw_check_account *last;          // that was opened
    uint32_t n, n_buckets;           // accounts
} hw_check_ledger;

// Message number n, from 1 on, says all before `until` of what has the key. False: no memory.
bool hw_check_ledger_add(hw_check_ledger *ledger, hw_arena *arena, uint64_t key, uint32_t until, uint32_t n);

// Does one of the first n messages say it of that time?
bool hw_check_ledger_says(const hw_check_ledger *ledger, uint64_t key, uint32_t time, uint32_t n);

// The account before this one, in the order in which they were opened; its key; and the most that one of the first n
// messages says, or 0.
const hw_check_account *hw_check_account_before(const hw_check_account *account);
uint64_t hw_check_account_key(const hw_check_account *account);
uint32_t hw_check_account_most(const hw_check_account *account, uint32_t n);

#endif
