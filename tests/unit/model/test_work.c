// What the estimate of time takes for moved: hand-made accesses of a few warps, and the bytes that memory moves for
// them.
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "prof/prof.h"
#include "told_access.h"

enum { WARPS = 8, MOST = 12 };

// WARPS warps, each `step` bytes (0: 32 strides) after the one before, from `first` on.
typedef struct access {
    hw_note_kind kind;
    uint32_t width;
    int64_t stride;
    uint64_t first;
    uint64_t step;
    uint32_t mask;                    // 0: all lanes
    hw_space space;                   // GENERIC: GLOBAL
    bool is_indexed, skips_l1;
    bool is_irregular;                // no two warps have the same stride
} access;

typedef struct work_case {
    const char *name, *gpu;
    access accesses[MOST];            // each an instruction of its own
    uint64_t load_bytes, store_bytes, fill_bytes, useful_bytes;   // of all warps, over WARPS
    uint64_t const_passes, const_loads;   // of the warp
} work_case;

#define LOAD(...) {.kind = HW_NOTE_LOAD, __VA_ARGS__}
#define STORE(...) {.kind = HW_NOTE_STORE, __VA_ARGS__}

static const work_case cases[] = {
    {"a row", "h200", {LOAD(4, 4), STORE(4, 4)}, 128, 128, 0, .useful_bytes = 256},
    {"a row, moved by a word", "h200", {LOAD(4, 4, 4), STORE(4, 4, 4)}, 128, 128, 0, .useful_bytes = 256},
    {"every second word", "h200", {LOAD(4, 8), STORE(4, 8)}, 256, 256, 256, .useful_bytes = 256},
    {"every third", "h200", {LOAD(4, 12), STORE(4, 12)}, 384, 384, 384, .useful_bytes = 256},
    {"all three, one after the other", "h200", {LOAD(4, 12), LOAD(4, 12, 4), LOAD(4, 12, 8)},
     384, 0, 0, .useful_bytes = 384},
    {"two of three", "h200", {LOAD(4, 12), LOAD(4, 12, 4)}, 384, 0, 0, .useful_bytes = 256},
    {"two of four", "h200", {LOAD(4, 16), LOAD(4, 16, 8)}, 512, 0, 0, .useful_bytes = 256},
    {"all four", "h200", {LOAD(4, 16), LOAD(4, 16, 4), LOAD(4, 16, 8), LOAD(4, 16, 12)},
     512, 0, 0, .useful_bytes = 512},
    {"stores do not fill loads", "h200", {LOAD(4, 8), STORE(4, 8, 4)}, 256, 256, 256, .useful_bytes = 256},
    {"every 16th word", "h200", {LOAD(4, 64)}, 64 * 32, 0, 0, .useful_bytes = 128},
    {"every 32nd", "h200", {LOAD(4, 128)}, 64 * 32, 0, 0, .useful_bytes = 128},
    {"every 24th", "h200", {LOAD(4, 96)}, 64 * 32, 0, 0, .useful_bytes = 128},
    {"a column by warps beside each other", "h200", {LOAD(16, 4096, 0, 16)}, 512, 0, 0, .useful_bytes = 512},
    {"half of a column's pieces", "h200", {LOAD(4, 4096, 0, 8)}, 256, 0, 0, .useful_bytes = 128},
    {"one lane", "h200", {LOAD(4, 4, 0, 1024, 1)}, 64, 0, 0, .useful_bytes = 4},
    {"one word for all", "h200", {LOAD(4, 0, 0, 1024)}, 64, 0, 0, .useful_bytes = 4},
    {"one word for all, and the next", "h200", {LOAD(4, 0, 0, 4)}, 8, 0, 0, .useful_bytes = 4},
    {"atomics read and write", "h200", {{.kind = HW_NOTE_ATOMIC, .width = 4, .stride = 4}},
     128, 128, 0, .useful_bytes = 128},
    {"local memory stays in a cache", "h200", {LOAD(4, 0, .space = HW_SPACE_LOCAL)}, 0, 0, 0, .useful_bytes = 0},
    {"constants, an address a lane", "h200", {LOAD(4, 4, .space = HW_SPACE_CONST)}, 0, 0, 0, 0, .const_passes = 31},
    {"one constant", "h200", {LOAD(4, 0, .space = HW_SPACE_CONST)}, 0, 0, 0, 0, .const_passes = 0},
    {"constants by an index", "h200", {LOAD(4, 0, .space = HW_SPACE_CONST),
                                       LOAD(4, 4, .space = HW_SPACE_CONST, .is_indexed = true)},
     0, 0, 0, 0, .const_passes = 31, .const_loads = 1},
    // Lines of 128 bytes for loads of 2.x, unless they go past the first-level cache; stores by sectors.
    {"lines", "m2090", {LOAD(4, 64), STORE(4, 64)}, 64 * 32, 64 * 32, 64 * 32, .useful_bytes = 256},
    {"whole lines", "m2090", {LOAD(4, 128)}, 128 * 32, 0, 0, .useful_bytes = 128},
    {"past the lines", "m2090", {LOAD(4, 128, .skips_l1 = true)}, 64 * 32, 0, 0, .useful_bytes = 128},
    {"later", "k40", {LOAD(4, 128)}, 64 * 32, 0, 0, .useful_bytes = 128},
    // Without a cache: what transactions move. One of 32 bytes by itself costs 64 from 1.2 on.
    {"a row on 1.3", "gtx280", {LOAD(4, 4), STORE(4, 4)}, 128, 128, 0, .useful_bytes = 256},
    {"moved by a word on 1.3", "gtx280", {LOAD(4, 4, 4)}, 224, 0, 0, .useful_bytes = 128},
    {"moved by eight on 1.3", "gtx280", {LOAD(4, 4, 32)}, 192, 0, 0, .useful_bytes = 128},
    {"every 16th on 1.3", "gtx280", {LOAD(4, 64)}, 128 * 16, 0, 0, .useful_bytes = 128},
    {"every 64th on 1.3", "gtx280", {LOAD(4, 256)}, 64 * 32, 0, 0, .useful_bytes = 128},
    {"every 64th on 1.0", "fx5600", {LOAD(4, 256)}, 32 * 32, 0, 0, .useful_bytes = 128},
    {"moved by a word on 1.0", "fx5600", {LOAD(4, 4, 4)}, 32 * 32, 0, 0, .useful_bytes = 128},
    {"local memory on 1.3", "gtx280", {LOAD(4, 0, .space = HW_SPACE_LOCAL), STORE(4, 0, .space = HW_SPACE_LOCAL)},
     128, 128, 0, .useful_bytes = 0},
    {"atomics on 1.3", "gtx280", {{.kind = HW_NOTE_ATOMIC, .width = 4, .stride = 4}}, 128, 128, 0, .useful_bytes = 128},
    {"constants on 1.3", "gtx280", {LOAD(4, 4, .space = HW_SPACE_CONST)}, 0, 0, 0, 0, .const_passes = 30},
    {"one constant on 1.3", "gtx280", {LOAD(4, 0, .space = HW_SPACE_CONST)}, 0, 0, 0, 0, .const_passes = 0},
};

