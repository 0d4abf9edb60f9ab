// Sums that a worker keeps to itself: what atomics add to device memory without looking at it, as a histogram's do. A
// locked addition of the host takes 18 cycles and more; in a table of the worker's own it is an ordinary one, and
// memory gets the sum of many at once.
//
// Nobody can see the difference where all that a launch does to that memory is to add integers, and the kernel does
// nothing that orders its accesses for other blocks: PTX's memory model then lets the additions happen at any time
// until the kernel ends, and their order changes no sum. What accesses mean is known by their homes (homes.c).
#ifndef HW_EXEC_SUMS_H
#define HW_EXEC_SUMS_H

#include <stdbool.h>
#include <stdint.h>

struct hw_run;

// Of an entry (hw_program.keeps_sums): 0, nobody has asked yet.
typedef enum hw_sums_possible { HW_SUMS_IMPOSSIBLE = 1, HW_SUMS_POSSIBLE } hw_sums_possible;

// A word has its place by its address modulo the table's size, so that neighbours do not meet.
enum { HW_SUMS_KEPT = 1024 };

typedef struct hw_sums {
    uint64_t at[HW_SUMS_KEPT];       // the host's address of the word; 0: free
    uint32_t sum[HW_SUMS_KEPT];
    uint64_t n_added, n_displaced;   // lanes of this launch; words that had to go for others
} hw_sums;

// Might a launch of this run's entry keep sums, whatever its arguments are? By its PTX: found once and kept.
bool hw_sums_are_possible(const struct hw_run *run);

// Does this launch keep them? Its homes are known. False too where memory has run out.
bool hw_sums_are_kept(const struct hw_run *run);

// All of it into memory, by atomics: the table is empty afterwards.
void hw_sums_flush(hw_sums *sums);

// Does the table do more harm than good, since words come back too seldom?
static inline bool hw_sums_are_vain(const hw_sums *sums) {
    return sums->n_displaced > HW_SUMS_KEPT + sums->n_added / 4;
}

static inline void hw_sums_add(hw_sums *sums, uint64_t at, uint32_t number) {
    const uint32_t k = (uint32_t)(at >> 2) % HW_SUMS_KEPT;
    if (__builtin_expect(sums->at[k] == at, 1)) {
        sums->sum[k] += number;
        return;
    }
    if (sums->at[k]) {
        __atomic_fetch_add((uint32_t *)(uintptr_t)sums->at[k], sums->sum[k], __ATOMIC_SEQ_CST);
        sums->n_displaced++;
    }
    sums->at[k] = at;
    sums->sum[k] = number;
}

#endif
