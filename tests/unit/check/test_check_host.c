// The host program's own hazards, told by hand: errors and who asks, handles, asynchronous copies, what stays behind.
#include <pthread.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "checked_launch.h"
#include "mem/mem.h"

enum { STREAM = 2, OTHER = 4, EVENT = 8, BYTES = 64 };

static checked c;
static char places[32];    // whose addresses are the calls' sites

static const void *site(int i) { return &places[i]; }

static int begin(void **state) {
    (void)state;
    return checked_create(&c) ? 1 : 0;
}

static int end(void **state) {
    (void)state;
    hw_check_destroy(c.check);
    return 0;
}

static void tell(hw_host_action action, int at) {
    checked_host(&c, (hw_host_event){.action = action, .stream = STREAM, .event = EVENT, .site = site(at)});
}

static void end_badly(int at, bool is_launch) {
    hw_host_event event = {.action = HW_HOST_ERROR, .site = site(at)};
    event.error.name = "cudaErrorInvalidValue";
    event.error.is_launch = is_launch;
    checked_host(&c, event);
}

static void refuse_launch(int at) {
    const hw_host_refused refused = {.reason = HW_HOST_NO_LAUNCH, .kernel = "k", .why = "too large"};
    checked_host(&c, (hw_host_event){.action = HW_HOST_REFUSE, .site = site(at), .refused = refused});
    end_badly(at, true);
}

static void launch(void) {
    assert_int_equal(checked_begin(&c, STREAM, 1, 32), HW_OK);
    checked_end(&c);
}

static void allocate(const void *address, uint8_t kind, bool is_freed) {
    hw_host_event event = {.action = is_freed ? HW_HOST_FREE : HW_HOST_ALLOCATE, .site = site(is_freed ? 21 : 20)};
    event.memory.address = (uint64_t)(uintptr_t)address;
    event.memory.bytes = BYTES;
    event.memory.kind = kind;
    checked_host(&c, event);
}

// From pinned memory to somewhere on the device, in STREAM.
static void copy_from(const void *pinned, int at) {
    hw_host_event event = {.action = HW_HOST_COPY, .stream = STREAM, .site = site(at)};
    event.copy.from = (hw_host_side){.address = (uint64_t)(uintptr_t)pinned, .memory = HW_HOST_MEMORY_PINNED};
    event.copy.to = (hw_host_side){.address = 1 << 20, .memory = HW_HOST_MEMORY_DEVICE};
    event.copy.width = BYTES;
    event.copy.height = event.copy.depth = 1;
    event.copy.kind = HW_HOST_COPY_HOST_TO_DEVICE;
    checked_host(&c, event);
}

// The only finding, which is of that kind and about calls at these places; other < 0: of one.
static void assert_found(hw_check_kind kind, int one, int other) {
    assert_int_equal(checked_count(&c), 1);
    const hw_check_finding *f = hw_check_finding_at(c.check, 0);
    assert_int_equal(f->kind, kind);
    assert_int_equal(f->n_sides, other < 0 ? 1 : 2);
    assert_ptr_equal(f->sides[0].site, site(one));
    if (other >= 0) assert_ptr_equal(f->sides[1].site, site(other));
}

// ---- errors ---------------------------------------------------------------------------------------------------------

static void test_error_that_is_asked_for(void **state) {
    (void)state;
    end_badly(1, false);
    tell(HW_HOST_STREAM_SYNCHRONIZE, 2);    // waiting is no work
    checked_host(&c, (hw_host_event){.action = HW_HOST_ASK, .site = site(3)});
    launch();
    refuse_launch(4);
    checked_host(&c, (hw_host_event){.action = HW_HOST_ASK, .site = site(5)});
    launch();
    hw_check_end(c.check, true);
    assert_int_equal(checked_count(&c), 0);
}

static void test_error_of_an_earlier_call(void **state) {
    (void)state;
    end_badly(1, false);
    launch();
    checked_host(&c, (hw_host_event){.action = HW_HOST_ASK, .site = site(3)});
    assert_found(HW_CHECK_ERROR, 1, 3);
    hw_check_end(c.check, true);
    assert_int_equal(checked_count(&c), 1);
}

