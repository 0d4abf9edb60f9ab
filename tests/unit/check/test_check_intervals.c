// Shared memory between two barriers: what is put off, what is known to be no race, and what ends the waiting.
#include "check/checked_case.h"

enum { LOAD = 10, STORE = 11, OTHER_STORE = 12, RED = 13, OTHER_LOAD = 14 };
static const uint32_t FULL = 0xffffffff;

static void start(uint32_t blocks) { assert_int_equal(checked_begin(&c, 2, blocks, 128), HW_OK); }

static void barrier(uint32_t block) {
    for (uint32_t warp = 0; warp < 4; warp++) checked_arrive(&c, block, warp, 90, HW_BARRIER_SYNC, 0, FULL, 0);
    checked_complete(&c, block, 0);
}

// All four warps, each a row of 128 bytes; `shift` bytes further.
static void access_rows(uint32_t block, uint32_t line, uint8_t kind, uint64_t shift) {
    const hw_note note = {.kind = kind, .space = HW_SPACE_SHARED, .width_bytes = 4};
    const uint64_t bases[] = {shift, 128 + shift, 256 + shift, 384 + shift};
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = 4 * i;
    checked_accesses(&c, checked_where(block, 0), line, &note, FULL, 4, bases, delta);
}

static void change_word(uint32_t block, uint32_t warp, uint64_t offset) {
    const hw_note note = {.kind = HW_NOTE_ATOMIC, .space = HW_SPACE_SHARED, .width_bytes = 4, .scope = HW_SCOPE_GPU,
                          .order = HW_ORDER_RELAXED};
    checked_access(&c, checked_where(block, warp), RED, &note, FULL, offset, NULL);
}

static uint64_t count_between(uint32_t line, uint32_t other) {
    const hw_check_finding *f = checked_between(&c, line, other);
    return f ? f->count : 0;
}

// ---- tests ---------------------------------------------------------------------------------------------------------

// A tile that is written and, behind a barrier, read otherwise: in many blocks.
static void test_tiles(void **state) {
    (void)state;
    start(20);
    for (uint32_t block = 0; block < 20; block++) {
        for (int turn = 0; turn < 3; turn++) {
            access_rows(block, STORE, HW_NOTE_STORE, 0);
            barrier(block);
            access_rows(block, LOAD, HW_NOTE_LOAD, 64);
            barrier(block);
        }
        checked_block(&c, block, true);
    }
    checked_end(&c);
    assert_int_equal(checked_count(&c), 0);
}

// Without the barrier, each block and turn counts: an interval with a race is looked at each time.
static void test_races_are_counted_in_each_interval(void **state) {
    (void)state;
    start(3);
    for (uint32_t block = 0; block < 3; block++) {
        for (int turn = 0; turn < 2; turn++) {
            access_rows(block, STORE, HW_NOTE_STORE, 0);
            access_rows(block, LOAD, HW_NOTE_LOAD, 64);
            barrier(block);
        }
    }
    checked_end(&c);
    // Half a row is another lane's, the other half another warp's; what follows the last row is nobody's.
    assert_int_equal(count_between(STORE, LOAD), 3 * 2 * (128 - 16));
}

// Intervals that begin as one without a race did, and are others: longer, shorter, elsewhere, by another instruction.
static void test_intervals_that_are_nearly_known(void **state) {
    (void)state;
    start(5);
    for (uint32_t block = 0; block < 5; block++) {
        access_rows(block, STORE, HW_NOTE_STORE, 0);
        if (block != 4) access_rows(block, OTHER_STORE, HW_NOTE_STORE, block == 2 ? 544 : 512);
        if (block == 1) access_rows(block, LOAD, HW_NOTE_LOAD, 1024);
        if (block == 3) access_rows(block, LOAD, HW_NOTE_LOAD, 4);
        barrier(block);
        assert_int_equal(count_between(STORE, LOAD), block < 3 ? 0 : 127);
    }
    checked_end(&c);
    assert_int_equal(count_between(OTHER_STORE, LOAD), 1);
}

// The launch may end, and the block, without a barrier.
static void test_what_waits_is_looked_at_in_the_end(void **state) {
    (void)state;
    for (int ends = 0; ends < 2; ends++) {
        start(1);
        access_rows(0, STORE, HW_NOTE_STORE, 0);
        access_rows(0, LOAD, HW_NOTE_LOAD, 4);
        assert_int_equal(count_between(STORE, LOAD), 127 * ends);
        if (ends) checked_block(&c, 0, true);
        checked_end(&c);
        assert_int_equal(count_between(STORE, LOAD), 127 * (ends + 1));
    }
}

