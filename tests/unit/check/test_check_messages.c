// Logs of messages, and what those who have read them know.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/order/messages.h"

static hw_arena *arena;
static hw_check_logs logs;

static int begin(void **state) {
    (void)state;
    arena = hw_arena_create();
    logs = (hw_check_logs){.n = 0};
    return arena == NULL;
}
static int end(void **state) {
    (void)state;
    hw_arena_destroy(arena);
    return 0;
}

static hw_check_log *log_of(uint64_t key) {
    hw_check_log *log = hw_check_logs_make(&logs, arena, key, HW_CHECK_ALL_BLOCKS);
    assert_non_null(log);
    return log;
}

// Lane 0 of warp 0 of the block tells what it did before `own`, and what it knows.
static void tell(hw_check_log *log, uint32_t block, uint32_t own, const hw_check_letters *known) {
    const hw_check_message message = {.block = block, .own = own, .known = {known}};
    assert_true(hw_check_log_add(log, arena, &message));
}

static const hw_check_letters *read_log(hw_check_log *log) {
    const hw_check_letters *letters = NULL;
    assert_true(hw_check_letters_add(&letters, arena, log));
    return letters;
}

static bool knows(const hw_check_letters *letters, uint32_t block, uint32_t time) {
    const hw_check_author author = {.block = block, .time = time};
    return hw_check_letters_have(&logs, letters, &author);
}

static void test_logs_by_key(void **state) {
    (void)state;
    assert_null(hw_check_logs_find(&logs, 8, HW_CHECK_ALL_BLOCKS));
    hw_check_log *log = log_of(8);
    assert_ptr_equal(log_of(8), log);
    for (uint64_t i = 1; i < 5000; i++) assert_ptr_not_equal(log_of(8 + 8 * i), log);
    assert_ptr_equal(hw_check_logs_find(&logs, 8, HW_CHECK_ALL_BLOCKS), log);
    assert_null(hw_check_logs_find(&logs, 8, 1));
    hw_check_log *of_block = hw_check_logs_make(&logs, arena, 8, 1);
    assert_ptr_not_equal(of_block, log);
    assert_ptr_equal(hw_check_logs_find(&logs, 8, 1), of_block);
    // Words of different spaces and blocks, and barriers, have keys of their own.
    const uint64_t keys[] = {hw_check_key_of_global(64), hw_check_key_of_shared(1, 64), hw_check_key_of_shared(2, 64),
                             hw_check_key_of_barrier(1, 1), hw_check_key_of_barrier(1, 2),
                             hw_check_key_of_barrier(2, 1), hw_check_key_of_mbarrier(1, 64),
                             hw_check_key_of_mbarrier(2, 64)};
    for (size_t i = 0; i < sizeof keys / sizeof *keys; i++)
        for (size_t k = 0; k < i; k++) assert_int_not_equal(keys[i], keys[k]);
}

static void test_time_of_the_author(void **state) {
    (void)state;
    hw_check_log *log = log_of(8);
    tell(log, 3, 10, NULL);
    const hw_check_letters *letters = read_log(log);
    assert_true(knows(letters, 3, 9));
    assert_false(knows(letters, 3, 10));
    assert_false(knows(letters, 4, 9));
    assert_false(knows(NULL, 3, 9));
    // Another lane, another warp, all lanes of the warp.
    hw_check_author author = {.block = 3, .time = 9, .lane = 1};
    assert_false(hw_check_letters_have(&logs, letters, &author));
    author = (hw_check_author){.block = 3, .time = 9, .warp = 1};
    assert_false(hw_check_letters_have(&logs, letters, &author));
    author = (hw_check_author){.block = 3, .time = 9, .is_many = true};
    assert_false(hw_check_letters_have(&logs, letters, &author));
}

// What has been read is the beginning of a log: messages that come later are not.
static void test_later_messages(void **state) {
    (void)state;
    hw_check_log *log = log_of(8);
    tell(log, 1, 10, NULL);
    const hw_check_letters *before = read_log(log);
    tell(log, 2, 10, NULL);
    tell(log, 1, 20, NULL);
    const hw_check_letters *after = read_log(log);
    assert_false(knows(before, 2, 5));
    assert_false(knows(before, 1, 15));
    assert_true(knows(after, 2, 5));
    assert_true(knows(after, 1, 15));
    // Both together are the later one.
    const hw_check_letters *both = before;
    assert_true(hw_check_letters_join(&both, arena, after));
    assert_int_equal(both->n, 1);
    assert_true(knows(both, 1, 15));
    assert_false(knows(before, 1, 15));
}

