// Counts of accesses do not wrap: a worker's count for a pattern, preset to the most that 32 bits hold, goes on.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "base/alloc.h"
#include "exec/warp/warp.h"
#include "prof/prof.h"
#include "told_access.h"

enum { PHASE = 64 };
static const uint64_t MOST_OF_32_BITS = UINT32_MAX;

static uint64_t told;

static void add_told(hw_sink *sink, uint32_t worker, const hw_access *access) {
    (void)sink, (void)worker;
    assert_int_equal(access->base, PHASE);
    told += access->repeat;
}

// What a sink hears of a pattern that one worker has counted.
static uint64_t flush(hw_pattern *p) {
    const hw_note note = {.kind = HW_NOTE_LOAD};
    const hw_inst in = {.width = 4, .vector = 1};
    const hw_program_set set = {.notes = (hw_note *)&note, .n_notes = 1, .n_accesses = 1};
    hw_sink sink = {.events = HW_WANTS(ACCESS), .access = add_told};
    hw_sinks sinks = {.n = 0};
    hw_observers observers;
    assert_int_equal(hw_sinks_add(&sinks, &sink, NULL), HW_OK);
    hw_sinks_choose(&sinks, NULL, &observers);
    hw_run run = {.set = &set, .observers = &observers, .events = observers.all.events};
    hw_worker worker = {.run = &run};
    assert_true(hw_names_prepare(&worker));
    p->inst = &in;
    told = 0;
    hw_access_flush(&worker, p);
    hw_access_flush(&worker, p);    // what has been told is not told again
    hw_free(worker.names);
    hw_sinks_free(&sinks);
    return told;
}

static void one_more_than_32_bits(void **state) {
    (void)state;
    static hw_pattern p;
    p = (hw_pattern){.mask = 0xffffffff, .space = HW_SPACE_GLOBAL};
    p.hits[PHASE] = MOST_OF_32_BITS;
    hw_access_count(&p, 0x1000 + PHASE);
    hw_access_count(&p, PHASE);
    assert_int_equal(flush(&p), MOST_OF_32_BITS + 2);
}

// The addresses of a convoy that stay as they are, counted once for all of its warps.
static void repeats_of_a_convoy(void **state) {
    (void)state;
    static hw_pattern p;
    static const hw_warp first;
    p = (hw_pattern){.mask = 0xffffffff, .space = HW_SPACE_GLOBAL, .fixed_for = &first, .n_at = HW_CONVOY_MAX,
                     .repeats = MOST_OF_32_BITS};
    for (int k = 0; k < HW_CONVOY_MAX; k++) p.phase[k] = PHASE;
    p.repeats++;
    assert_int_equal(flush(&p), HW_CONVOY_MAX * (MOST_OF_32_BITS + 1));
}


// And the profiler's own sums.
static void in_reports(void **state) {
    (void)state;
    static const hw_note notes[] = {{.kind = HW_NOTE_LOAD, .width_bytes = 4, .merged_bytes = 4}};
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .notes = notes, .n_notes = 1,
                                 .n_workers = 1};
    const uint64_t launches_long = (MOST_OF_32_BITS + 1) * 4;
    int64_t delta[32];
    hw_prof *prof;
    for (int t = 0; t < 32; t++) delta[t] = 4 * t;
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
    tell_access(sink, 0, notes, 0, HW_SPACE_GLOBAL, 0xffffffff, delta, 0, launches_long);
    sink->executed(sink, 0, &(hw_executed){0, 1, launches_long, 32 * launches_long});
    sink->launch_end(sink, &info, 0, HW_OK);
    const uint64_t *counts = hw_prof_report(prof)->launches[0].counts;
    assert_int_equal(counts[HW_COUNT_GLD_REQUESTS], launches_long);
    assert_int_equal(counts[HW_COUNT_GLD_SECTORS], 4 * launches_long);
    assert_int_equal(counts[HW_COUNT_INST], launches_long);
    assert_int_equal(counts[HW_COUNT_THREAD_INST], 32 * launches_long);
    hw_prof_destroy(prof);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(one_more_than_32_bits),
        cmocka_unit_test(repeats_of_a_convoy),
        cmocka_unit_test(in_reports),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