static void test_error_that_nobody_asks_for(void **state) {
    (void)state;
    end_badly(1, false);    // the program may have looked at what the call returned
    hw_check_end(c.check, false);
    assert_int_equal(checked_count(&c), 0);
    end_badly(1, false);
    launch();
    hw_check_end(c.check, false);
    assert_found(HW_CHECK_ERROR, 1, -1);
}

static void test_launch_that_is_refused(void **state) {
    (void)state;
    refuse_launch(1);
    refuse_launch(1);
    end_badly(2, false);    // takes the place of the launch's error
    assert_found(HW_CHECK_LAUNCH, 1, -1);
    assert_string_equal(hw_check_finding_at(c.check, 0)->subject.why, "too large");
    hw_check_end(c.check, false);
    assert_int_equal(checked_count(&c), 1);
}

static void *ask_elsewhere(void *unused) {
    checked_host(&c, (hw_host_event){.action = HW_HOST_ASK, .site = site(9)});
    return unused;
}

static void test_errors_of_a_thread_are_its_own(void **state) {
    (void)state;
    pthread_t thread;
    end_badly(1, true);
    launch();
    assert_int_equal(pthread_create(&thread, NULL, ask_elsewhere, NULL), 0);
    pthread_join(thread, NULL);
    assert_int_equal(checked_count(&c), 0);
    hw_check_end(c.check, false);
    assert_found(HW_CHECK_ERROR, 1, -1);
}

// ---- handles and what stays -----------------------------------------------------------------------------------------

static void test_handles(void **state) {
    (void)state;
    const hw_host_refused refused = {.reason = HW_HOST_NO_OBJECT, .object = {HW_HOST_EVENT, EVENT, 0}};
    tell(HW_HOST_STREAM_CREATE, 1);
    tell(HW_HOST_EVENT_CREATE, 2);
    tell(HW_HOST_EVENT_DESTROY, 3);
    checked_host(&c, (hw_host_event){.action = HW_HOST_REFUSE, .site = site(4), .refused = refused});
    assert_found(HW_CHECK_HANDLE, 3, 4);
    tell(HW_HOST_EVENT_CREATE, 5);
    hw_check_end(c.check, true);
    assert_int_equal(checked_count(&c), 3);    // in the order in which they were made
    assert_int_equal(hw_check_finding_at(c.check, 1)->subject.leak, HW_CHECK_LEAK_STREAM);
    assert_ptr_equal(hw_check_finding_at(c.check, 2)->sides[0].site, site(5));
}

static void test_reset_leaves_nothing(void **state) {
    (void)state;
    static char memory[BYTES];
    tell(HW_HOST_STREAM_CREATE, 1);
    allocate(memory, HW_ALLOC_PINNED, false);
    copy_from(memory, 2);
    hw_check_forget_memory(c.check);
    memory[0]++;
    tell(HW_HOST_DEVICE_SYNCHRONIZE, 3);
    hw_check_end(c.check, true);
    assert_int_equal(checked_count(&c), 0);
}

// ---- asynchronous copies --------------------------------------------------------------------------------------------

static void test_write_before_wait(void **state) {
    (void)state;
    char memory[BYTES] = {0};
    copy_from(memory, 1);
    tell(HW_HOST_STREAM_SYNCHRONIZE, 2);
    memory[5]++;
    copy_from(memory, 1);
    memory[6]++;
    checked_host(&c, (hw_host_event){.action = HW_HOST_STREAM_SYNCHRONIZE, .stream = OTHER, .site = site(3)});
    assert_int_equal(checked_count(&c), 0);    // that was another stream
    tell(HW_HOST_STREAM_SYNCHRONIZE, 4);
    assert_found(HW_CHECK_RACE, 1, 4);
    assert_int_equal(hw_check_finding_at(c.check, 0)->missing, HW_CHECK_MISSING_HOST);
}