static void test_warps_and_barriers(void **state) {
    (void)state;
    hw_check_log *log = log_of(8);
    const hw_check_message message = {.block = 1, .warp = 2, .lane = 3, .own = 30, .met = 20, .barrier = 10};
    assert_true(hw_check_log_add(log, arena, &message));
    const hw_check_letters *letters = read_log(log);
    static const struct { uint32_t warp, time; uint8_t lane; bool is_many, knows; } rows[] = {
        {2, 29, 3, false, true}, {2, 30, 3, false, false}, {2, 25, 4, false, false}, {2, 19, 4, false, true},
        {2, 19, 4, true, true}, {2, 25, 3, true, false}, {5, 15, 0, false, false}, {5, 9, 0, false, true},
        {5, 9, 0, true, true}, {5, 10, 0, true, false}};
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        const hw_check_author author = {.block = 1, .warp = rows[i].warp, .time = rows[i].time, .lane = rows[i].lane,
                                        .is_many = rows[i].is_many};
        assert_int_equal(hw_check_letters_have(&logs, letters, &author), rows[i].knows);
    }
}

// Each of many has read the one before it.
static void test_chain(void **state) {
    (void)state;
    enum { N = 20000 };
    const hw_check_letters *letters = NULL;
    for (uint32_t i = 0; i < N; i++) {
        tell(log_of(8 + 8 * i), i, 10, letters);
        letters = read_log(log_of(8 + 8 * i));
    }
    assert_true(knows(letters, 0, 9));
    assert_true(knows(letters, N / 2, 9));
    assert_false(knows(letters, 0, 10));
    assert_false(knows(letters, N, 9));
}

// Each has read at one word what all others before it have left, as at a counter of the blocks that are done.
static void test_counter(void **state) {
    (void)state;
    enum { N = 20000 };
    hw_check_log *log = log_of(8), *other = log_of(16);
    tell(other, N, 10, NULL);
    for (uint32_t i = 0; i < N; i++) {
        const hw_check_letters *known = i ? read_log(log) : NULL;
        if (i == N / 2) assert_true(hw_check_letters_join(&known, arena, read_log(other)));
        if (i == N / 2) assert_false(knows(read_log(log), N, 9));
        tell(log, i, 10, known);
    }
    const hw_check_letters *letters = read_log(log);
    assert_true(knows(letters, 0, 9));
    assert_true(knows(letters, N, 9));
    assert_false(knows(letters, N, 10));
    assert_false(knows(letters, N + 1, 9));
}

// Of many blocks, twice each.
static void test_large_log(void **state) {
    (void)state;
    enum { N = 100000 };
    hw_check_log *log = log_of(8);
    for (uint32_t i = 0; i < 2 * N; i++) tell(log, i % N, i < N ? 10 : 20, NULL);
    const hw_check_letters *letters = read_log(log);
    for (uint32_t i = 0; i < N; i += 997) {
        assert_true(knows(letters, i, 19));
        assert_false(knows(letters, i, 20));
    }
    assert_false(knows(letters, N + 1, 1));
    assert_in_range(log->capacity, 1, 64);    // the ledger has the rest
}

static bool covers(const hw_check_message *m, const hw_check_author *a) {
    if (m->block != a->block) return false;
    if (a->time < m->barrier) return true;
    return m->warp == a->warp && (a->time < m->met || (!a->is_many && a->lane == m->lane && a->time < m->own));
}

