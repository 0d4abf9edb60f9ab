// Distinct 32-byte sectors, counted by vectors, or with a small hash set where words are not aligned or lie far apart.
#include "model/coalesce.h"

#include <string.h>

#include "model/distinct.h"

enum { SECTOR_BYTES = 32, WORD_BYTES = 4, MAX_WIDTH = 32, SLOTS = 128 };

// Numbers seen so far: at most two sectors of 32 lanes, or nine words of 8.
typedef struct number_set {
    uint64_t numbers[SLOTS];
    uint8_t used[SLOTS];
    uint32_t count;
} number_set;

static void add_number(number_set *set, uint64_t number) {
    uint32_t slot = (uint32_t)(number * 0x9e3779b97f4a7c15ull >> 57);
    for (;; slot = (slot + 1) % SLOTS) {
        if (!set->used[slot]) break;
        if (set->numbers[slot] == number) return;
    }
    set->used[slot] = 1;
    set->numbers[slot] = number;
    set->count++;
}

static void empty_set(number_set *set) {
    memset(set->used, 0, sizeof set->used);
    set->count = 0;
}

uint32_t hw_coalesce_sectors(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                             uint32_t width) {
    (void)arch;   // the same since 2.0
    if (!mask || !width) return 0;
    if (width > MAX_WIDTH) width = MAX_WIDTH;
    const hw_lanes lanes = {.mask = mask, .base = base, .delta = delta, .width = width};
    uint32_t count = hw_distinct_level_best()->pieces(&lanes, SECTOR_BYTES);
    if (count != HW_DISTINCT_UNKNOWN) return count;
    number_set set;
    empty_set(&set);
    for (uint32_t left = mask; left; left &= left - 1) {
        uint64_t address = base + (uint64_t)delta[__builtin_ctz(left)];
        for (uint64_t i = 0; i <= (address % SECTOR_BYTES + width - 1) / SECTOR_BYTES; i++)
            add_number(&set, (address / SECTOR_BYTES + i) % (UINT64_MAX / SECTOR_BYTES + 1));
    }
    return set.count;
}

uint32_t hw_coalesce_sectors_of_places(const hw_lanes *l) {
    return hw_distinct_level_best()->pieces(l, SECTOR_BYTES);    // at most MAX_WIDTH wide, aligned, not far apart
}

uint32_t hw_coalesce_local_sectors_of_places(const hw_lanes *l) {
    return hw_distinct_level_best()->pieces_of_eights(l);
}

// ---- lists ----

// Lanes that a level cannot count in a list, and accesses that are too few for one, are counted by themselves.
enum { WORTH_A_LIST = HW_DISTINCT_LIST / 2 };
_Static_assert((int)HW_COALESCE_LIST == (int)HW_DISTINCT_LIST, "lists of the level's size");

// A list that is full: what is missing is like the first one.
static const hw_lanes *fill_list(const hw_lanes *list, uint32_t n, hw_lanes full[HW_DISTINCT_LIST]) {
    if (n == HW_DISTINCT_LIST) return list;
    for (uint32_t k = 0; k < HW_DISTINCT_LIST; k++) full[k] = list[k < n ? k : 0];
    return full;
}

void hw_coalesce_sectors_of_list(const hw_lanes *list, uint32_t n, uint32_t *sectors) {
    const hw_distinct_level *level = hw_distinct_level_best();
    uint32_t counts[HW_DISTINCT_LIST], counted = 0;
    hw_lanes full[HW_DISTINCT_LIST];
    if (level->pieces_of_list && n >= WORTH_A_LIST)
        counted = level->pieces_of_list(fill_list(list, n, full), SECTOR_BYTES, counts);
    for (uint32_t k = 0; k < n; k++)
        sectors[k] = counted >> k & 1 ? counts[k] : level->pieces(&list[k], SECTOR_BYTES);
}

void hw_coalesce_local_sectors_of_list(const hw_lanes *list, uint32_t n, uint32_t *sectors) {
    const hw_distinct_level *level = hw_distinct_level_best();
    uint32_t counts[HW_DISTINCT_LIST], counted = 0;
    hw_lanes full[HW_DISTINCT_LIST];
    if (level->eights_of_list && n >= WORTH_A_LIST)
        counted = level->eights_of_list(fill_list(list, n, full), counts);
    for (uint32_t k = 0; k < n; k++) sectors[k] = counted >> k & 1 ? counts[k] : level->pieces_of_eights(&list[k]);
}

// ---- copies ----

// Distinct pairs of a piece of global memory and one of shared memory.
static uint32_t count_pairs(uint32_t mask, const uint64_t from[32], uint32_t from_bytes, const uint32_t to[32],
                            uint32_t to_bytes) {
    enum { OFFSETS = 1 << 20 };   // of 16 bytes in 16 MB
    number_set set;
    empty_set(&set);
    for (uint32_t left = mask; left; left &= left - 1) {
        int lane = __builtin_ctz(left);
        add_number(&set, from[lane] / from_bytes * OFFSETS + to[lane] / to_bytes % OFFSETS);
    }
    return set.count;
}

hw_fetched hw_coalesce_copies(uint32_t mask, const uint64_t from[32], const uint32_t to[32]) {
    enum { LINE_BYTES = 128, UNIT_BYTES = 16 };
    const uint32_t both_halves = count_pairs(mask, from, UNIT_BYTES, to, UNIT_BYTES) -
                                 count_pairs(mask, from, UNIT_BYTES, to, SECTOR_BYTES);
    return (hw_fetched){.sectors = count_pairs(mask, from, LINE_BYTES, to, SECTOR_BYTES),
                        .l2_sectors = count_pairs(mask, from, SECTOR_BYTES, to, SECTOR_BYTES) + both_halves};
}

uint32_t hw_coalesce_local_sectors(const hw_arch *arch, uint32_t mask, uint64_t base, const int64_t delta[32],
                                   uint32_t width) {
    (void)arch;
    if (!mask || !width) return 0;
    if (width > MAX_WIDTH) width = MAX_WIDTH;
    // A sector is one word of 8 neighbouring lanes.
    const hw_lanes lanes = {.mask = mask, .base = base, .delta = delta, .width = width};
    uint32_t count = hw_distinct_level_best()->pieces_of_eights(&lanes);
    if (count != HW_DISTINCT_UNKNOWN) return count;
    count = 0;
    for (int group = 0; group < 4; group++) {
        number_set set;
        empty_set(&set);
        for (uint32_t left = mask & 0xffu << 8 * group; left; left &= left - 1) {
            uint64_t offset = base + (uint64_t)delta[__builtin_ctz(left)];
            for (uint64_t i = 0; i <= (offset % WORD_BYTES + width - 1) / WORD_BYTES; i++)
                add_number(&set, offset / WORD_BYTES + i);
        }
        count += set.count;
    }
    return count;
}

uint32_t hw_coalesce_ideal_sectors(uint32_t mask, uint32_t width, uint32_t sectors) {
    uint32_t packed = hw_coalesce_packed_sectors(hw_lanes_on(mask), width);
    return packed < sectors ? packed : sectors;
}