// By a kernel, by work of the stream, by a function of the program's that is such work: never by the host beside it.
static void test_writes_of_others(void **state) {
    (void)state;
    char memory[BYTES] = {0};
    const uint64_t address = (uint64_t)(uintptr_t)memory;
    const hw_touched touched = {.address = address, .bytes = BYTES, .ways = HW_TOUCHED_WRITTEN};
    hw_host_event set = {.action = HW_HOST_SET, .stream = STREAM, .site = site(3)};
    set.set.to = (hw_host_side){.address = address, .pitch = BYTES, .memory = HW_HOST_MEMORY_PINNED};
    set.set.width = BYTES;
    set.set.height = set.set.depth = 1;
    for (int way = 0; way < 3; way++) {
        copy_from(memory, 1);
        if (way == 0) {
            assert_int_equal(checked_begin(&c, STREAM, 1, 32), HW_OK);
            c.sink->touched(c.sink, 0, &touched);
            checked_end(&c);
        }
        if (way == 1) checked_host(&c, set);
        if (way == 2) tell(HW_HOST_CALLBACK, 2);
        memory[way]++;
        tell(HW_HOST_DEVICE_SYNCHRONIZE, 4);
    }
    assert_int_equal(checked_count(&c), 0);
}

// What is told while a launch runs is heard later, when the program may have gone on rightly.
static void *copy_and_wait(void *memory) {
    copy_from(memory, 1);
    tell(HW_HOST_STREAM_SYNCHRONIZE, 2);
    ((char *)memory)[0]++;
    return NULL;
}

static void test_copies_beside_a_launch(void **state) {
    (void)state;
    static char memory[BYTES];
    pthread_t thread;
    copy_from(memory, 3);
    assert_int_equal(checked_begin(&c, OTHER, 1, 32), HW_OK);
    assert_int_equal(pthread_create(&thread, NULL, copy_and_wait, memory), 0);
    pthread_join(thread, NULL);
    checked_end(&c);
    assert_int_equal(checked_count(&c), 0);
}

static void test_free_before_wait(void **state) {
    (void)state;
    static char memory[BYTES];
    allocate(memory, HW_ALLOC_PINNED, false);
    copy_from(memory, 1);
    allocate(memory, HW_ALLOC_PINNED, true);
    assert_found(HW_CHECK_RACE, 1, 21);
    allocate(memory, HW_ALLOC_PINNED, false);
    copy_from(memory, 1);
    tell(HW_HOST_STREAM_SYNCHRONIZE, 2);
    allocate(memory, HW_ALLOC_PINNED, true);
    assert_int_equal(hw_check_finding_at(c.check, 0)->count, 1);
}

// ---- without memory -------------------------------------------------------------------------------------------------

static void test_failing_allocations(void **state) {
    char memory[BYTES] = {0};
    bool ran_out = true;
    for (long successes = 0; ran_out && successes < 200; successes++) {
        end(state);
        begin(state);
        hw_alloc_fail_after(successes);
        tell(HW_HOST_STREAM_CREATE, 1);
        allocate(memory, HW_ALLOC_PINNED, false);
        copy_from(memory, 2);
        memory[0]++;
        tell(HW_HOST_STREAM_SYNCHRONIZE, 3);
        refuse_launch(4);
        end_badly(5, false);
        tell(HW_HOST_EVENT_CREATE, 6);
        hw_check_end(c.check, true);
        hw_alloc_fail_after(-1);
        ran_out = hw_check_ran_out(c.check) || checked_count(&c) != 5;
    }
    assert_false(ran_out);
    assert_int_equal(checked_count(&c), 5);    // a race, a launch, and what stays: a stream, memory, an event
}

int main(void) {
#define TEST(name) cmocka_unit_test_setup_teardown(name, begin, end)
    const struct CMUnitTest tests[] = {
        TEST(test_error_that_is_asked_for), TEST(test_error_of_an_earlier_call), TEST(test_error_that_nobody_asks_for),
        TEST(test_launch_that_is_refused), TEST(test_errors_of_a_thread_are_its_own), TEST(test_handles),
        TEST(test_reset_leaves_nothing), TEST(test_write_before_wait), TEST(test_writes_of_others),
        TEST(test_copies_beside_a_launch), TEST(test_free_before_wait), TEST(test_failing_allocations)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