// Lanes that meet are in order afterwards, and not before.
static void test_meeting_ends_the_waiting(void **state) {
    (void)state;
    const hw_note write = {.kind = HW_NOTE_STORE, .space = HW_SPACE_SHARED, .width_bytes = 4};
    const hw_note read = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_SHARED, .width_bytes = 4};
    start(2);
    for (uint32_t block = 0; block < 2; block++) {
        checked_access(&c, checked_where(block, 0), STORE, &write, 1, 0, NULL);
        if (block) checked_meet(&c, block, 0, FULL);
        checked_access(&c, checked_where(block, 0), LOAD, &read, 2, 0, NULL);
        if (!block) checked_meet(&c, block, 0, FULL);
        barrier(block);
        assert_int_equal(count_between(STORE, LOAD), 1);
    }
    // What came before the meeting is compared with what came behind it, by another warp.
    checked_access(&c, checked_where(0, 0), STORE, &write, 1, 0, NULL);
    checked_meet(&c, 0, 0, FULL);
    checked_access(&c, checked_where(0, 1), OTHER_STORE, &write, 1, 0, NULL);
    barrier(0);
    assert_int_equal(count_between(STORE, OTHER_STORE), 1);
    checked_end(&c);
}

// Atomics are no race with each other, but with what is weak; patterns without a name are looked at.
static void test_atomics(void **state) {
    (void)state;
    start(1);
    for (int turn = 0; turn < 2; turn++) {
        for (uint32_t warp = 0; warp < 4; warp++)
            for (uint64_t word = 0; word < 100; word++) change_word(0, warp, 4 * word);
        if (turn) access_rows(0, LOAD, HW_NOTE_LOAD, 0);
        barrier(0);
        assert_int_equal(checked_count(&c), turn);
    }
    assert_int_equal(count_between(RED, LOAD), 100);
    checked_end(&c);
}

// More than is written down; and patterns whose places others take meanwhile.
static void test_long_intervals(void **state) {
    (void)state;
    start(2);
    access_rows(0, STORE, HW_NOTE_STORE, 0);
    for (int i = 0; i < 5000; i++) {
        const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_SHARED, .width_bytes = 4};
        checked_access(&c, checked_where(0, (uint32_t)i % 4), LOAD, &note, 0x3 << i % 30, 2048 + (uint64_t)(i % 64) * 4,
                       NULL);
    }
    assert_int_equal(checked_count(&c), 0);
    access_rows(0, OTHER_STORE, HW_NOTE_STORE, 4);
    barrier(0);
    assert_int_equal(count_between(STORE, OTHER_STORE), 127);
    assert_int_equal(checked_count(&c), 1);
    checked_end(&c);
}

// Lanes of each warp copy a row, as access_rows has them; it is there when the lanes have waited, or before.
static void land_rows(uint32_t block, uint32_t line, uint64_t offset, bool is_waited_for) {
    for (uint32_t warp = 0; warp < 4; warp++) {
        uint32_t to[HW_WARP_LANES];
        for (uint32_t i = 0; i < HW_WARP_LANES; i++) to[i] = (uint32_t)offset + 128 * warp + 4 * i;
        const hw_copy_landed landed = {.where = checked_where(block, warp), .note = line, .mask = FULL,
                                       .width_bytes = 4, .is_waited_for = is_waited_for, .to = to};
        c.sink->copy_landed(c.sink, 0, &landed);
    }
}

// What follows a barrier waits for the next one, also while copies are under way: those are races with who reads their
// words, and so is the next one that begins while others read.
static void test_copies(void **state) {
    (void)state;
    for (int waits = 0; waits < 2; waits++) {
        const uint32_t block = (uint32_t)waits;
        start(2);
        access_rows(block, STORE, HW_NOTE_COPY, 0);
        land_rows(block, STORE, 0, waits);
        barrier(block);
        access_rows(block, LOAD, HW_NOTE_LOAD, 64);
        if (waits) access_rows(block, OTHER_STORE, HW_NOTE_COPY, 0);
        assert_int_equal(c.check->intervals.n_waiting, 1);
        barrier(block);
        assert_int_equal(count_between(STORE, LOAD), waits ? 0 : 128 - 16);
        assert_int_equal(count_between(OTHER_STORE, LOAD), waits ? 128 - 16 : 0);
        checked_end(&c);
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
    }
}

