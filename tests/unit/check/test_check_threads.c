// Threads of the host that launch, call and count findings at the same time: nothing of a check is touched by two of
// them at once. With threads' own sanitizer this is `threads.check` (cmake/tests.cmake).
#include <pthread.h>
#include <sched.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "checked_launch.h"

enum { LAUNCHES = 20, CALLS = 60, CALLERS = 2, WORDS = 64 };

static checked c;
static uint32_t words[CALLERS + 1][WORDS];    // each thread's own, but the first's
static atomic_bool has_ended;
static atomic_uint rounds, calls, n_callers;  // relaxed: they put nothing in order

static uint64_t word(int of, uint32_t i) { return (uint64_t)(uintptr_t)&words[of][i]; }

static uint32_t now(atomic_uint *counter) { return atomic_load_explicit(counter, memory_order_relaxed); }
static void step(atomic_uint *counter, uint32_t by) { atomic_fetch_add_explicit(counter, by, memory_order_relaxed); }

// The other threads do something while a launch runs.
static void let_others_in(void) {
    const uint32_t round = now(&rounds), call = now(&calls);
    while (now(&rounds) == round || (now(&n_callers) && now(&calls) == call)) sched_yield();
}

// Two warps of a block write the same words, and a kernel allocates.
static void *launch(void *unused) {
    (void)unused;
    for (uint32_t i = 0; i < LAUNCHES; i++) {
        if (checked_begin(&c, 2, 2, 64)) return NULL;
        for (uint32_t k = 0; k < WORDS; k++) {
            if (k % 32 == 16) let_others_in();
            checked_word(&c, 0, k / 8 % 2, 0, k % 8, HW_NOTE_STORE, word(0, k % 8));
        }
        checked_host(&c, (hw_host_event){.action = HW_HOST_ALLOCATE,
                                         .memory = {.address = word(0, 32), .bytes = 16, .kind = HW_ALLOC_HEAP}});
        checked_block(&c, 0, true);
        checked_block(&c, 1, true);
        checked_end(&c);
    }
    return &c;
}

static void copy(uint64_t stream, int of) {
    enum { BYTES = sizeof words[0] / 2 };
    const hw_host_side from = {.address = word(of, 0), .pitch = BYTES, .slice = BYTES};
    const hw_host_side to = {.address = word(of, WORDS / 2), .pitch = BYTES, .slice = BYTES};
    checked_host(&c, (hw_host_event){.action = HW_HOST_COPY, .stream = stream, .site = &words[of][0],
                                     .copy = {.kind = HW_HOST_COPY_DEVICE_TO_DEVICE, .from = from, .to = to,
                                              .width = BYTES, .height = 1, .depth = 1}});
}

static void *call(void *number) {
    const int of = *(const int *)number;
    const uint64_t stream = 4 + 2 * (uint64_t)of;
    for (int i = 0; i < CALLS; i++) {
        hw_host_event memory = {.action = HW_HOST_ALLOCATE, .site = &words[of][2],
                                .memory = {.address = word(of, 0), .bytes = sizeof words[of]}};
        checked_host(&c, memory);
        copy(stream, of);
        checked_host(&c, (hw_host_event){.action = HW_HOST_STREAM_SYNCHRONIZE, .stream = stream});
        checked_host(&c, (hw_host_event){.action = HW_HOST_ERROR, .error = {.name = "cudaErrorInvalidValue"}});
        checked_host(&c, (hw_host_event){.action = HW_HOST_ASK, .error = {.name = "cudaErrorInvalidValue"}});
        memory.action = HW_HOST_FREE;
        checked_host(&c, memory);
        step(&calls, 1);
    }
    step(&n_callers, -1u);
    return NULL;
}

// As the process does for each launch that has ended.
static void *count(void *unused) {
    (void)unused;
    while (!atomic_load(&has_ended)) {
        uint64_t n, bytes;
        for (size_t i = 0; hw_check_count_at(c.check, i, &n, &bytes); i++) {}
        step(&rounds, 1);
    }
    return NULL;
}

static void test_threads(void **state) {
    (void)state;
    pthread_t launcher, callers[CALLERS], counter;
    int numbers[CALLERS];
    void *is_good = NULL;
    assert_int_equal(checked_create(&c), HW_OK);
    step(&n_callers, CALLERS);
    assert_int_equal(pthread_create(&counter, NULL, count, NULL), 0);
    assert_int_equal(pthread_create(&launcher, NULL, launch, NULL), 0);
    for (int i = 0; i < CALLERS; i++) {
        numbers[i] = i + 1;
        assert_int_equal(pthread_create(&callers[i], NULL, call, &numbers[i]), 0);
    }
    hw_check_end(c.check, false);    // the program ends while its threads go on
    pthread_join(launcher, &is_good);
    for (int i = 0; i < CALLERS; i++) pthread_join(callers[i], NULL);
    atomic_store(&has_ended, true);
    pthread_join(counter, NULL);
    assert_non_null(is_good);
    uint64_t races = 0;
    const hw_check_finding *f;
    for (size_t i = 0; (f = hw_check_finding_at(c.check, i)); i++) races += f->kind == HW_CHECK_RACE ? f->count : 0;
    assert_int_equal(races, LAUNCHES * (WORDS - 8));    // of the launches alone: callers' copies are in order
    hw_check_destroy(c.check);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_threads)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
