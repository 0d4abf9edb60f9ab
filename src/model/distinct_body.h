// Distinct pieces of memory at one instruction-set level. The includer defines
//   LEVEL         the table's name
//   LEVEL_NAME    what it is called
// There is no guard.
#include <stddef.h>

#include "model/distinct.h"

enum { ALL_LANES = 32, ROW_BYTES = 128, WORD_BYTES = 4 };

// The lanes whose number no lower lane has.
static inline uint32_t first_lanes(const uint32_t values[ALL_LANES]) {
    uint32_t with_none_below[2 * ALL_LANES], is_again[ALL_LANES] = {0}, first = 0;
    for (int i = 0; i < ALL_LANES; i++) with_none_below[i] = UINT32_MAX;   // no lane has this number
    for (int i = 0; i < ALL_LANES; i++) with_none_below[ALL_LANES + i] = values[i];
    for (int step = 1; step < ALL_LANES; step++) {
        const uint32_t *below = with_none_below + ALL_LANES - step;
        for (int i = 0; i < ALL_LANES; i++) is_again[i] |= -(uint32_t)(values[i] == below[i]);
    }
    for (int i = 0; i < ALL_LANES; i++) first |= (~is_again[i] & 1) << i;
    return first;
}

// The lanes whose number no lower lane of the same `group` neighbours has.
static inline uint32_t first_of_groups(const uint32_t values[ALL_LANES], uint32_t group) {
    uint32_t first = 0;
    for (uint32_t i = 0; i < ALL_LANES; i++) {
        uint32_t is_again = 0;
        for (uint32_t k = i / group * group; k < i; k++) is_again |= values[k] == values[i];
        first |= (is_again ^ 1) << i;
    }
    return first;
}

// Of words with one bit or none: the bit that most of them have, and how many that are.
static inline uint32_t most_set(const uint32_t words[ALL_LANES]) {
    uint8_t counts[ALL_LANES] = {0};
    uint32_t most = 0;
    for (int lane = 0; lane < ALL_LANES; lane++) counts[__builtin_ctz(words[lane] | 1u << 31)] += words[lane] != 0;
    for (int bit = 0; bit < ALL_LANES; bit++) most = counts[bit] > most ? counts[bit] : most;
    return most;
}

static inline bool is_power_of_two(uint32_t n) { return n && !(n & (n - 1)); }

enum { NUMBER_BITS = 29 };
#define NOBODY(i) (0x80000000u | (i))

// The number of each lane's piece, in 31 bits; of lanes that do not take part, numbers that no other lane has. False
// for lanes that cannot be counted.
static inline bool number_places(const hw_lanes *l, uint32_t piece_bytes, uint32_t values[ALL_LANES]) {
    const int shift = __builtin_ctz(piece_bytes) - __builtin_ctz(l->width);
    if (shift < 0) return false;
    for (uint32_t i = 0; i < ALL_LANES; i++) values[i] = l->mask >> i & 1 ? l->place[i] >> shift : NOBODY(i);
    return true;
}

static inline bool number_pieces(const hw_lanes *l, uint32_t piece_bytes, uint32_t values[ALL_LANES]) {
    if (l->place) return number_places(l, piece_bytes, values);
    const uint32_t shift = (uint32_t)__builtin_ctz(piece_bytes);
    const uint64_t begin = l->base % ROW_BYTES + ((uint64_t)1 << (NUMBER_BITS - 1 + shift));
    uint64_t bits = l->base, places = 0;
    if (!is_power_of_two(l->width) || l->width > piece_bytes) return false;
    for (uint32_t i = 0; i < ALL_LANES; i++) {
        const uint64_t on = -(uint64_t)(l->mask >> i & 1), delta = (uint64_t)l->delta[i] & on, place = begin + delta;
        bits |= delta;
        places |= place;
        values[i] = on ? (uint32_t)(place >> shift) : NOBODY(i);
    }
    return !(places >> (NUMBER_BITS + shift)) && !(bits & (l->width - 1));
}

static uint32_t pieces(const hw_lanes *l, uint32_t piece_bytes) {
    uint32_t values[ALL_LANES];
    if (!number_pieces(l, piece_bytes, values)) return HW_DISTINCT_UNKNOWN;
    return (uint32_t)__builtin_popcount(first_lanes(values) & l->mask);
}

static uint32_t pieces_of_eights(const hw_lanes *l) {
    uint32_t values[ALL_LANES];
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES;
    if (!number_pieces(l, piece_bytes, values)) return HW_DISTINCT_UNKNOWN;
    return (uint32_t)__builtin_popcount(first_of_groups(values, 8) & l->mask) * (piece_bytes / WORD_BYTES);
}

static uint32_t busiest_banks(const hw_lanes *l, uint32_t group, bool shares) {
    uint32_t values[ALL_LANES], words[ALL_LANES], counted = l->mask, total = 0;
    const uint32_t piece_bytes = l->width > WORD_BYTES ? l->width : WORD_BYTES, banks = ROW_BYTES / piece_bytes;
    if (!number_pieces(l, piece_bytes, values)) return HW_DISTINCT_UNKNOWN;
    if (shares) counted &= group == ALL_LANES ? first_lanes(values) : first_of_groups(values, group);
    for (uint32_t first = 0; first < ALL_LANES; first += group) {
        const uint32_t members = counted & (uint32_t)(((uint64_t)1 << group) - 1) << first;
        if (!members) continue;
        for (uint32_t i = 0; i < ALL_LANES; i++) words[i] = (members >> i & 1) << (values[i] & (banks - 1));
        total += most_set(words);
    }
    return total;
}

const hw_distinct_level LEVEL = {LEVEL_NAME, pieces, pieces_of_eights, busiest_banks, NULL, NULL};
