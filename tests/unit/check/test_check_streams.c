// The order of streams and events, told by hand: which work comes before which.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "check/order/streams.h"

enum { LEGACY = 0, A = 2, B = 4, APART = 6, E = 100, OTHER = 101 };

static hw_check_streams *streams;

static int begin(void **state) {
    (void)state;
    streams = hw_check_streams_create();
    assert_non_null(streams);
    hw_check_streams_tell(streams, &(hw_host_event){.action = HW_HOST_STREAM_CREATE, .stream = A});
    hw_check_streams_tell(streams, &(hw_host_event){.action = HW_HOST_STREAM_CREATE, .stream = B});
    hw_check_streams_tell(streams,
                          &(hw_host_event){.action = HW_HOST_STREAM_CREATE, .stream = APART, .is_apart = true});
    return 0;
}

static int end(void **state) {
    (void)state;
    hw_check_streams_destroy(streams);
    return 0;
}

static void tell(hw_host_action action, uint64_t stream, uint64_t event) {
    hw_check_streams_tell(streams, &(hw_host_event){.action = action, .stream = stream, .event = event});
}

static uint32_t work_in(uint64_t stream) {
    const uint32_t work = hw_check_streams_begin(streams, stream);
    assert_int_not_equal(work, 0);
    return work;
}

// Does new work of the stream come after this one?
static bool is_after(uint64_t stream, uint32_t work) {
    work_in(stream);
    return hw_check_is_before(streams, work);
}

static void test_one_stream_is_in_order(void **state) {
    (void)state;
    const uint32_t first = work_in(A), second = work_in(B);
    assert_int_equal(first, 1);
    assert_int_equal(second, 2);
    assert_false(hw_check_is_before(streams, first));
    assert_true(is_after(A, first));
    assert_false(is_after(A, second));
    assert_true(is_after(B, second));
    assert_false(hw_check_is_waited_for(streams, first));
    // What has no number is taken to be in order.
    assert_true(hw_check_is_before(streams, 0));
    assert_true(hw_check_is_before(streams, 999));
}

static void test_events(void **state) {
    (void)state;
    const uint32_t before = work_in(A);
    tell(HW_HOST_EVENT_RECORD, A, E);
    const uint32_t after = work_in(A);
    tell(HW_HOST_STREAM_WAIT, B, E);
    assert_true(is_after(B, before));
    assert_false(is_after(B, after));
    // What waited is passed on.
    tell(HW_HOST_EVENT_RECORD, B, OTHER);
    tell(HW_HOST_STREAM_WAIT, APART, OTHER);
    assert_true(is_after(APART, before));
    assert_false(is_after(APART, after));
}

static void test_event_holds_for_the_last_record(void **state) {
    (void)state;
    const uint32_t work = work_in(A);
    tell(HW_HOST_EVENT_RECORD, A, E);
    tell(HW_HOST_EVENT_RECORD, B, E);
    tell(HW_HOST_STREAM_WAIT, B, E);
    assert_false(is_after(B, work));
    // A wait is for what had been recorded by then.
    tell(HW_HOST_STREAM_WAIT, APART, E);
    tell(HW_HOST_EVENT_RECORD, A, E);
    assert_false(is_after(APART, work));
}

static void test_new_event_of_an_old_name(void **state) {
    (void)state;
    const uint32_t work = work_in(A);
    tell(HW_HOST_EVENT_RECORD, A, E);
    tell(HW_HOST_EVENT_DESTROY, LEGACY, E);
    tell(HW_HOST_EVENT_CREATE, LEGACY, E);
    tell(HW_HOST_STREAM_WAIT, B, E);
    assert_false(is_after(B, work));
}

static void test_host_waits(void **state) {
    (void)state;
    const uint32_t a = work_in(A), apart = work_in(APART);
    tell(HW_HOST_STREAM_SYNCHRONIZE, A, 0);
    assert_true(hw_check_is_waited_for(streams, a));
    assert_false(hw_check_is_waited_for(streams, apart));
    assert_true(is_after(B, a));
    assert_false(is_after(B, apart));
    tell(HW_HOST_EVENT_RECORD, APART, E);
    const uint32_t later = work_in(APART);
    tell(HW_HOST_EVENT_SYNCHRONIZE, LEGACY, E);
    assert_true(is_after(B, apart));
    assert_false(is_after(B, later));
    tell(HW_HOST_DEVICE_SYNCHRONIZE, LEGACY, 0);
    assert_true(is_after(B, later));
}

