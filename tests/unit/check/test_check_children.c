// Launches within kernels, told by hand: what they come after, and every place where memory may run out.
#include "check/checked_case.h"

static const uint64_t WORD = 1 << 20, FLAG = 1 << 21;

static void launch(uint32_t block, int lane, uint32_t number, uint64_t stream) {
    checked_child(&c, block, 0, lane, (hw_child_step){.number = number, .stream = stream});
}
static void use_event(uint32_t block, hw_child_action action, uint64_t stream) {
    checked_child(&c, block, 0, 0, (hw_child_step){.action = action, .stream = stream, .event = 16});
}

static bool begin_child(uint64_t parent, uint32_t number) {
    c.parent = parent;
    c.child = number;
    const bool has_begun = !checked_begin(&c, 2, 1, 32);
    c.parent = 0;
    return has_begun;
}
static bool begin_nested(uint64_t parent, uint32_t number) {
    c.is_nested = true;
    const bool has_begun = begin_child(parent, number);
    c.is_nested = false;
    return has_begun;
}

// A thread writes a word before it launches two kernels, and one afterwards; both are read by those, and by what the
// second launches. poor: of the four launches that which has memory for so many allocations; -1: none. Returns which of
// them have begun, bits.
static uint32_t launch_within(int poor, long successes) {
    uint32_t begun = 0;
    uint64_t parent = 0;
    for (int i = 0; i < 4; i++, hw_alloc_fail_after(-1)) {
        if (i == poor) hw_alloc_fail_after(successes);
        if (!(i ? begin_child(parent, i == 2) : !checked_begin(&c, 2, 1, 64))) continue;
        begun |= 1u << i;
        const uint32_t line = 80 + 2 * (uint32_t)i;
        checked_word(&c, 0, 0, i ? 0 : 3, line, i ? HW_NOTE_LOAD : HW_NOTE_STORE, WORD);
        for (uint32_t number = 0; i == 0 && number < 2; number++) launch(0, 3, number, 0);
        checked_word(&c, 0, 0, i ? 1 : 3, line + 1, i ? HW_NOTE_LOAD : HW_NOTE_STORE, FLAG);
        if (i == 2) launch(0, 0, 0, 0);
        checked_end(&c);
        if (i % 2 == 0) parent = c.info.number;
    }
    return begun;
}

static void test_launches_within(void **state) {
    (void)state;
    assert_int_equal(launch_within(-1, 0), 15);
    assert_int_equal(checked_count(&c), 3);
    assert_int_equal(checked_between(&c, 81, 83)->missing, HW_CHECK_MISSING_LAUNCH);
    assert_non_null(checked_between(&c, 81, 85));
    assert_non_null(checked_between(&c, 81, 87));
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    checked_word(&c, 0, 0, 0, 90, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 3);
}

// A kernel may launch first what it has asked for last: numbers tell which launch is which.
static void test_numbers_of_launches(void **state) {
    (void)state;
    assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
    hw_child_step step = {.where = checked_where(0, 1), .lane = 3, .number = 5};
    c.sink->child(c.sink, 0, &step);
    step.number = 3;
    c.sink->child(c.sink, 0, &step);
    checked_word(&c, 0, 1, 3, 80, HW_NOTE_STORE, WORD);
    step.number = 0;
    c.sink->child(c.sink, 0, &step);
    checked_word(&c, 0, 1, 3, 81, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    c.parent = c.info.number;
    assert_int_equal(checked_begin(&c, 2, 1, 32), HW_OK);
    c.parent = 0;
    checked_word(&c, 0, 0, 0, 82, HW_NOTE_LOAD, WORD);
    checked_word(&c, 0, 0, 0, 83, HW_NOTE_LOAD, FLAG);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 1);
    assert_non_null(checked_between(&c, 81, 83));
}

// What has been left out is told of, and what is in order is never found.
static void test_launches_within_without_memory(void **state) {
    (void)state;
    for (int poor = 0; poor < 4; poor++)
        for (long successes = 0; successes < 50; successes++) {
            hw_check_destroy(c.check);
            assert_int_equal(checked_create(&c), HW_OK);
            const uint32_t begun = launch_within(poor, successes);
            for (uint32_t i = 1; i < 4; i++) {
                assert_null(checked_between(&c, 80, 80 + 2 * i));
                if (begun & 1 && begun >> i & 1 && !hw_check_ran_out(c.check))
                    assert_non_null(checked_between(&c, 81, 81 + 2 * i));
            }
        }
    assert_false(c.check->ran_out);
}