// All warps, each what it has copied itself, or what the next one has.
static void load_row(uint32_t block, uint64_t row, bool is_of_next) {
    const hw_note note = {.kind = HW_NOTE_LOAD, .space = HW_SPACE_SHARED, .width_bytes = 4};
    int64_t delta[HW_WARP_LANES];
    for (int i = 0; i < HW_WARP_LANES; i++) delta[i] = 4 * i;
    for (uint32_t warp = 0; warp < 4; warp++) {
        const uint64_t base = row + 128 * ((warp + is_of_next) % 4);
        checked_accesses(&c, checked_where(block, warp), LOAD, &note, FULL, 1, &base, delta);
    }
}

// Three copies are under way into four rows that go round; each row is read when its copy is there. In one round, what
// is wrong: others read a row before it is there (1), or the lanes that copy it (2), or the next copy begins while
// others read (3), or lanes copy to where their own copy is under way (4).
static void go_through_pipeline(uint32_t block, uint32_t wrong_round, int what) {
    enum { ROUNDS = 12, ROWS = 4, AHEAD = 3, BYTES = 512 };
    for (uint64_t round = 0; round < AHEAD; round++) access_rows(block, STORE, HW_NOTE_COPY, BYTES * round);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        const uint64_t row = BYTES * (round % ROWS), next = BYTES * ((round + AHEAD) % ROWS);
        const int wrong = round == wrong_round ? what : 0;
        const bool is_late = wrong == 1 || wrong == 2;
        if (!is_late) land_rows(block, STORE, row, true);
        if (wrong == 3 && round + AHEAD < ROUNDS) access_rows(block, STORE, HW_NOTE_COPY, next);
        barrier(block);
        if (wrong != 3 && round + AHEAD < ROUNDS) access_rows(block, STORE, HW_NOTE_COPY, next);
        if (wrong == 4) access_rows(block, OTHER_STORE, HW_NOTE_COPY, BYTES * ((round + 1) % ROWS));
        load_row(block, row, wrong != 2);
        if (is_late) land_rows(block, STORE, row, true);
        assert_int_equal(c.check->intervals.n_waiting, 1);
    }
    barrier(block);
    checked_block(&c, block, true);
}

static void test_pipelines(void **state) {
    static const uint64_t wrong_rounds[] = {1, 5, 8};    // the last is that in which the last copy begins
    (void)state;
    enum { BLOCKS = 16 };
    start(BLOCKS);
    uint32_t block = 0;
    go_through_pipeline(block++, 0, 0);
    go_through_pipeline(block++, 0, 0);
    assert_int_equal(checked_count(&c), 0);
    for (size_t i = 0; i < sizeof wrong_rounds / sizeof *wrong_rounds; i++)
        for (int what = 1; what <= 4; what++) {
            const uint64_t races = c.check->n_races, late = count_between(STORE, LOAD);
            go_through_pipeline(block++, (uint32_t)wrong_rounds[i], what);
            assert_true(c.check->n_races > races);
            assert_true(count_between(STORE, LOAD) > late || what > 2);
        }
    const uint64_t races = c.check->n_races;
    go_through_pipeline(block++, 0, 0);
    assert_int_equal(c.check->n_races, races);
    checked_end(&c);
}