// cudaFree waits for all; memory that is freed in a stream's order for nothing.
static void test_free_waits(void **state) {
    (void)state;
    const uint32_t work = work_in(A);
    hw_host_event event = {.action = HW_HOST_FREE, .stream = B, .memory = {.is_in_order = true}};
    hw_check_streams_tell(streams, &event);
    assert_false(is_after(B, work));
    event.memory.is_in_order = false;
    hw_check_streams_tell(streams, &event);
    assert_true(is_after(B, work));
}

static void test_legacy_stream(void **state) {
    (void)state;
    const uint32_t a = work_in(A), apart = work_in(APART);
    const uint32_t legacy = work_in(LEGACY);
    assert_true(hw_check_is_before(streams, a));
    assert_false(hw_check_is_before(streams, apart));
    assert_true(is_after(B, legacy));
    assert_true(is_after(B, a));
    assert_false(is_after(APART, legacy));
    // Streams that nobody has made, as a thread's own default stream, wait for it too.
    assert_true(is_after(99, legacy));
    // An event of the legacy stream is behind the others' work, and a wait of it holds for them.
    const uint32_t later = work_in(A);
    tell(HW_HOST_EVENT_RECORD, LEGACY, E);
    tell(HW_HOST_STREAM_WAIT, APART, E);
    assert_true(is_after(APART, later));
    const uint32_t alone = work_in(APART);
    tell(HW_HOST_EVENT_RECORD, APART, E);
    tell(HW_HOST_STREAM_WAIT, LEGACY, E);
    assert_true(is_after(A, alone));
}

// The name may be given to another stream; what the first one did goes on, and the legacy stream waits for it.
static void test_destroyed_stream(void **state) {
    (void)state;
    const uint32_t work = work_in(A);
    tell(HW_HOST_STREAM_DESTROY, A, 0);
    tell(HW_HOST_STREAM_CREATE, A, 0);
    assert_false(is_after(A, work));
    assert_true(is_after(LEGACY, work));
    const uint32_t again = work_in(A);
    tell(HW_HOST_STREAM_DESTROY, A, 0);
    tell(HW_HOST_DEVICE_SYNCHRONIZE, LEGACY, 0);
    assert_true(is_after(B, again));
}

// Many streams, in a ring: each waits for the one before it.
static void test_many_streams(void **state) {
    (void)state;
    enum { N = 300 };
    uint32_t works[N];
    for (uint64_t i = 0; i < N; i++) {
        if (i) tell(HW_HOST_STREAM_WAIT, 1000 + i, E + i - 1);
        works[i] = work_in(1000 + i);
        tell(HW_HOST_EVENT_RECORD, 1000 + i, E + i);
    }
    assert_true(is_after(1000 + N - 1, works[0]));
    assert_false(is_after(1000, works[1]));
    assert_true(is_after(1000 + N / 2, works[N / 2 - 1]));
    assert_false(is_after(1000 + N / 2, works[N / 2 + 1]));
}

// What is known of streams is as long as there are streams, whatever goes from one to the other.
static void test_memory_does_not_grow_with_work(void **state) {
    (void)state;
    enum { N = 1000, BYTES_OF_WORK = 16 };          // twice what a list that doubles has
    work_in(A);
    work_in(B);
    const size_t before = hw_check_streams_bytes(streams);
    for (int i = 0; i < N; i++) {
        work_in(A);
        tell(HW_HOST_EVENT_RECORD, A, E);
        tell(HW_HOST_STREAM_WAIT, B, E);
        work_in(B);
        tell(HW_HOST_EVENT_RECORD, B, OTHER);
        tell(HW_HOST_EVENT_SYNCHRONIZE, LEGACY, OTHER);
    }
    assert_in_range(hw_check_streams_bytes(streams) - before, 0, 2 * N * BYTES_OF_WORK + 1000);
}

static void open_last(void) { assert_true(hw_check_streams_open(streams)); }
static uint32_t child_of(hw_child_order order, uint64_t stream, uint32_t block) {
    return hw_check_streams_begin_child(streams, &(hw_check_child){order, stream, block});
}