// A thread of a kernel that has written a word launches another, which reads it and writes another word, waits for
// that, and reads what it has written; so does a lane that has not waited, and a warp behind a barrier.
static void wait_within(void) {
    if (checked_begin(&c, 2, 1, 64)) return;
    checked_word(&c, 0, 0, 3, 90, HW_NOTE_STORE, WORD);
    launch(0, 3, 0, 0);
    const hw_launch_info outer = c.info;
    const bool has_begun = begin_nested(outer.number, 0);
    if (has_begun) {
        checked_word(&c, 0, 0, 0, 91, HW_NOTE_LOAD, WORD);
        checked_word(&c, 0, 0, 0, 92, HW_NOTE_STORE, FLAG);
        checked_end(&c);
    }
    const uint64_t newest = c.info.number;
    c.info = outer;
    if (has_begun) checked_child(&c, 0, 0, 3, (hw_child_step){.action = HW_CHILD_SYNCHRONIZES});
    checked_word(&c, 0, 0, 3, 93, HW_NOTE_LOAD, FLAG);
    checked_word(&c, 0, 0, 4, 94, HW_NOTE_LOAD, FLAG);
    for (uint32_t warp = 0; warp < 2; warp++)
        checked_arrive(&c, 0, warp, 95, HW_BARRIER_SYNC, 0, 0xffffffffu, 0);
    checked_complete(&c, 0, 0);
    checked_word(&c, 0, 1, 0, 96, HW_NOTE_STORE, FLAG);
    checked_end(&c);
    c.info.number = newest;
    if (checked_begin(&c, 2, 1, 32)) return;
    checked_word(&c, 0, 0, 0, 97, HW_NOTE_STORE, FLAG);
    checked_end(&c);
}

static void test_waits_within(void **state) {
    (void)state;
    wait_within();
    assert_int_equal(checked_count(&c), 1);
    assert_int_equal(checked_between(&c, 92, 94)->missing, HW_CHECK_MISSING_CHILD);
}

static void test_waits_within_without_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 200; successes++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        hw_alloc_fail_after(successes);
        wait_within();
        hw_alloc_fail_after(-1);
        const size_t n = checked_count(&c);
        assert_true(n == 0 || (n == 1 && checked_between(&c, 92, 94)));
    }
    assert_int_equal(checked_count(&c), 1);
}

// Two lanes launch a kernel each, which write two words, and wait: each for what it knows to be launched. What is made
// in the wait of a lane that does not know of it belongs to a later one.
static void test_waits_for_known(void **state) {
    (void)state;
    const hw_child_step waits = {.action = HW_CHILD_SYNCHRONIZES};
    assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
    const hw_launch_info outer = c.info;
    launch(0, 3, 0, 0);
    launch(0, 4, 1, 0);
    for (uint32_t number = 0; number < 2; number++) {
        assert_true(begin_nested(outer.number, number));
        checked_word(&c, 0, 0, 0, 70 + number, HW_NOTE_STORE, WORD + 4 * number);
        checked_end(&c);
    }
    const uint64_t newest = c.info.number;
    c.info = outer;
    checked_child(&c, 0, 0, 4, waits);
    checked_word(&c, 0, 0, 4, 72, HW_NOTE_LOAD, WORD);
    checked_word(&c, 0, 0, 4, 73, HW_NOTE_LOAD, WORD + 4);
    checked_child(&c, 0, 0, 3, waits);
    checked_word(&c, 0, 0, 3, 74, HW_NOTE_LOAD, WORD);
    checked_word(&c, 0, 0, 5, 75, HW_NOTE_LOAD, WORD + 4);
    checked_meet(&c, 0, 0, 0x38);
    checked_word(&c, 0, 0, 4, 76, HW_NOTE_LOAD, WORD);
    checked_word(&c, 0, 0, 5, 77, HW_NOTE_STORE, WORD + 4);
    checked_end(&c);
    c.info.number = newest;
    assert_int_equal(checked_count(&c), 2);
    assert_int_equal(checked_between(&c, 70, 72)->missing, HW_CHECK_MISSING_CHILD);
    assert_non_null(checked_between(&c, 71, 75));
}

// A kernel waits for one that has launched another, of which nothing is known: an allocation fails as it is told.
static void test_waits_for_unknown(void **state) {
    (void)state;
    for (long successes = 0; successes < 12; successes++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
        launch(0, 3, 0, 0);
        const hw_launch_info outer = c.info;
        assert_true(begin_nested(outer.number, 0));
        const uint64_t child = c.info.number;
        hw_alloc_fail_after(successes);
        launch(0, 0, 0, 0);
        hw_alloc_fail_after(-1);
        checked_end(&c);
        if (begin_nested(child, 0)) checked_end(&c);
        c.info = outer;
        checked_child(&c, 0, 0, 3, (hw_child_step){.action = HW_CHILD_SYNCHRONIZES});
        checked_end(&c);
        assert_int_equal(checked_count(&c), 0);
    }
    assert_false(c.check->ran_out);
}

