// Global and local memory: how many 32-byte sectors a warp's access touches.
#ifndef HW_MODEL_COALESCE_H
#define HW_MODEL_COALESCE_H

#include "isa/gpu.h"
#include "model/lanes.h"

// Addresses are base + delta[lane] for the lanes in mask; width bytes each (1 to 32, the widest that there
// is; more counts as 32). Lanes that are not in mask are not read. All functions are pure, and depend on base only
// modulo 128.

// Distinct 32-byte sectors of a global access; the same for loads, stores, atomics and reductions. 0 for mask 0.
// Compute capability 2.0 and newer. Source: programming guide; exact on all 434 launches of truth/banks.cu on an H200.
uint32_t hw_coalesce_sectors(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                             uint32_t width);

// Sectors of an access to local memory: addresses are offsets in a thread's own memory, whose 4-byte words lie
// interleaved, word w of lane l at byte 128 w + 4 l.
uint32_t hw_coalesce_local_sectors(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                                   uint32_t width);

// Both of lanes that are told by places.
uint32_t hw_coalesce_sectors_of_places(const hw_lanes *l);
uint32_t hw_coalesce_local_sectors_of_places(const hw_lanes *l);

// The same of n accesses at a time, which takes less for each where they are many: into sectors.
enum { HW_COALESCE_LIST = 16 };
void hw_coalesce_sectors_of_list(const hw_lanes *list, uint32_t n, uint32_t *sectors);
void hw_coalesce_local_sectors_of_list(const hw_lanes *list, uint32_t n, uint32_t *sectors);

// Sectors that the same lanes would touch side by side, at most the `sectors` that they do touch (lanes that share
// addresses do better than side by side).
static inline uint32_t hw_coalesce_packed_sectors(uint32_t lanes, uint32_t width) { return (lanes * width + 31) / 32; }
uint32_t hw_coalesce_ideal_sectors(uint32_t mask, uint32_t width, uint32_t sectors);

// What copies of 16 aligned bytes a lane from global into shared memory (offsets) fetch when they go past the
// first-level cache: `sectors` it counts, `l2_sectors` the second level has to give. A source's line of 128 bytes
// counts once, and its sectors are fetched once, for each 32 aligned bytes of shared memory that parts of it go to; a
// sector is fetched twice where one half of it goes to both halves of such 32 bytes. Compute capability 8.0 and newer;
// offsets below 16 MB. Exact on the 134 such launches of tests/truth/async.cu on an H200.
typedef struct hw_fetched {
    uint32_t sectors, l2_sectors;
} hw_fetched;
hw_fetched hw_coalesce_copies(uint32_t mask, const uint64_t from[32], const uint32_t to[32]);

#endif
