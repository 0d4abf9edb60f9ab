// The loops over lanes of every level that this processor has, compared with plain ones.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "check/lanes.h"

enum { LANES = HW_WARP_LANES, WORDS = 64, ROUNDS = 3000 };

static uint64_t state;
static uint32_t draw(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

static uint32_t draw_mask(void) { return draw(3) ? 0xffffffffu : draw(1u << 31) << 1 | 1; }

static void draw_touch(hw_check_touch *t, int32_t delta[LANES]) {
    const uint32_t spread = draw(2) ? 1 : 1 + draw(WORDS);
    *t = (hw_check_touch){.delta = delta, .mask = draw_mask(), .base = 4 * draw(WORDS / 2), .thread = 32 * draw(4)};
    for (int i = 0; i < LANES; i++) delta[i] = 4 * (int32_t)((uint32_t)i * spread % (WORDS / 2)) + (int32_t)draw(4);
}

static uint32_t word_of(const hw_check_touch *t, int lane) { return (t->base + (uint32_t)t->delta[lane]) / 4; }

// What the owners are, without stamps: -1 for nobody.
static void claim_plainly(int *of, const hw_check_touch *t) {
    for (int i = 0; i < LANES; i++)
        if (t->mask >> i & 1) of[word_of(t, i)] = (int)t->thread + i;
}

static bool has_plainly(const int *of, const hw_check_touch *t, bool or_nobody) {
    bool has = true;
    for (int i = 0; i < LANES; i++)
        if (t->mask >> i & 1) {
            const int owner = of[word_of(t, i)];
            has = has && (owner == (int)t->thread + i || (or_nobody && owner < 0));
        }
    return has;
}

static void compare_owners(const hw_check_level *level) {
    uint32_t words[WORDS + 1] = {0};
    int plain[WORDS], has = 0, alone = 0;
    int32_t delta[LANES];
    hw_check_owners owners = {.of = words, .n_words = WORDS};
    for (int round = 0; round < ROUNDS; round++) {
        hw_check_touch t;
        if (round % 4 == 0) {
            owners.stamp++;
            memset(plain, -1, sizeof plain);
        }
        draw_touch(&t, delta);
        if (round % 4 == 0) assert_true(level->claim(&owners, &t)), claim_plainly(plain, &t);
        assert_int_equal(level->has(&owners, &t), has_plainly(plain, &t, false));
        assert_int_equal(level->is_alone(&owners, &t), has_plainly(plain, &t, true));
        has += level->has(&owners, &t), alone += level->is_alone(&owners, &t);
    }
    assert_in_range(has, ROUNDS / 20, ROUNDS - ROUNDS / 20);
    assert_in_range(alone, has + 1, ROUNDS - ROUNDS / 20);
    for (int i = 0; i < LANES; i++) delta[i] = 4 * i;
    assert_false(level->claim(&owners, &(hw_check_touch){.delta = delta, .mask = 1u << 31, .base = 4 * WORDS - 64}));
    assert_false(level->is_alone(&owners, &(hw_check_touch){.delta = delta, .mask = 1u << 31, .base = 4 * WORDS - 64}));
    assert_true(level->is_alone(&owners, &(hw_check_touch){.delta = delta, .mask = 1, .base = 4 * WORDS - 4}));
}

static void test_owners(void **unused) {
    (void)unused;
    for (unsigned index = 0; hw_check_level_at(index); index++) compare_owners(hw_check_level_at(index));
}

static void draw_addresses(hw_check_touch *t, int32_t delta[LANES], uint32_t first) {
    *t = (hw_check_touch){.delta = delta, .mask = draw_mask(), .base = first};
    for (int i = 0; i < LANES; i++) delta[i] = 4 * i;
}

static void test_parts(void **unused) {
    (void)unused;
    for (unsigned index = 0; hw_check_level_at(index); index++) {
        int found = 0;
        for (int round = 0; round < ROUNDS; round++) {
            int32_t of_part[LANES], of_whole[LANES];
            hw_check_touch part, whole;
            draw_addresses(&part, of_part, 256 + 4 * draw(2));
            draw_addresses(&whole, of_whole, 256);
            if (draw(2)) part.mask &= whole.mask;
            if (draw(2)) of_part[draw(LANES)] += 4;
            bool is_part = true;
            for (int i = 0; i < LANES; i++)
                if (part.mask >> i & 1)
                    is_part = is_part && whole.mask >> i & 1 &&
                              part.base + (uint32_t)of_part[i] == whole.base + (uint32_t)of_whole[i];
            assert_int_equal(hw_check_level_at(index)->is_part(&part, &whole), is_part);
            found += is_part;
        }
        assert_in_range(found, ROUNDS / 20, ROUNDS - ROUNDS / 20);
    }
}

static void test_unseen(void **unused) {
    (void)unused;
    for (unsigned index = 0; hw_check_level_at(index); index++)
        for (int round = 0; round < ROUNDS; round++) {
            const uint32_t bits = draw(2) ? 2 : 0;
            const uint64_t at = 400 + (draw(100) << bits);
            uint32_t seen[32], cells[LANES], lanes = 0;
            hw_access_pattern p = {.mask = draw_mask()};
            for (int i = 0; i < 32; i++) seen[i] = draw(1u << 31) << 1 ^ draw(1u << 31);
            for (int i = 1; i < LANES; i++) p.delta[i] = p.mask >> i & 1 ? ((int64_t)draw(200) - 100) * (1 << bits) : 0;
            for (int i = 0; i < LANES; i++) {
                const uint64_t cell = (at + (uint64_t)p.delta[i]) >> bits;
                lanes |= (p.mask >> i & 1 & ~(seen[cell / 32] >> cell % 32)) << i;
            }
            hw_check_level_at(index)->find_cells(p.delta, at, bits, cells);
            assert_int_equal(hw_check_level_at(index)->unseen(seen, cells, p.mask), lanes);
            for (int i = 0; i < LANES; i++) assert_int_equal(cells[i], (at + (uint64_t)p.delta[i]) >> bits);
        }
}

static void test_span(void **unused) {
    (void)unused;
    for (unsigned index = 0; hw_check_level_at(index); index++) {
        for (int round = 0; round < 100; round++) {
            int64_t delta[LANES] = {0}, least = 0, most = 0, low, high;
            for (int i = 1; i < LANES; i++) {
                delta[i] = ((int64_t)draw(1000) - draw(1000)) * ((int64_t)1 << draw(40));
                least = delta[i] < least ? delta[i] : least;
                most = delta[i] > most ? delta[i] : most;
            }
            hw_check_level_at(index)->span(delta, &low, &high);
            assert_int_equal(low, least);
            assert_int_equal(high, most);
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_owners), cmocka_unit_test(test_parts),
                                       cmocka_unit_test(test_unseen), cmocka_unit_test(test_span)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