static void run(hw_sink *sink, const hw_note *notes, const access *a, uint32_t note, uint32_t warp) {
    int64_t delta[32];
    for (int t = 0; t < 32; t++) delta[t] = (a->stride + (a->is_irregular ? 4 * warp : 0)) * t;
    const uint64_t step = a->step ? a->step : 32 * (uint64_t)a->stride;
    tell_access(sink, warp % 2, notes, note, (uint8_t)(a->space == HW_SPACE_GENERIC ? HW_SPACE_GLOBAL : a->space),
                a->mask ? a->mask : UINT32_MAX, delta, 0x10000 + a->first + warp * step, 1);
}

static hw_time_work count(const work_case *c) {
    hw_note notes[MOST] = {{0}};
    uint32_t n = 0;
    hw_prof *prof;
    for (; n < MOST && c->accesses[n].width; n++)
        notes[n] = (hw_note){.kind = (uint8_t)c->accesses[n].kind, .width_bytes = (uint8_t)c->accesses[n].width,
                             .merged_bytes = (uint8_t)c->accesses[n].width, .skips_l1 = c->accesses[n].skips_l1,
                             .is_indexed = c->accesses[n].is_indexed};
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {WARPS * 32, 1, 1}, .regs = 10,
                                 .notes = notes, .n_notes = n, .n_workers = 2};
    assert_int_equal(hw_prof_create(hw_gpu_find(c->gpu), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
    for (uint32_t i = 0; i < n; i++)
        for (uint32_t warp = 0; warp < WARPS; warp++) run(sink, notes, &c->accesses[i], i, warp);
    sink->launch_end(sink, &info, 0, HW_OK);
    const hw_time_work work = hw_prof_report(prof)->launches[0].work;
    hw_prof_destroy(prof);
    return work;
}

static void expect(const work_case *c, const char *what, uint64_t got, uint64_t each) {
    if (got != each * WARPS)
        fail_msg("%s on %s: %s of a warp is %g, not %llu", c->name, c->gpu, what, (double)got / WARPS,
                 (unsigned long long)each);
}

static void moved(void **state) {
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof cases[0]; i++) {
        const work_case *c = &cases[i];
        const hw_time_work work = count(c);
        expect(c, "load_bytes", work.load_bytes, c->load_bytes);
        expect(c, "store_bytes", work.store_bytes, c->store_bytes);
        expect(c, "fill_bytes", work.fill_bytes, c->fill_bytes);
        expect(c, "useful_bytes", work.useful_bytes, c->useful_bytes);
        expect(c, "const_passes", work.const_passes, c->const_passes);
        expect(c, "const_loads", work.const_loads, c->const_loads);
    }
}