// Threads of two blocks tell what they did at random: each beginning of the log says what one of its messages does.
static void test_any_beginning(void **state) {
    (void)state;
    enum { N = 300, QUESTIONS = 40 };
    uint32_t seed = 1, known = 0;
    hw_check_message told[N];
    hw_check_log *log = log_of(8);
    for (uint32_t i = 1; i <= N; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t block = seed >> 31, warp = seed >> 30 & 1, lane = seed >> 28 & 3, back = seed >> 24 & 15;
        const hw_check_message message = {.block = block, .warp = warp, .lane = (uint8_t)lane,
                                          .own = i > back ? i - back : 0, .met = i / 20 * 20, .barrier = i / 90 * 90};
        told[i - 1] = message;
        assert_true(hw_check_log_add(log, arena, &message));
        const hw_check_letters *letters = read_log(log);
        for (uint32_t k = 0; k < QUESTIONS; k++) {
            seed = seed * 1664525u + 1013904223u;
            const hw_check_author author = {.block = seed >> 31, .warp = seed >> 30 & 1, .lane = seed >> 28 & 3,
                                            .is_many = seed >> 27 & 1,
                                            .time = (seed >> 8) % (i + 1)};
            bool is_told = false;
            for (uint32_t m = 0; m < i; m++) is_told |= covers(&told[m], &author);
            assert_int_equal(hw_check_letters_have(&logs, letters, &author), is_told);
            known += is_told;
        }
    }
    assert_in_range(known, N * QUESTIONS / 8, N * QUESTIONS * 7 / 8);
    // One that was read early says nothing of what came later.
    log->n = N / 2;
    const hw_check_letters *letters = read_log(log);
    log->n = N;
    const hw_check_author author = {.block = 0, .time = N / 2 + 1};
    assert_false(hw_check_letters_have(&logs, letters, &author));
}

// Threads read words at random and tell there what they know: they know each message that they have read, and what its
// writer knew, however long the way.
static void test_any_chain(void **state) {
    (void)state;
    enum { N = 600, WORDS = 5, ACTORS = 7, PARTS = N / 64 + 1 };
    static uint64_t knows_of[ACTORS][PARTS], told_at[WORDS][PARTS];
    const hw_check_letters *letters[ACTORS] = {NULL};
    uint32_t seed = 1, known = 0;
    for (uint32_t i = 0; i < N; i++) {
        seed = seed * 1664525u + 1013904223u;
        const uint32_t actor = (seed >> 24) % ACTORS, from = (seed >> 16 & 0xff) % WORDS;
        const uint32_t to = (seed >> 8 & 0xff) % WORDS;
        const bool reads = !(seed >> 29);
        hw_check_log *log = log_of(8 + 8 * from);
        if (reads) assert_true(hw_check_letters_add(&letters[actor], arena, log));
        for (uint32_t k = 0; k < PARTS; k++) knows_of[actor][k] |= reads ? told_at[from][k] : 0;
        tell(log_of(8 + 8 * to), i, 10, letters[actor]);
        told_at[to][i / 64] |= 1ull << i % 64;
        for (uint32_t k = 0; k < PARTS; k++) told_at[to][k] |= knows_of[actor][k];
        for (uint32_t of = i % 7; of <= i; of += 7) {
            const bool is_told = knows_of[actor][of / 64] >> of % 64 & 1;
            assert_int_equal(letters[actor] && knows(letters[actor], of, 9), is_told);
            known += is_told;
        }
    }
    assert_in_range(known, N * N / 14 / 8, N * N / 14 * 7 / 8);
}

static void test_out_of_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 30; successes++) {
        const hw_check_letters *letters = NULL;
        hw_check_logs own = {.n = 0};
        hw_alloc_fail_after(successes);
        hw_arena *small = hw_arena_create();
        for (uint64_t i = 0; small && i < 2000; i++) {
            const hw_check_message message = {.block = (uint32_t)i, .own = 10, .known = {letters}};
            hw_check_log *log = hw_check_logs_make(&own, small, 8 * (i % 3), HW_CHECK_ALL_BLOCKS);
            if (!log || !hw_check_log_add(log, small, &message)) break;
            const hw_check_letters *before = letters;
            if (!hw_check_letters_add(&letters, small, log)) assert_ptr_equal(letters, before);
        }
        hw_alloc_fail_after(-1);
        const hw_check_author author = {.block = 5000};
        assert_false(letters && hw_check_letters_have(&own, letters, &author));
        hw_arena_destroy(small);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_logs_by_key, begin, end),
        cmocka_unit_test_setup_teardown(test_time_of_the_author, begin, end),
        cmocka_unit_test_setup_teardown(test_later_messages, begin, end),
        cmocka_unit_test_setup_teardown(test_warps_and_barriers, begin, end),
        cmocka_unit_test_setup_teardown(test_chain, begin, end),
        cmocka_unit_test_setup_teardown(test_counter, begin, end),
        cmocka_unit_test_setup_teardown(test_any_chain, begin, end),
        cmocka_unit_test_setup_teardown(test_large_log, begin, end),
        cmocka_unit_test_setup_teardown(test_any_beginning, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