// Launches within a kernel: what comes after what, and what the host's next work comes after.
static void test_children(void **state) {
    (void)state;
    const uint32_t before = work_in(A), aside = work_in(B), parent = work_in(A);
    open_last();
    const uint32_t one = child_of(HW_CHILD_IN_STREAM, 0, 0);
    assert_true(hw_check_is_before(streams, before));
    assert_false(hw_check_is_before(streams, parent));
    assert_false(hw_check_is_before(streams, aside));
    open_last();
    const uint32_t grandchild = child_of(HW_CHILD_ALONE, 4, 0);
    assert_false(hw_check_is_before(streams, one));
    const uint32_t last = child_of(HW_CHILD_TAIL, 3, 0);
    assert_true(hw_check_is_before(streams, one) && hw_check_is_before(streams, grandchild));
    assert_false(hw_check_is_before(streams, parent));
    hw_check_streams_close(streams);
    const uint32_t other_block = child_of(HW_CHILD_IN_STREAM, 0, 1);
    assert_false(hw_check_is_before(streams, one) || hw_check_is_before(streams, grandchild));
    child_of(HW_CHILD_IN_STREAM, 16, 0);
    assert_false(hw_check_is_before(streams, one) || hw_check_is_before(streams, last));
    child_of(HW_CHILD_IN_STREAM, 0, 0);
    assert_true(hw_check_is_before(streams, one) && hw_check_is_before(streams, grandchild));
    assert_true(hw_check_is_before(streams, last));
    assert_false(hw_check_is_before(streams, other_block) || hw_check_is_before(streams, parent));
    child_of(HW_CHILD_TAIL, 3, 0);
    assert_true(hw_check_is_before(streams, parent) && hw_check_is_before(streams, other_block));
    assert_false(hw_check_is_all_before(streams));
    hw_check_streams_close(streams);
    assert_false(is_after(B, one));
    assert_true(is_after(A, grandchild) && is_after(A, other_block));
    tell(HW_HOST_DEVICE_SYNCHRONIZE, LEGACY, 0);
    assert_true(hw_check_is_all_waited_for(streams));
}

// What was told of one launch's children says nothing of the next one's, at any depth.
static void test_children_of_two(void **state) {
    (void)state;
    const uint32_t parent = work_in(A);
    open_last();
    const uint32_t one = child_of(HW_CHILD_IN_STREAM, 0, 0);
    open_last();
    const uint32_t of_one = child_of(HW_CHILD_IN_STREAM, 0, 0), alone = child_of(HW_CHILD_ALONE, 4, 0);
    hw_check_streams_close(streams);
    child_of(HW_CHILD_IN_STREAM, 0, 1);
    open_last();
    for (int i = 0; i < 3; i++) {
        child_of(i == 1 ? HW_CHILD_ALONE : HW_CHILD_IN_STREAM, 0, 0);
        assert_false(hw_check_is_before(streams, of_one) || hw_check_is_before(streams, alone));
    }
    const uint32_t tail = child_of(HW_CHILD_TAIL, 3, 0);
    assert_false(hw_check_is_before(streams, of_one) || hw_check_is_before(streams, alone));
    hw_check_streams_close(streams);
    child_of(HW_CHILD_IN_STREAM, 0, 0);
    assert_true(hw_check_is_before(streams, of_one) && hw_check_is_before(streams, alone));
    assert_false(hw_check_is_before(streams, tail));
    // Another thread of the host has waited for the launch when it had not heard of the children: it has for them.
    tell(HW_HOST_STREAM_SYNCHRONIZE, A, 0);
    for (int is_closed = 0; is_closed < 2; is_closed++) {
        assert_int_equal(hw_check_is_all_waited_for(streams), is_closed);
        assert_true(hw_check_is_waited_for(streams, one) && hw_check_is_waited_for(streams, tail));
        work_in(B);
        assert_true(hw_check_is_before(streams, parent) && hw_check_is_before(streams, of_one));
        assert_true(hw_check_is_all_before(streams));
        tell(HW_HOST_STREAM_SYNCHRONIZE, B, 0);
        hw_check_streams_close(streams);
    }
    work_in(B);
    open_last();
    child_of(HW_CHILD_IN_STREAM, 0, 0);
    assert_true(hw_check_is_before(streams, one) && hw_check_is_before(streams, tail));
}