// What workers tell of their blocks is added up, of the running launch alone.
static void longest_warps(void **state) {
    (void)state;
    hw_prof *prof;
    const hw_note notes[1] = {{0}};
    const hw_launch_info info = {.kernel = "k", .grid = {3, 1, 1}, .block = {64, 1, 1}, .regs = 10, .notes = notes,
                                 .n_notes = 1, .n_workers = 2};
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    for (unsigned k = 0; k < 2; k++) {
        assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
        if (!k) sink->issued(sink, 0, &(hw_issued){200, 150});
        sink->issued(sink, 1, &(hw_issued){100, 60});
        sink->launch_end(sink, &info, 0, HW_OK);
        const hw_time_work work = hw_prof_report(prof)->launches[k].work;
        assert_int_equal(work.issued, k ? 100 : 300);
        assert_int_equal(work.longest, k ? 60 : 210);
    }
    hw_prof_destroy(prof);
}

// Lines of 2.x are read from the second-level cache whole.
static void second_level(void **state) {
    work_case lines = {.gpu = "m2090", .accesses = {LOAD(4, 64)}};
    (void)state;
    assert_int_equal(count(&lines).load_sectors, 16 * 4 * WARPS);
    lines.accesses[0].skips_l1 = true;
    assert_int_equal(count(&lines).load_sectors, 32 * WARPS);
}

// An instruction whose lanes never lie the same way twice fetches each sector for itself; so does one of a ninth
// stride.
static void too_many(void **state) {
    const work_case irregular = {.gpu = "h200", .accesses = {LOAD(4, 32, .is_irregular = true)}};
    work_case strides = {.gpu = "h200"};
    (void)state;
    assert_int_equal(count(&irregular).load_bytes, 32 * 32 * WARPS);
    for (int i = 0; i < 9; i++) strides.accesses[i] = (access)LOAD(4, 128 << i);
    assert_int_equal(count(&strides).load_bytes, (8 * 64 + 32) * 32 * WARPS);
}

// Allocations count once, whichever worker touches them, and not at all when they are too many to be kept. Constants
// do not count.
static void touched(void **state) {
    const hw_note note = {.kind = HW_NOTE_PLAIN};
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs = 10, .notes = &note,
                                 .n_notes = 1, .n_workers = 2};
    hw_prof *prof;
    (void)state;
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    for (uint64_t count = 0; count <= 70; count += 7) {
        assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
        for (uint64_t i = 0; i < 2 * count; i++)
            sink->touched(sink, i % 2, &(hw_touched){4096 * (i % count), 1000, HW_TOUCHED_READ + i % 2, false});
        sink->touched(sink, 2, &(hw_touched){0, 1 << 20, HW_TOUCHED_READ, false});   // there is no such worker
        sink->touched(sink, 0, &(hw_touched){8, 1 << 20, HW_TOUCHED_CONSTANT, false});
        sink->launch_end(sink, &info, 0, HW_OK);
        const hw_report *report = hw_prof_report(prof);
        assert_int_equal(report->launches[report->n_launches - 1].work.reachable_bytes,
                         count <= 64 ? 1000 * count : 0);
    }
    hw_prof_destroy(prof);
}

