// Stretches of memory that launches only read, told by hand, and a plain model of who has read each word last.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "check/checked_launch.h"

enum {
    WORDS = 80, ROUNDS = 300, LAUNCHES = 3, MOST_READS = 6,
    FIRST_READER = 10, FIRST_WRITER = 100    // lines
};
static const uint64_t MEMORY = 1 << 20;
static checked c;

// Of the words of the memory: lines that have read each in the newest launch that has, bits; and lanes of each.
typedef struct readers {
    uint32_t lines[WORDS];
    uint32_t lanes[WORDS][LAUNCHES * MOST_READS];
} readers;

static uint32_t below(uint32_t n) {
    static uint64_t state = 1;
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % n;
}

// Lanes side by side of up to two warps, which lie a few words apart, read 1 or 2 words each.
static void read_stretch(uint32_t reader, readers *all, readers *of_launch) {
    static const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .access = 1};
    const uint32_t words = 1 + below(2), most = WORDS / words, begin = below(most);
    const uint32_t left = most - begin, lanes = 1 + below(left < HW_WARP_LANES ? left : HW_WARP_LANES);
    const uint32_t apart = below(left - lanes + 1) + begin;    // where the second warp begins
    const uint64_t bases[] = {MEMORY + 4 * words * begin, MEMORY + 4 * words * apart};
    hw_note as = note;
    int64_t delta[HW_WARP_LANES];
    as.width_bytes = (uint8_t)(4 * words);
    for (uint32_t i = 0; i < HW_WARP_LANES; i++) delta[i] = i < lanes ? 4 * words * i : 0;
    checked_accesses(&c, checked_where(0, 0), FIRST_READER + reader, &as, lanes == 32 ? ~0u : (1u << lanes) - 1, 2,
                     bases, delta);
    for (uint32_t warp = 0; warp < 2; warp++)
        for (uint32_t i = 0; i < lanes * words; i++) {
            const uint32_t word = (uint32_t)(bases[warp] - MEMORY) / 4 + i;
            if (!of_launch->lines[word]) all->lines[word] = 0;
            of_launch->lines[word] |= 1u << reader;
            all->lines[word] |= 1u << reader;
            all->lanes[word][reader] |= 1u << i / words;
        }
}

static void read_in_launches(readers *all) {
    static const uint32_t set_of[] = {0, 1};
    static const hw_home home = {.begin = 1 << 20, .bytes = 4 * WORDS, .space = HW_SPACE_GLOBAL};
    static const hw_home_set sets[] = {{.n = 0}, {.n = 1, .least_read_bytes = 4}};
    static const hw_homes homes = {.n_accesses = 2, .set_of = set_of, .n_sets = 2, .sets = sets, .items = &home};
    c.homes = &homes;
    for (uint32_t launch = 0; launch < LAUNCHES; launch++) {
        readers of_launch = {.lines = {0}};
        assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
        for (uint32_t n = below(MOST_READS); n; n--)
            read_stretch(launch * MOST_READS + n, all, &of_launch);
        checked_end(&c);
    }
    c.homes = NULL;
}

// Each word is written by a line of its own in another stream, which nothing orders: it meets one of those who have
// read it in the newest launch, where there is one.
static void write_all(const readers *all) {
    assert_int_equal(checked_begin(&c, 4, 1, 32), HW_OK);
    for (uint32_t word = 0; word < WORDS; word++)
        checked_word(&c, 0, 0, 0, FIRST_WRITER + word, HW_NOTE_STORE, MEMORY + 4 * word);
    checked_end(&c);
    uint32_t n_read = 0;
    for (uint32_t word = 0; word < WORDS; word++) n_read += all->lines[word] != 0;
    assert_int_equal(checked_count(&c), n_read);
    const hw_check_finding *f;
    for (size_t i = 0; (f = hw_check_finding_at(c.check, i)); i++) {
        const uint32_t word = f->sides[1].line - FIRST_WRITER, reader = f->sides[0].line - FIRST_READER;
        assert_true(word < WORDS && all->lines[word] >> reader & 1);
        assert_true(all->lanes[word][reader] >> f->sides[0].thread[0] % HW_WARP_LANES & 1);
    }
}

static void test_newest_readers(void **state) {
    (void)state;
    for (int round = 0; round < ROUNDS; round++) {
        readers all = {.lines = {0}};
        assert_int_equal(checked_create(&c), HW_OK);
        read_in_launches(&all);
        write_all(&all);
        hw_check_destroy(c.check);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_newest_readers)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
