// Loops over the lanes of a warp, by vectors: a table of functions for each instruction-set level, all made from
// lanes_body.h.
//
// Internal to check/. Threads: any.
#ifndef HW_CHECK_LANES_H
#define HW_CHECK_LANES_H

#include "check/entries.h"
#include "event/event.h"

// Who has written which word of shared memory since some barrier: a stamp of the interval, and the thread. There is one
// word more than there are, for lanes that are off.
enum { HW_CHECK_THREAD_BITS = 10 };
typedef struct hw_check_owners {
    uint32_t *of;
    uint32_t n_words, stamp;
} hw_check_owners;

// An access of 4 bytes or fewer by lanes of mask, at base + delta. thread: of lane 0.
typedef struct hw_check_touch {
    const int32_t *delta;
    uint32_t mask, base, thread;
} hw_check_touch;

typedef struct hw_check_level {
    const char *name;                // "base", "avx2", "avx512"
    void (*span)(const int64_t delta[HW_WARP_LANES], int64_t *least, int64_t *most);
    // The lanes' words become theirs. false: there are no such words.
    bool (*claim)(hw_check_owners *owners, const hw_check_touch *touch);
    // Does each lane have its word still?
    bool (*has)(hw_check_owners *owners, const hw_check_touch *touch);
    // Has no other thread the lanes' words? false: one has, or there are no such words.
    bool (*is_alone)(hw_check_owners *owners, const hw_check_touch *touch);
    // Has each lane of `part`, which are some of those of `whole`, its address there?
    bool (*is_part)(const hw_check_touch *part, const hw_check_touch *whole);
    // Of columns of n cells each: are all below the floor?
    bool (*are_older)(hw_check_ref *const *columns, uint32_t n_columns, uint32_t n, hw_check_ref floor);
    // Gives the first cell of column i refs[i], and those behind it the same lane of the warps behind.
    void (*put_columns)(hw_check_ref *const *columns, uint32_t n_columns, uint32_t n, const hw_check_ref *refs);
    // Gives n cells, up to 32, references to lanes one after the other.
    void (*put_row)(hw_check_ref *cells, uint32_t n, hw_check_ref ref);
    // The cell of each lane, at `at` + delta bytes. Cells of 1 << bits bytes, below 2^32 of them.
    void (*find_cells)(const int64_t delta[HW_WARP_LANES], uint64_t at, uint32_t bits, uint32_t cells[HW_WARP_LANES]);
    // Lanes of mask whose cell has no bit. The others' are there as well.
    uint32_t (*unseen)(const uint32_t *seen, const uint32_t cells[HW_WARP_LANES], uint32_t mask);
} hw_check_level;

// Level 0 is base, which every machine has; NULL past the last one that this processor has.
const hw_check_level *hw_check_level_at(unsigned index);
const hw_check_level *hw_check_level_best(void);    // cheap

extern const hw_check_level hw_check_base, hw_check_avx2, hw_check_avx512;

#endif