// Which sectors atomics mean is known as far as the allocations that they are in: of requests whose lanes share a word
// each lane is a pass, unless they are combined (from 7.0 on), of others each sector. Textures are loaded once, and
// warps wait for their fetches as for loads.
static hw_time_work count_sectors_and_textures(const char *gpu, bool is_combined) {
    const hw_note notes[] = {{.kind = HW_NOTE_REDUCTION, .space = HW_SPACE_GLOBAL, .width_bytes = 4,
                              .is_combined = is_combined},
                             {.kind = HW_NOTE_ATOMIC, .space = HW_SPACE_GLOBAL, .width_bytes = 4,
                              .meeting = HW_MEET_IN_LOOP},
                             {.kind = HW_NOTE_BRANCH},
                             {.kind = HW_NOTE_PLAIN, .pipe = HW_RATE_MEMORY, .issues = 4, .fetches_texels = true},
                             {.kind = HW_NOTE_BRANCH},
                             {.kind = HW_NOTE_PLAIN, .pipe = HW_RATE_MEMORY, .issues = 1}};   // a prefetch
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs = 10, .notes = notes,
                                 .n_notes = 6, .n_workers = 1};
    int64_t one_word[32] = {0}, in_a_row[32];
    hw_prof *prof;
    for (int t = 0; t < 32; t++) in_a_row[t] = 4 * t;
    assert_int_equal(hw_prof_create(hw_gpu_find(gpu), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
    sink->touched(sink, 0, &(hw_touched){4096, 400, HW_TOUCHED_READ | HW_TOUCHED_WRITTEN | HW_TOUCHED_ATOMIC, false});
    sink->touched(sink, 0, &(hw_touched){8192, 800, HW_TOUCHED_READ, false});
    sink->touched(sink, 0, &(hw_touched){16384, 600, HW_TOUCHED_TEXTURE, false});
    sink->touched(sink, 0, &(hw_touched){32768, 500, HW_TOUCHED_SURFACE, false});    // loads and stores, not fetches
    tell_access(sink, 0, notes, 0, HW_SPACE_GLOBAL, UINT32_MAX, one_word, 4096, 3);
    tell_access(sink, 0, notes, 1, HW_SPACE_GLOBAL, UINT32_MAX, in_a_row, 4096, 3);
    sink->executed(sink, 0, &(hw_executed){.first_note = 0, .count = 6, .warps = 3, .lanes = 96});
    sink->launch_end(sink, &info, 0, HW_OK);
    const hw_time_work work = hw_prof_report(prof)->launches[0].work;
    hw_prof_destroy(prof);
    return work;
}

static void sectors_and_textures(void **state) {
    (void)state;
    const hw_time_work work = count_sectors_and_textures("h200", false);
    assert_int_equal(work.atomic_sectors, 13);         // 400 bytes
    assert_int_equal(work.atomic_passes, 3 * 32 + 3 * 4);
    assert_int_equal(work.atomic_float_passes, 3 * 4);
    assert_int_equal(work.load_sectors, 600 / 32);     // of 96 fetches
    assert_int_equal(work.trips, 3 + 3);               // atomics with a result, and fetches; no prefetch
    assert_int_equal(work.reachable_bytes, 1800);
    assert_int_equal(count_sectors_and_textures("h200", true).atomic_passes, 3 + 3 * 4);
    assert_int_equal(count_sectors_and_textures("gtx1080", true).atomic_passes, 3 * 32 + 3 * 4);
}

// Fences of the whole GPU, and what releases for it, are waited for by each warp, behind a store for longer; a block's
// fences, those of other proxies, and what acquires alone are not. No loads: they are none of memory_waits.
static void fences(void **state) {
    const hw_note notes[] = {
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU},
        {.order = HW_ORDER_ACQ_REL, .scope = HW_SCOPE_SYS},
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_CTA},
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU, .proxy = HW_PROXY_ASYNC},
        {.kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .merged_bytes = 4,
         .order = HW_ORDER_ACQUIRE, .scope = HW_SCOPE_GPU},
        {.kind = HW_NOTE_ATOMIC, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .order = HW_ORDER_RELEASE,
         .scope = HW_SCOPE_GPU},
        {.kind = HW_NOTE_STORE, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .merged_bytes = 4},
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU},
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU},
        {.kind = HW_NOTE_STORE, .space = HW_SPACE_GLOBAL, .width_bytes = 4, .merged_bytes = 4},
        {.kind = HW_NOTE_BRANCH},
        {.order = HW_ORDER_SC, .scope = HW_SCOPE_GPU}};
    enum { FENCED = sizeof notes / sizeof *notes };
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs = 10, .notes = notes,
                                 .n_notes = FENCED, .n_workers = 1};
    int64_t in_a_row[32];
    hw_prof *prof;
    (void)state;
    for (int t = 0; t < 32; t++) in_a_row[t] = 4 * t;
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
    tell_access(sink, 0, notes, 4, HW_SPACE_GLOBAL, UINT32_MAX, in_a_row, 4096, 10);
    tell_access(sink, 0, notes, 5, HW_SPACE_GLOBAL, UINT32_MAX, in_a_row, 4096, 20);
    tell_access(sink, 0, notes, 6, HW_SPACE_GLOBAL, UINT32_MAX, in_a_row, 4096, 3);
    tell_access(sink, 0, notes, 9, HW_SPACE_GLOBAL, UINT32_MAX, in_a_row, 4096, 3);
    sink->executed(sink, 0, &(hw_executed){.first_note = 0, .count = FENCED, .warps = 3, .lanes = 96});
    sink->launch_end(sink, &info, 0, HW_OK);
    const hw_report_launch *launch = &hw_prof_report(prof)->launches[0];
    assert_int_equal(launch->work.fences, 3);
    assert_int_equal(launch->work.bare_fences, 3 + 3 + 20 + 3 + 3);
    assert_int_equal(launch->work.trips, 10 + 20);
    assert_int_equal(launch->work.atomic_trips, 20);
    assert_int_equal(launch->work.branches, 3);
    assert_int_equal(launch->counts[HW_COUNT_MEMORY_WAITS], 10 + 20);
    hw_prof_destroy(prof);
}