// A word goes from the first block to the last, by messages from each to the next, none of which tells of the lane that
// has written first: also if the launch has launched another, or waits for it.
static void test_long_chain(void **state) {
    (void)state;
    enum { N = 4200 };
    for (int launches = 0; launches < 3; launches++) {
        hw_check_destroy(c.check);
        assert_int_equal(checked_create(&c), HW_OK);
        c.notes[CHECKED_LINES - 1] = (hw_note){.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU};    // of the fences
        assert_int_equal(checked_begin(&c, 2, N + 1, 32), HW_OK);
        checked_word(&c, 0, 0, 1, 80, HW_NOTE_STORE, WORD);
        for (uint32_t block = 0; block <= N; block++) {
            checked_word(&c, block, 0, 0, 81, HW_NOTE_ATOMIC, FLAG + 4 * (uint64_t)block);
            checked_fence(&c, block, 0, 1, HW_SCOPE_GPU);
            if (block < N) checked_word(&c, block, 0, 0, 81, HW_NOTE_ATOMIC, FLAG + 4 * (uint64_t)(block + 1));
        }
        checked_word(&c, N, 0, 0, 82, HW_NOTE_STORE, WORD);
        if (launches) launch(N, 0, 0, 0);
        if (launches == 2) assert_true(begin_nested(c.info.number, 0));
        checked_end(&c);
        assert_int_equal(checked_count(&c), 1);
        assert_non_null(checked_between(&c, 80, 82));
    }
}

// What is destroyed while launches wait has nothing left.
static void test_ends_in_midst(void **state) {
    (void)state;
    assert_int_equal(checked_begin(&c, 2, 1, 64), HW_OK);
    launch(0, 3, 0, 0);
    assert_true(begin_nested(c.info.number, 0));
    use_event(0, HW_CHILD_RECORDS, 16);
    launch(0, 0, 0, 0);
    assert_true(begin_nested(c.info.number, 0));
    use_event(0, HW_CHILD_RECORDS, 16);
    launch(0, 0, 0, 0);
}

// Two blocks launch kernels that write the same word, by such streams, with an event between the two or without.
static bool are_in_order(uint32_t other_block, int other_lane, const uint64_t streams[2], bool has_event) {
    const size_t before = checked_count(&c);
    const uint32_t line = 100 + 2 * (uint32_t)(c.info.number % 100);
    assert_int_equal(checked_begin(&c, 2, 2, 32), HW_OK);
    launch(0, 0, 0, streams[0]);
    if (has_event) use_event(0, HW_CHILD_RECORDS, streams[0]);
    if (has_event) use_event(other_block, HW_CHILD_WAITS, streams[1]);
    launch(other_block, other_lane, 1, streams[1]);
    checked_end(&c);
    const uint64_t parent = c.info.number;
    for (uint32_t i = 0; i < 2; i++) {
        assert_true(begin_child(parent, i));
        checked_word(&c, 0, 0, 0, line + i, HW_NOTE_STORE, WORD);
        checked_end(&c);
    }
    return checked_count(&c) == before;
}

// CUDA programming guide, "Dynamic Parallelism": who has the same stream by a name.
static void test_streams_within(void **state) {
    (void)state;
    const uint64_t blocks[2] = {0, 0}, named[2] = {16, 16}, two[2] = {16, 32};
    const uint64_t threads[2] = {HW_CHILD_THREADS_STREAM, HW_CHILD_THREADS_STREAM};
    assert_true(are_in_order(0, 1, blocks, false));
    assert_false(are_in_order(1, 0, blocks, false));
    assert_true(are_in_order(1, 0, named, false));
    assert_true(are_in_order(0, 0, threads, false));
    assert_false(are_in_order(0, 1, threads, false));
    assert_false(are_in_order(0, 0, two, false));
    for (uint32_t block = 0; block < 2; block++) assert_true(are_in_order(block, 0, two, true));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_launches_within, begin, end),
        cmocka_unit_test_setup_teardown(test_waits_within, begin, end),
        cmocka_unit_test_setup_teardown(test_waits_within_without_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_waits_for_known, begin, end),
        cmocka_unit_test_setup_teardown(test_waits_for_unknown, begin, end),
        cmocka_unit_test_setup_teardown(test_ends_in_midst, begin, end),
        cmocka_unit_test_setup_teardown(test_long_chain, begin, end),
        cmocka_unit_test_setup_teardown(test_numbers_of_launches, begin, end),
        cmocka_unit_test_setup_teardown(test_launches_within_without_memory, begin, end),
        cmocka_unit_test_setup_teardown(test_streams_within, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
