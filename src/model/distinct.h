// How many different pieces of memory a warp's lanes touch, by vectors: what the counts of sectors and banks are made
// of where no pattern repeats. One table of functions per instruction-set level, all made from distinct_body.h; every
// level counts the same.
#ifndef HW_MODEL_DISTINCT_H
#define HW_MODEL_DISTINCT_H

#include <stdatomic.h>

#include "model/lanes.h"

// What the functions say of lanes that they cannot count: words that are not aligned, are no power of two, or lie too
// far apart (1 GB for words, 8 GB for sectors). Callers then count without vectors.
enum { HW_DISTINCT_UNKNOWN = 0xffffffff };

// Accesses that are counted at a time; lanes of one that are so few that it is counted by itself as fast.
enum { HW_DISTINCT_LIST = 16, HW_DISTINCT_FEW = 8 };

typedef struct hw_distinct_level {
    const char *name;                    // "base", "avx2", "avx512"
    // Pieces of piece_bytes, a power of two of at least width, that the lanes' words lie in.
    uint32_t (*pieces)(const hw_lanes *l, uint32_t piece_bytes);
    // The same for each 8 neighbouring lanes, added up: sectors of local memory, whose words lie interleaved. Words of
    // 4 bytes; wider ones are several.
    uint32_t (*pieces_of_eights)(const hw_lanes *l);
    // For each `group` neighbouring lanes (8, 16 or 32), added up: the most pieces in one of the banks that 128 bytes
    // are spread over, pieces of width bytes or 4. shares: lanes of the same piece count once; else each for itself.
    uint32_t (*busiest_banks)(const hw_lanes *l, uint32_t group, bool shares);
    // `pieces`, and `pieces_of_eights`, of HW_DISTINCT_LIST accesses that are told by places, each with some lane on.
    // Return a bit for each that they have counted: the lanes of others lie too far apart; pieces_of_list none where
    // most have few lanes, since one after the other is as fast then. NULL: it always is.
    uint32_t (*pieces_of_list)(const hw_lanes *list, uint32_t piece_bytes, uint32_t *counts);
    uint32_t (*eights_of_list)(const hw_lanes *list, uint32_t *counts);
} hw_distinct_level;

// Level 0 is base, which every machine has; NULL past the last one that this processor has.
const hw_distinct_level *hw_distinct_level_at(unsigned index);

// The last of them.
extern _Atomic(const hw_distinct_level *) hw_distinct_best;    // NULL: not found yet
const hw_distinct_level *hw_distinct_find_best(void);
static inline const hw_distinct_level *hw_distinct_level_best(void) {
    const hw_distinct_level *best = atomic_load_explicit(&hw_distinct_best, memory_order_relaxed);
    return best ? best : hw_distinct_find_best();
}

// Of processors with AVX2 (distinct_sorted.c).
uint32_t hw_distinct_pieces_sorted(const hw_lanes list[HW_DISTINCT_LIST], uint32_t piece_bytes,
                                   uint32_t counts[HW_DISTINCT_LIST]);
uint32_t hw_distinct_eights_sorted(const hw_lanes list[HW_DISTINCT_LIST], uint32_t counts[HW_DISTINCT_LIST]);

extern const hw_distinct_level hw_distinct_base, hw_distinct_avx2, hw_distinct_avx512;

#endif
