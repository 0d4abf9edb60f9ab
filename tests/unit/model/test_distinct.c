// Distinct pieces of memory at every instruction-set level of this machine, against the plainest way to count them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "model/distinct.h"

enum { WORD = 4, ROW = 128, ROUNDS = 20000 };

static uint64_t random_state = 88172645463325252u;
static uint64_t random_bits(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static uint32_t larger(uint32_t a, uint32_t b) { return a > b ? a : b; }

// How many lanes of a group lie in pieces of this bank (all: bank < 0), those of one piece once where they share it.
static uint32_t count_group(const hw_lanes *l, uint32_t members, uint32_t piece, int bank, bool shares) {
    uint64_t seen[32];
    uint32_t n = 0;
    for (int i = 0; i < 32; i++) {
        if (!(members >> i & 1)) continue;
        uint64_t number = hw_lane_address(l, i) / piece;
        uint32_t k = 0;
        if (bank >= 0 && number % (ROW / piece) != (uint64_t)bank) continue;
        while (shares && k < n && seen[k] != number) k++;
        if (!shares || k == n) seen[n++] = number;
    }
    return n;
}

static uint32_t members_of(const hw_lanes *l, uint32_t first, uint32_t group) {
    return l->mask & (uint32_t)(((uint64_t)1 << group) - 1) << first;
}

static uint32_t plain_eights(const hw_lanes *l) {
    uint32_t total = 0, piece = larger(l->width, WORD);
    for (uint32_t first = 0; first < 32; first += 8)
        total += count_group(l, members_of(l, first, 8), piece, -1, true) * (piece / WORD);
    return total;
}

static uint32_t plain_banks(const hw_lanes *l, uint32_t group, bool shares) {
    uint32_t total = 0, piece = larger(l->width, WORD);
    for (uint32_t first = 0; first < 32; first += group) {
        uint32_t most = 0;
        for (uint32_t bank = 0; bank < ROW / piece; bank++)
            most = larger(most, count_group(l, members_of(l, first, group), piece, (int)bank, shares));
        total += most;
    }
    return total;
}

// Aligned words, spread over so many bytes; some lanes alike.
static void make_lanes(hw_lanes *l, int64_t delta[32]) {
    uint64_t spread = (uint64_t)16 << random_bits() % 16;
    l->width = 1u << random_bits() % 5;
    l->mask = (uint32_t)random_bits();
    if (random_bits() % 3 == 0) l->mask |= (uint32_t)random_bits() | (uint32_t)(random_bits() >> 32);
    if (random_bits() % 4 == 0) l->mask = 0xffffffff;
    if (random_bits() % 4 == 0) l->mask = (uint32_t)(random_bits() & random_bits() & random_bits());    // 4 lanes
    if (!l->mask) l->mask = 1u << random_bits() % 32;
    l->base = ((uint64_t)1 << 40) + random_bits() % 4096 / l->width * l->width;
    for (int i = 0; i < 32; i++) {
        delta[i] = ((int64_t)(random_bits() % spread) - (int64_t)spread / 2) / (int64_t)l->width * (int64_t)l->width;
        if (i && random_bits() % 8 == 0) delta[i] = delta[i - 1];
    }
    if (random_bits() % 4 == 0)
        for (int i = 0; i < 32; i++) delta[i] = i * (int64_t)(random_bits() % 2 ? l->width : 2 * l->width);
    if (random_bits() % 4 == 0)    // behind the first lane, as usual
        for (int i = 0; i < 32; i++) delta[i] = delta[i] < 0 ? -delta[i] : delta[i];
    delta[__builtin_ctz(l->mask)] = 0;
    for (int i = 0; i < 32; i++)
        if (!(l->mask >> i & 1)) delta[i] = (int64_t)random_bits();    // nobody looks at them
}

static void every_level_counts_alike(void **state) {
    (void)state;
    const hw_distinct_level *level;
    int64_t delta[32];
    hw_lanes l = {.delta = delta};
    for (int round = 0; round < ROUNDS; round++) {
        make_lanes(&l, delta);
        uint32_t lane_bytes = larger(l.width, WORD), group = ROW / lane_bytes << random_bits() % 2;
        bool shares = random_bits() % 2;
        if (group > 32) group = 32;
        for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
            assert_int_equal(level->pieces(&l, 32), count_group(&l, l.mask, 32, -1, true));
            assert_int_equal(level->pieces_of_eights(&l), plain_eights(&l));
            assert_int_equal(level->busiest_banks(&l, group, shares), plain_banks(&l, group, shares));
        }
    }
}

