// Which bytes of memory are defined: ranges, copies and single bytes, compared with a plain array of bytes.
#include <setjmp.h>
#include <stdarg.h>
#include <string.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "mem/defined.h"

enum { BYTES = 3 << HW_DEFINED_PAGE_BITS, ROUNDS = 4000 };
#define BASE (((uint64_t)0x7f12 << 32) - BYTES / 2)      // on both sides of a table's end

static uint64_t state;
static uint32_t next(uint32_t below) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    return (uint32_t)(state >> 33) % below;
}

typedef struct model {
    uint8_t shadow[BYTES];
    hw_origin origins[BYTES / 4];
} model;

static void fill(model *m, uint32_t at, uint32_t n, uint8_t value) {
    memset(m->shadow + at, value, n);
    for (uint32_t w = at / 4; n && value && w <= (at + n - 1) / 4; w++) m->origins[w] = 0;
}

// All pages that these bytes lie in, and in one table.
static bool are_pages_defined(const model *m, uint32_t at, uint32_t n) {
    const uint64_t page = 1u << HW_DEFINED_PAGE_BITS, first = BASE + at, last = first + n - 1;
    const uint64_t begin = first / page * page, end = (last / page + 1) * page;
    const uint64_t from = begin < BASE ? 0 : begin - BASE, to = end - BASE < BYTES ? end - BASE : BYTES;
    uint8_t any = 0;
    for (uint64_t i = from; i < to; i++) any |= m->shadow[i];
    return !any && first >> 32 == last >> 32;
}

static void compare(const hw_defined *d, const model *m, uint32_t at, uint32_t n) {
    uint8_t shadow[256];
    uint32_t first = 0, undefined = 0;
    for (uint32_t i = 0; i < n; i++) {
        if (m->shadow[at + i] && !undefined++) first = i;
    }
    hw_defined_get(d, BASE + at, n, shadow);
    assert_memory_equal(shadow, m->shadow + at, n);
    assert_int_equal(hw_defined_is(d, BASE + at, n), !undefined);
    assert_int_equal(hw_defined_is_untouched(d, BASE + at, n), n && undefined == n);
    assert_int_equal(hw_defined_are_pages(d, BASE + at, BASE + at + n - 1), are_pages_defined(m, at, n));
    uint64_t found;
    hw_origin origin;
    assert_int_equal(hw_defined_find(d, BASE + at, n, false, &found, &origin), undefined > 0);
    if (!undefined) return;
    assert_int_equal(found, BASE + at + first);
    assert_int_equal(origin, m->origins[(at + first) / 4]);
}

static void step(hw_defined *d, model *m) {
    static model old;
    const uint32_t at = next(BYTES), most = BYTES - at, n = 1 + next(next(8) ? (most < 64 ? most : 64) : most);
    const uint32_t from = next(BYTES - n + 1);
    uint8_t shadow[16];
    switch (next(5)) {
    case 0: hw_defined_set(d, BASE + at, n), fill(m, at, n, 0); break;
    case 1: hw_defined_follow(d, BASE + at, n, false), fill(m, at, n, 0xff); break;
    case 2:
    case 3: {
        const uint32_t bytes = 1u << next(5), to = at & ~(bytes - 1);
        const hw_origin origin = next(9);
        uint32_t undefined = 0;
        for (uint32_t i = 0; i < bytes; i++) undefined += (shadow[i] = (uint8_t)(next(2) * next(256))) != 0;
        hw_defined_put(d, BASE + to, bytes, shadow, origin);
        memcpy(m->shadow + to, shadow, bytes);
        for (uint32_t w = to / 4; undefined && w <= (to + bytes - 1) / 4; w++) m->origins[w] = origin;
        break;
    }
    default:    // whole words, whose origins go with them
        old = *m;
        hw_defined_copy(d, BASE + at / 4 * 4, BASE + from / 4 * 4, n / 4 * 4);
        for (uint32_t w = 0; w < n / 4; w++) {
            memcpy(m->shadow + (at / 4 + w) * 4, old.shadow + (from / 4 + w) * 4, 4);
            uint32_t word;
            memcpy(&word, old.shadow + (from / 4 + w) * 4, 4);
            if (word) m->origins[at / 4 + w] = old.origins[from / 4 + w];
        }
    }
}

static void test_random(void **unused) {
    static model m;
    hw_defined *d = hw_defined_create();
    (void)unused;
    assert_non_null(d);
    assert_true(hw_defined_follow(d, BASE, BYTES, false));
    memset(m.shadow, 0xff, BYTES);
    for (int round = 0; round < ROUNDS; round++) {
        step(d, &m);
        const uint32_t n = 1 + next(256);
        compare(d, &m, next(BYTES - n + 1), n);
    }
    for (uint32_t at = 0; at + 256 <= BYTES; at += 256) compare(d, &m, at, 256);
    hw_defined_destroy(d);
}

// The host writes what is not followed without a word.
static void test_not_followed(void **unused) {
    static const uint8_t all[16] = {0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff};
    hw_defined *d = hw_defined_create();
    (void)unused;
    hw_defined_put(d, BASE, 16, all, 1);
    assert_true(hw_defined_is(d, BASE, BYTES));
    assert_false(hw_defined_is_followed(d, BASE));
    hw_defined_follow(d, BASE, BYTES, true);
    assert_true(hw_defined_is_followed(d, BASE) && hw_defined_is(d, BASE, BYTES));
    hw_defined_put(d, BASE + BYTES / 2, 16, all, 1 | HW_ORIGIN_COUNTS);
    uint64_t found;
    hw_origin origin;
    assert_true(hw_defined_find(d, BASE, BYTES, true, &found, &origin));
    assert_int_equal(found, BASE + BYTES / 2);
    assert_int_equal(origin, 1 | HW_ORIGIN_COUNTS);
    hw_defined_forget(d, BASE, BYTES);
    assert_true(hw_defined_is(d, BASE, BYTES));
    hw_defined_destroy(d);
}

// A write that cannot be noted down is missed; that is kept in mind, so that nobody is blamed for it.
static void test_without_memory(void **unused) {
    static const uint8_t none[16];
    const uint64_t inside = BASE + (1 << HW_DEFINED_PAGE_BITS);    // in a page all of whose bytes are alike
    (void)unused;
    for (int way = 0; way < 2; way++) {
        hw_defined *d = hw_defined_create();
        assert_true(hw_defined_follow(d, BASE, BYTES, false));
        hw_alloc_fail_after(0);
        if (way) hw_defined_put(d, inside, 16, none, 0);
        else hw_defined_set(d, inside, 16);
        hw_alloc_fail_after(-1);
        assert_true(d->ran_out);
        assert_false(hw_defined_is(d, inside, 16));
        hw_defined_destroy(d);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_random), cmocka_unit_test(test_not_followed),
                                       cmocka_unit_test(test_without_memory)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