// What is read and written of the host's memory goes over the link, each way by itself, and no more than is moved.
static void hosts_memory(void **state) {
    const hw_note note = {.kind = HW_NOTE_PLAIN};
    const hw_launch_info info = {.kernel = "k", .grid = {1, 1, 1}, .block = {32, 1, 1}, .regs = 10, .notes = &note,
                                 .n_notes = 1, .n_workers = 2};
    hw_prof *prof;
    (void)state;
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), NULL, &prof, NULL), HW_OK);
    hw_sink *sink = hw_prof_sink(prof);
    assert_int_equal(sink->launch_begin(sink, &info, NULL), HW_OK);
    sink->touched(sink, 0, &(hw_touched){4096, 1000, HW_TOUCHED_READ, true});
    sink->touched(sink, 1, &(hw_touched){4096, 1000, HW_TOUCHED_WRITTEN, true});
    sink->touched(sink, 1, &(hw_touched){8192, 500, HW_TOUCHED_READ, true});
    sink->touched(sink, 1, &(hw_touched){16384, 9000, HW_TOUCHED_READ | HW_TOUCHED_WRITTEN, false});
    sink->launch_end(sink, &info, 0, HW_OK);
    const hw_report_launch *launch = &hw_prof_report(prof)->launches[0];
    assert_int_equal(launch->work.reachable_bytes, 10500);
    assert_int_equal(launch->work.link_load_bytes, 0);   // nothing was loaded
    hw_time_work w = launch->work;
    const hw_gpu *gpu = hw_gpu_find("h200");
    w.link_load_bytes = 1 << 24;
    const double way_us = hw_model_time(gpu, &w).bound_us[HW_BOUND_MEMORY];
    assert_true(fabs(way_us - (1 << 24) / 51e3 - 1.2) < 0.02 * way_us);    // GB/s, and a warp's way there and back
    w.link_store_bytes = 1 << 23;                        // both ways: a fifth of the lesser is waited for
    const double us = hw_model_time(gpu, &w).bound_us[HW_BOUND_MEMORY];
    assert_true(fabs(us - 1.2 - 1.105 * (way_us - 1.2)) < 1e-6 * us);
    hw_prof_destroy(prof);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(moved), cmocka_unit_test(longest_warps),
        cmocka_unit_test(second_level),
        cmocka_unit_test(too_many),
        cmocka_unit_test(touched),
        cmocka_unit_test(fences), cmocka_unit_test(sectors_and_textures),
        cmocka_unit_test(hosts_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