// Words of other groups of lanes are other words, however far apart they lie: up to 2^31.
static void far_places_of_groups(void **state) {
    (void)state;
    uint32_t place[32] = {[0] = (1u << 29) + 5, [8] = 5, [16] = (3u << 29) + 5, [24] = (1u << 29) + 5};
    const hw_lanes l = {.mask = 0x01010101, .width = 4, .place = place};
    const hw_distinct_level *level;
    for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
        assert_int_equal(level->pieces(&l, 4), 3);
        assert_int_equal(level->pieces_of_eights(&l), 4);
        assert_int_equal(level->busiest_banks(&l, 8, true), 4);
        assert_int_equal(level->busiest_banks(&l, 16, true), 2 + 2);
        assert_int_equal(level->busiest_banks(&l, 32, true), 3);
    }
}

// The same lanes, told by places, of which some ascend as rows do that lie behind each other.
static void places_count_as_addresses_do(void **state) {
    (void)state;
    const hw_distinct_level *level;
    int64_t delta[32];
    uint32_t place[32];
    for (int round = 0; round < ROUNDS; round++) {
        hw_lanes l = {.delta = delta}, by_places;
        make_lanes(&l, delta);
        const uint32_t first = (uint32_t)__builtin_ctz(l.mask), step = (uint32_t)random_bits() % 20;
        l.base = (1 << 28) + l.base % ROW;
        for (uint32_t i = 0; i < 32; i++) {
            if (round % 3 == 0) delta[i] = (int64_t)(i - first) * step * l.width;
            place[i] = (uint32_t)((l.base + (uint64_t)delta[i]) / l.width);
        }
        by_places = (hw_lanes){.mask = l.mask, .width = l.width, .place = place};
        for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
            assert_int_equal(level->pieces(&by_places, 32), level->pieces(&l, 32));
            assert_int_equal(level->pieces_of_eights(&by_places), level->pieces_of_eights(&l));
            for (uint32_t group = ROW / larger(l.width, WORD); group >= 8; group /= 2)
                for (int shares = 0; shares < 2; shares++)
                    assert_int_equal(level->busiest_banks(&by_places, group, shares),
                                     level->busiest_banks(&l, group, shares));
        }
    }
}

// Lanes so many pieces before and behind the first one, and some less.
static void put_at_ends(const hw_lanes *l, uint32_t place[32], int pieces) {
    const int first = __builtin_ctz(l->mask), of_piece = 32 / (int)l->width;
    for (int i = 0; i < 32; i++)
        if (i != first) place[i] = place[first] + (uint32_t)((i & 1 ? pieces - i % 3 : i % 3 - pieces) * of_piece);
}