// Copies that nobody waits for: each barrier's log has as many as there are places, and beyond many no log is kept.
static void test_copies_that_nobody_waits_for(void **state) {
    (void)state;
    enum { ROUNDS = 100, ROWS = 4, PLACES = 400, BYTES = 512 };
    start(3);
    for (uint64_t round = 0; round < ROUNDS; round++) {
        access_rows(0, STORE, HW_NOTE_COPY, BYTES * (round % ROWS));
        barrier(0);
    }
    hw_where where = checked_where(0, 0);
    const hw_check_block *of_rows = hw_check_block_of(&c.check->blocks, &where);
    assert_int_equal(of_rows->copies.n, 4 * ROWS);
    assert_false(of_rows->interval.is_known);
    // All that were begun to a row have to be there before the row is.
    for (uint64_t round = 0; round < ROUNDS / ROWS; round++) {
        barrier(0);
        land_rows(0, STORE, 0, true);
    }
    barrier(0);
    load_row(0, 0, true);
    load_row(0, BYTES, true);
    barrier(0);
    assert_int_equal(count_between(STORE, LOAD), 128);

    for (uint64_t place = 0; place < PLACES; place++) {
        access_rows(1, STORE, HW_NOTE_COPY, 4 * place);
        barrier(1);
    }
    where = checked_where(1, 0);
    const hw_check_block *of_places = hw_check_block_of(&c.check->blocks, &where);
    assert_int_equal(of_places->copies.n, 0);
    assert_true(of_places->interval.is_known);
    load_row(1, 4 * (PLACES - 1), true);
    assert_int_equal(count_between(STORE, LOAD), 128 + 128);
    checked_end(&c);
}

// Lanes of `mask` of warp 1, words side by side from lane 0's at `offset` on.
static void access_some(uint32_t block, uint32_t line, uint8_t kind, uint32_t mask, uint64_t offset) {
    const hw_note note = {.kind = kind, .space = HW_SPACE_SHARED, .width_bytes = 4};
    const int first = __builtin_ctz(mask);
    int64_t delta[HW_WARP_LANES] = {0};
    for (int i = first; i < HW_WARP_LANES; i++) delta[i] = mask >> i & 1 ? 4 * (i - first) : 0;
    checked_access(&c, checked_where(block, 1), line, &note, mask, offset + 4 * (uint64_t)first, delta);
}

// Threads write words that they have read themselves, others in each block: no race, but where another thread reads
// them too, or where they write elsewhere. Of a thread's two loads the later one is named.
static void test_threads_that_write_what_they_have_read(void **state) {
    static const struct {
        uint64_t read_again, written;    // where
        uint64_t races;                  // six lanes write
    } cases[] = {{0, 128, 0}, {0, 128, 0}, {4, 128, 6}, {0, 132, 6}, {0, 128, 0}, {1024, 1024 + 128, 0}, {0, 640, 0}};
    uint64_t races = 0;
    (void)state;
    start(7);
    for (uint32_t block = 0; block < 7; block++) {
        access_rows(block, OTHER_LOAD, HW_NOTE_LOAD, 0);
        access_rows(block, LOAD, HW_NOTE_LOAD, cases[block].read_again);
        access_some(block, STORE, HW_NOTE_STORE, 0x01010101u << block | 0x80008000u >> block, cases[block].written);
        barrier(block);
        races += cases[block].races;
        assert_int_equal(count_between(LOAD, STORE), races);
    }
    assert_int_equal(checked_count(&c), 1);
    checked_end(&c);
}

static void test_intervals_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 12; successes++) {
        assert_int_equal(checked_create(&c), HW_OK);
        start(2);
        hw_alloc_fail_after(successes);
        for (uint32_t block = 0; block < 2; block++) {
            access_rows(block, STORE, HW_NOTE_STORE, 0);
            barrier(block);
        }
        access_rows(0, LOAD, HW_NOTE_LOAD, 0);
        barrier(0);
        hw_alloc_fail_after(-1);
        checked_end(&c);
        assert_int_equal(checked_count(&c), 0);
        hw_check_destroy(c.check);
    }
    assert_int_equal(checked_create(&c), HW_OK);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_tiles, begin, end),
        cmocka_unit_test_setup_teardown(test_races_are_counted_in_each_interval, begin, end),
        cmocka_unit_test_setup_teardown(test_intervals_that_are_nearly_known, begin, end),
        cmocka_unit_test_setup_teardown(test_what_waits_is_looked_at_in_the_end, begin, end),
        cmocka_unit_test_setup_teardown(test_meeting_ends_the_waiting, begin, end),
        cmocka_unit_test_setup_teardown(test_atomics, begin, end),
        cmocka_unit_test_setup_teardown(test_copies, begin, end),
        cmocka_unit_test_setup_teardown(test_pipelines, begin, end),
        cmocka_unit_test_setup_teardown(test_copies_that_nobody_waits_for, begin, end),
        cmocka_unit_test_setup_teardown(test_long_intervals, begin, end),
        cmocka_unit_test_setup_teardown(test_threads_that_write_what_they_have_read, begin, end),
        cmocka_unit_test(test_intervals_without_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