// Children in no order with each other know nothing of each other, and nobody of those that have been.
static void test_memory_of_children(void **state) {
    (void)state;
    enum { N = 1000, BYTES_OF_CHILD = 200 };
    work_in(A);
    const size_t before = hw_check_streams_bytes(streams);
    for (uint32_t launch = 0; launch < 2; launch++) {
        work_in(A);
        open_last();
        for (uint32_t i = 0; i < N; i++) child_of(HW_CHILD_IN_STREAM, 0, i);
        for (uint32_t i = 0; i < N; i++) child_of(HW_CHILD_ALONE, 0, i);
        for (uint32_t i = 0; i < N; i++) child_of(HW_CHILD_TAIL, 0, i);
        assert_in_range(hw_check_streams_bytes(streams) - before, 0, (launch + 1) * 3 * N * BYTES_OF_CHILD);
        hw_check_streams_close(streams);
    }
}

static void tell_child(uint64_t stream, uint64_t event, bool waits) {
    const hw_check_child of = {HW_CHILD_IN_STREAM, stream, 0};
    assert_true(hw_check_streams_tell_child(streams, &of, event, waits));
}

// An event of a kernel stands for what was in its stream when it was recorded, until it is so again.
static void test_events_of_children(void **state) {
    (void)state;
    work_in(A);
    open_last();
    tell_child(32, E, true);
    const uint32_t first = child_of(HW_CHILD_IN_STREAM, 16, 0);
    tell_child(16, E, false);
    const uint32_t second = child_of(HW_CHILD_IN_STREAM, 16, 0);
    const uint32_t waits_for_none = child_of(HW_CHILD_IN_STREAM, 32, 0);
    assert_false(hw_check_is_before(streams, first));
    tell_child(32, E, true);
    child_of(HW_CHILD_IN_STREAM, 32, 0);
    assert_true(hw_check_is_before(streams, first) && hw_check_is_before(streams, waits_for_none));
    assert_false(hw_check_is_before(streams, second));
    tell_child(48, E, false);
    tell_child(64, E, true);
    child_of(HW_CHILD_IN_STREAM, 64, 0);
    assert_false(hw_check_is_before(streams, first));
    hw_check_streams_close(streams);
    work_in(A);
    open_last();
    tell_child(64, E, true);
    child_of(HW_CHILD_IN_STREAM, 64, 0);
    assert_true(hw_check_is_before(streams, second));    // of the launch before
}

// Without memory work has no number; nothing else breaks.
static void test_out_of_memory(void **state) {
    (void)state;
    for (long successes = 0; successes < 40; successes++) {
        hw_check_streams *own;
        hw_alloc_fail_after(successes);
        own = hw_check_streams_create();
        for (uint64_t i = 0; own && i < 20; i++) {
            hw_check_streams_begin(own, 50 + i);
            hw_check_streams_tell(own, &(hw_host_event){.action = HW_HOST_EVENT_RECORD, .stream = 50 + i,
                                                        .event = E + i});
            hw_check_streams_tell(own, &(hw_host_event){.action = HW_HOST_STREAM_WAIT, .stream = 51 + i,
                                                        .event = E + i});
            const bool is_open = hw_check_streams_open(own);
            const hw_check_child child = {HW_CHILD_IN_STREAM, i, 0};
            hw_check_streams_begin_child(own, &child);
            hw_check_streams_tell_child(own, &child, E, i % 3);
            if (i % 2 && is_open) hw_check_streams_close(own);
        }
        if (own) hw_check_streams_destroy(own);
        hw_alloc_fail_after(-1);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_one_stream_is_in_order, begin, end),
        cmocka_unit_test_setup_teardown(test_events, begin, end),
        cmocka_unit_test_setup_teardown(test_event_holds_for_the_last_record, begin, end),
        cmocka_unit_test_setup_teardown(test_new_event_of_an_old_name, begin, end),
        cmocka_unit_test_setup_teardown(test_host_waits, begin, end),
        cmocka_unit_test_setup_teardown(test_free_waits, begin, end),
        cmocka_unit_test_setup_teardown(test_legacy_stream, begin, end),
        cmocka_unit_test_setup_teardown(test_destroyed_stream, begin, end),
        cmocka_unit_test_setup_teardown(test_many_streams, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_does_not_grow_with_work, begin, end),
        cmocka_unit_test_setup_teardown(test_children, begin, end),
        cmocka_unit_test_setup_teardown(test_events_of_children, begin, end),
        cmocka_unit_test_setup_teardown(test_children_of_two, begin, end),
        cmocka_unit_test_setup_teardown(test_memory_of_children, begin, end),
        cmocka_unit_test_setup_teardown(test_out_of_memory, begin, end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