// As places; each list has some accesses whose lanes lie far apart, which may be left out, as others may not.
static void lists_count_as_each_access_does(void **state) {
    (void)state;
    const hw_distinct_level *level;
    enum { FAR = 1 << 24, NEAR = 1 << 15 };
    static uint32_t place[HW_DISTINCT_LIST][32];
    hw_lanes list[HW_DISTINCT_LIST];
    uint32_t pieces[HW_DISTINCT_LIST], eights[HW_DISTINCT_LIST];
    for (int round = 0; round < ROUNDS / 10; round++) {
        uint32_t near = 0, n_few = 0;
        for (uint32_t k = 0; k < HW_DISTINCT_LIST; k++) {
            int64_t delta[32];
            hw_lanes l = {.delta = delta};
            make_lanes(&l, delta);
            const uint32_t base = 1 << 28;
            for (uint32_t i = 0; i < 32; i++) place[k][i] = base + (uint32_t)(delta[i] / (int64_t)l.width);
            if (random_bits() % 4) near |= 1u << k;
            else if (random_bits() % 2) place[k][random_bits() % 32] += FAR;
            else put_at_ends(&l, place[k], NEAR - 2 + (int)(random_bits() % 4));
            list[k] = (hw_lanes){.mask = l.mask, .width = l.width, .place = place[k]};
            n_few += __builtin_popcount(l.mask) <= HW_DISTINCT_FEW;
        }
        for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
            if (!level->pieces_of_list) continue;
            const uint32_t in_pieces = level->pieces_of_list(list, 32, pieces);
            const uint32_t in_eights = level->eights_of_list(list, eights);
            if (n_few > HW_DISTINCT_LIST / 2) assert_int_equal(in_pieces, 0);
            else assert_int_equal(near & ~in_pieces, 0);
            for (uint32_t k = 0; k < HW_DISTINCT_LIST; k++) {
                if (in_pieces >> k & 1) assert_int_equal(pieces[k], level->pieces(&list[k], 32));
                if (in_eights >> k & 1) assert_int_equal(eights[k], level->pieces_of_eights(&list[k]));
            }
        }
    }
}

// Of lanes in as many pieces that lie far apart most lists are counted, as hashes of which few are alike.
static void lists_count_pieces_far_apart(void **state) {
    (void)state;
    enum { LISTS = 64, WORDS = 1 << 24 };
    static uint32_t place[HW_DISTINCT_LIST][32];
    const hw_distinct_level *level;
    for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
        uint32_t n_counted = 0;
        for (int round = 0; round < LISTS && level->pieces_of_list; round++) {
            hw_lanes list[HW_DISTINCT_LIST];
            uint32_t counts[HW_DISTINCT_LIST];
            for (uint32_t k = 0; k < HW_DISTINCT_LIST; k++) {
                for (int lane = 0; lane < 32; lane++) place[k][lane] = random_bits() % WORDS;
                list[k] = (hw_lanes){.mask = random_bits() | 0x7fff, .width = 4, .place = place[k]};
            }
            const uint32_t counted = level->pieces_of_list(list, 32, counts);
            for (uint32_t k = 0; k < HW_DISTINCT_LIST; k++)
                if (counted >> k & 1) assert_int_equal(counts[k], level->pieces(&list[k], 32));
            n_counted += (uint32_t)__builtin_popcount(counted);
        }
        if (level->pieces_of_list) assert_true(n_counted > LISTS * HW_DISTINCT_LIST * 9 / 10);
    }
}

static void lanes_far_apart_are_left_to_others(void **state) {
    (void)state;
    const hw_distinct_level *level;
    int64_t delta[32] = {0};
    hw_lanes l = {.mask = 0x10001, .base = 1 << 20, .delta = delta, .width = 4};
    for (unsigned i = 0; (level = hw_distinct_level_at(i)); i++) {
        delta[16] = (int64_t)1 << 32;
        assert_int_equal(level->pieces(&l, 32), 2);
        for (int shift = 40; shift < 64; shift++) {
            delta[16] = (int64_t)((uint64_t)1 << shift);
            assert_int_equal(level->pieces(&l, 32), HW_DISTINCT_UNKNOWN);
            assert_int_equal(level->busiest_banks(&l, 32, true), HW_DISTINCT_UNKNOWN);
            delta[16] = -delta[16];
            assert_int_equal(level->pieces_of_eights(&l), HW_DISTINCT_UNKNOWN);
        }
        delta[16] = 2;
        assert_int_equal(level->pieces(&l, 32), HW_DISTINCT_UNKNOWN);    // not aligned
        delta[16] = 12, l.width = 12;
        assert_int_equal(level->pieces(&l, 32), HW_DISTINCT_UNKNOWN);
        l.width = 4;
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_level_counts_alike),
        cmocka_unit_test(far_places_of_groups),
        cmocka_unit_test(places_count_as_addresses_do),
        cmocka_unit_test(lists_count_as_each_access_does),
        cmocka_unit_test(lists_count_pieces_far_apart),
        cmocka_unit_test(lanes_far_apart_are_left_to_others),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
