// Global memory before 7.0: the transactions that a warp's access is split into, by size, as the programming guides of
// the time tell it and its profilers counted it.
#ifndef HW_MODEL_TRANSACTIONS_H
#define HW_MODEL_TRANSACTIONS_H

#include <stdbool.h>

#include "isa/gpu.h"
#include "isa/isa.h"

// Requests: on 1.x each half-warp with an active lane; later each warp, each half of a warp for 8-byte words, each
// quarter for 16-byte words.
typedef struct hw_transactions {
    uint32_t requests;
    uint32_t coalesced, uncoalesced;   // of the requests; 1.0 and 1.1 only, where nothing lies between the two
    uint32_t of_32, of_64, of_128;     // transactions of so many bytes
    uint32_t lone_32;                  // 1.2 and 1.3: those of of_32 that lie beside no other transaction of the warp
} hw_transactions;

// The lanes in mask access width bytes each (1 to 16; more counts as 16) at base + delta[lane]. Pure; depends on base
// only modulo 256.
//
//   1.0, 1.1   a half-warp whose lane k accesses word k of an aligned segment of 16 words of 4, 8 or 16 bytes takes one
//              transaction of 64 or 128 bytes, or two of 128; any other one of 32 bytes for each active lane
//   1.2, 1.3   the segment (32, 64 or 128 bytes for words of 1, 2 or more) of the lowest lane that waits takes along
//              all lanes inside it, and is halved while one half holds them all, down to 32 bytes; until none waits
//   2.x        loads: distinct lines of 128 bytes when they go through L1 (`cached`, ptxas's default -dlcm=ca), else
//              distinct sectors of 32 bytes; stores, atomics and reductions: sectors
//   3.0 on     sectors
//
// Source: programming guide 4.2, F.3.2, F.4.2 and F.5.2. The guide says 16 transactions of an uncoalesced half-warp and
// nothing of lanes that are off; here they take none.
hw_transactions hw_transactions_count(const hw_arch *arch, hw_note_kind kind, bool cached, uint32_t mask, uint64_t base,
                                      const int64_t delta[32], uint32_t width);

// Do global loads that use the first-level cache bring whole lines? On 2.x they do.
static inline bool hw_loads_lines(const hw_arch *arch) { return arch->cc >= 20 && arch->cc < 30; }

// One transaction: where its bytes lie.
typedef struct hw_transaction {
    uint64_t address;
    uint32_t bytes;
} hw_transaction;

// The transactions of an access on 1.x, one by one, for models of partitions (partition.h). Returns their number.
enum { HW_TRANSACTIONS = 36 };   // most of one warp: one a lane, or four of an access in order
uint32_t hw_transactions_list(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                              uint32_t width, hw_transaction list[HW_TRANSACTIONS]);

// Bytes that they move.
static inline uint64_t hw_transactions_bytes(const hw_transactions *t) {
    return 32ull * t->of_32 + 64ull * t->of_64 + 128ull * t->of_128;
}

#endif
