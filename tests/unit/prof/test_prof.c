// The profiler: hand-made records of launches, and what becomes of them.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "event/sinks.h"
#include "base/alloc.h"
#include "base/demangle.h"
#include "prof/prof.h"
#include "told_access.h"

enum { FULL = 0xffffffff };

// A program of one instruction of each kind.
enum { PLAIN, LOAD, STORE, ATOMIC, REDUCTION, BRANCH, BARRIER, WIDE_LOAD, SECOND_HALF, N_NOTES };
static const hw_note notes[N_NOTES] = {
    [PLAIN] = {.kind = HW_NOTE_PLAIN, .file = 0, .line = 10},
    [LOAD] = {.kind = HW_NOTE_LOAD, .width_bytes = 4, .merged_bytes = 4, .file = 1, .line = 3},
    [STORE] = {.kind = HW_NOTE_STORE, .width_bytes = 4, .merged_bytes = 4, .file = 0, .line = 10},
    [ATOMIC] = {.kind = HW_NOTE_ATOMIC, .width_bytes = 4, .file = 0, .line = 9},
    [REDUCTION] = {.kind = HW_NOTE_REDUCTION, .width_bytes = 4, .file = 0, .line = 0},
    [BRANCH] = {.kind = HW_NOTE_BRANCH, .file = 77, .line = 5},
    [BARRIER] = {.kind = HW_NOTE_BARRIER, .file = 0, .line = 9},
    [WIDE_LOAD] = {.kind = HW_NOTE_LOAD, .width_bytes = 4, .merged_bytes = 8, .file = 0, .line = 12},
    [SECOND_HALF] = {.kind = HW_NOTE_LOAD, .width_bytes = 4, .merged_bytes = 0, .file = 0, .line = 12},
};
static const char *const files[] = {"b.cu", "a.cuh"};

static hw_launch_info launch_info(void) {
    return (hw_launch_info){.kernel = "_Z4copyPfPKf", .grid = {4, 2, 1}, .block = {32, 8, 1}, .regs = 10,
                            .regs_estimated = true, .smem_static_bytes = 1056, .notes = notes, .n_notes = N_NOTES,
                            .files = files, .n_files = 2, .n_workers = 2};
}

static hw_prof *new_prof(bool lines) {
    hw_prof *prof;
    hw_diag diag = {0};
    assert_int_equal(hw_prof_create(hw_gpu_find("h200"), &(hw_prof_options){.lines = lines}, &prof, &diag), HW_OK);
    return prof;
}

static void begin(hw_prof *prof, const hw_launch_info *info) {
    hw_diag diag = {0};
    hw_sink *sink = hw_prof_sink(prof);
    assert_false(sink->ordered);
    assert_int_equal(sink->launch_begin(sink, info, &diag), HW_OK);
}

static const hw_report_launch *end(hw_prof *prof, const hw_launch_info *info) {
    hw_sink *sink = hw_prof_sink(prof);
    sink->launch_end(sink, info, 1500000, HW_OK);
    const hw_report *report = hw_prof_report(prof);
    return &report->launches[report->n_launches - 1];
}

// One record of lanes that are a step apart.
static void record(hw_prof *prof, uint32_t worker, uint32_t note, uint8_t space, uint32_t mask, uint64_t base,
                   int64_t step, uint64_t repeat) {
    int64_t delta[32];
    for (int t = 0; t < 32; t++) delta[t] = step * t;
    tell_access(hw_prof_sink(prof), worker, notes, note, space, mask, delta, base, repeat);
}

// Functions that two lines call have two copies of their notes (hw_ptx_function.copy_of), in the order of calls, and
// machine code once.
static void copies_of_a_function_are_one_in_machine_code(void **state) {
    (void)state;
    enum { KERNEL, SHORT, LONG, SHORT_1, SHORT_2, LONG_1, LONG_2 };
    static const hw_note called[] = {{.ptx_line = 5, .line = 1, .function = KERNEL},
                                     {.ptx_line = 20, .function = SHORT}, {.ptx_line = 40, .function = LONG},
                                     {.ptx_line = 20, .line = 1, .function = SHORT_1},
                                     {.ptx_line = 20, .line = 2, .function = SHORT_2},
                                     {.ptx_line = 40, .line = 1, .function = LONG_1},
                                     {.ptx_line = 41, .line = 1, .function = LONG_1},
                                     {.ptx_line = 40, .line = 2, .function = LONG_2},
                                     {.ptx_line = 41, .line = 2, .function = LONG_2}};
    static const hw_machine_range ranges[] = {{1, 9}, {20, 30}, {40, 50}};
#define BLOCK(n)                                                                                                       \
    {.share = HW_MACHINE_ALONE, .copies = 1, .entry = HW_MACHINE_NO_RANGE, .parted = HW_MACHINE_NO_RANGE,              \
     .inst = {[HW_RATE_ISSUE] = n}}
    static const hw_machine_block blocks[] = {BLOCK(1000), BLOCK(100), BLOCK(3)};
    static const hw_machine_function functions[] = {{"_Z4copyPfPKf", true, &ranges[0], &blocks[0], 1, 1},
                                                    {"short", false, &ranges[1], &blocks[1], 1, 1},
                                                    {"long", false, &ranges[2], &blocks[2], 1, 1}};
    static const hw_machine_module machine = {functions, 3};
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    info.notes = called;
    info.n_notes = sizeof called / sizeof *called;
    info.machine = &machine;
    hw_sink *sink = hw_prof_sink(prof);
    begin(prof, &info);
    sink->executed(sink, 0, &(hw_executed){.first_note = 0, .count = 1, .warps = 1, .lanes = 32});
    sink->executed(sink, 0, &(hw_executed){.first_note = 3, .count = 1, .warps = 2, .lanes = 64});
    sink->executed(sink, 1, &(hw_executed){.first_note = 4, .count = 1, .warps = 3, .lanes = 96});
    sink->executed(sink, 0, &(hw_executed){.first_note = 5, .count = 2, .warps = 10, .lanes = 320});
    sink->executed(sink, 1, &(hw_executed){.first_note = 7, .count = 2, .warps = 4, .lanes = 128});
    const hw_report_launch *l = end(prof, &info);
    assert_true(l->has_machine_inst);
    assert_int_equal(l->machine_inst, 1000 + 100 * (2 + 3) + 3 * (10 + 4));
    hw_prof_destroy(prof);
}

static void nothing_counts_nothing(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    assert_int_equal(hw_prof_report(prof)->n_launches, 0);
    begin(prof, &info);
    const hw_report_launch *l = end(prof, &info);
    for (int i = 0; i < HW_COUNTERS; i++) assert_int_equal(l->counts[i], 0);
    assert_string_equal(l->kernel, "copy(float*, float const*)");
    assert_string_equal(l->mangled, "_Z4copyPfPKf");
    assert_int_equal(l->ordinal, 0);
    assert_int_equal(l->grid[0], 4);
    assert_int_equal(l->block[1], 8);
    assert_true(l->regs_estimated);
    assert_int_equal(l->regs, 16);   // ptxas said 10: an H200 gives 16
    assert_true(l->host_ms == 1.5);
    // truth/h200_ladder.csv: 32x8 threads, 16 registers, 1056 bytes
    assert_int_equal(l->occupancy.limit_smem, 30);
    assert_int_equal(l->occupancy.limit_regs, 16);
    assert_int_equal(l->occupancy.blocks, 8);
    assert_true(l->occupancy.occupancy_pct == 100);
    hw_prof_destroy(prof);
}

static void instructions_are_ranges(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    hw_sink *sink = hw_prof_sink(prof);
    begin(prof, &info);
    sink->executed(sink, 0, &(hw_executed){.first_note = 0, .count = N_NOTES, .warps = 10, .lanes = 320});
    sink->executed(sink, 1, &(hw_executed){.first_note = ATOMIC, .count = 2, .warps = 3, .lanes = 5});
    sink->executed(sink, 1, &(hw_executed){.first_note = BARRIER, .count = 1, .warps = 7, .lanes = 7});
    sink->guarded_off(sink, 1, &(hw_guarded_off){ATOMIC, 4});
    sink->branch(sink, 0, &(hw_branched){BRANCH, 10, 2});
    sink->branch(sink, 1, &(hw_branched){BRANCH, 1, 1});
    const hw_report_launch *l = end(prof, &info);
    assert_int_equal(l->counts[HW_COUNT_INST], 10 * N_NOTES + 6 + 7);
    assert_int_equal(l->counts[HW_COUNT_THREAD_INST], 320 * N_NOTES + 10 + 7 - 4);
    assert_int_equal(l->counts[HW_COUNT_BRANCHES], 11);
    assert_int_equal(l->counts[HW_COUNT_BRANCHES_DIVERGENT], 3);
    assert_int_equal(l->counts[HW_COUNT_BARRIERS], 17);
    assert_int_equal(l->counts[HW_COUNT_ATOMICS], 26);
    hw_prof_destroy(prof);
}

// Accesses that are not to be remembered count the same, told alone or several at once; some lie where the one before
// them did, or nearly, of the same instruction or another, in the same space or another.
static void lone_accesses_count_alike(void **state) {
    (void)state;
    static const uint8_t spaces[] = {HW_SPACE_GLOBAL, HW_SPACE_SHARED, HW_SPACE_LOCAL};
    static const uint32_t some[] = {LOAD, STORE, WIDE_LOAD, ATOMIC, SECOND_HALF};
    enum { N = 2000 };
    static hw_lone_access list[N];
    hw_prof *profs[2] = {new_prof(false), new_prof(false)};
    hw_launch_info info = launch_info();
    uint32_t random = 1;
    for (int p = 0; p < 2; p++) begin(profs[p], &info);
    for (int k = 0; k < N; k++) {
        hw_lone_access *one = &list[k];
        const uint32_t note = some[(random >> 8) % 5];
        *one = (hw_lone_access){.note = note, .kind = notes[note].kind, .space = spaces[(random >> 16) % 3],
                                .width_bytes = notes[note].width_bytes, .serial = 1u + (unsigned)k};
        one->mask = k % 3 ? random | 1 : FULL;
        one->lanes = (uint8_t)__builtin_popcount(one->mask);
        const uint32_t aligned = k % 2 ? 0 : 7;
        for (int t = 0; t < 32; t++) {
            random = random * 1664525 + 1013904223;
            if (k % 7) one->place[t] = random >> 20 & ~aligned;
            else one->place[t] = (uint32_t)k;    // all have one address
        }
        if (k % 4 == 3) {
            memcpy(one->place, one[-1].place, sizeof one->place);
            if (k % 8 == 7) one->mask = one[-1].mask, one->lanes = one[-1].lanes;
            if (k % 16 == 15) one->place[16] = one->place[1];
        }
        hw_access_pattern pattern = {.index = HW_NO_PATTERN, .mask = one->mask, .serial = one->serial,
                                     .space = one->space};
        const hw_access access = {.note = note, .kind = one->kind, .space = one->space, .width_bytes = one->width_bytes,
                                  .base = hw_lone_deltas(one, pattern.delta), .pattern = &pattern, .repeat = 1};
        hw_prof_sink(profs[0])->access(hw_prof_sink(profs[0]), 0, &access);
    }
    hw_prof_sink(profs[1])->lone(hw_prof_sink(profs[1]), 0, list, N);
    const hw_report_launch *alone = end(profs[0], &info), *several = end(profs[1], &info);
    assert_memory_equal(alone->counts, several->counts, sizeof alone->counts);
    assert_true(alone->counts[HW_COUNT_GLD_SECTORS] > 100 && alone->counts[HW_COUNT_LDS_WAVEFRONTS] > 50);
    for (int p = 0; p < 2; p++) hw_prof_destroy(profs[p]);
}

// Those of several warps as one count as each warp's do by itself: few lanes and many, lanes for themselves, at one
// place and beside each other.
static void packed_accesses_count_alike(void **state) {
    (void)state;
    static const uint32_t some[] = {LOAD, STORE, WIDE_LOAD}, apart[] = {1, 0, 9, 977, 1, 31};
    enum { N = 600 };
    static hw_lone_access packed[N], single[N * 8];
    hw_prof *profs[2] = {new_prof(false), new_prof(false)};
    hw_launch_info info = launch_info();
    uint32_t random = 1, n = 0;
    assert_true(hw_prof_sink(profs[0])->takes_packs);
    for (int p = 0; p < 2; p++) begin(profs[p], &info);
    for (uint32_t k = 0; k < N; k++) {
        hw_lone_access *one = &packed[k];
        uint32_t first = 0;
        *one = (hw_lone_access){.note = some[k % 3], .kind = notes[some[k % 3]].kind, .space = HW_SPACE_GLOBAL,
                                .width_bytes = 4, .serial = 1 + k, .mask = random | random >> k % 32 | 1};
        one->lanes = (uint8_t)__builtin_popcount(one->mask);
        for (uint32_t t = 0; t < 32; t++) one->place[t] = (random >> 12 & 1022) + t * apart[k / 8 % 6] / 2 * 2;
        for (uint32_t member = 0; first < 32; member++) {
            random = random * 1664525 + 1013904223;
            const uint32_t some_lanes = k % 4 == 1 ? 3 : (random >> 16) % (32 - first);    // 3: they fit into a sector
            const uint32_t last = member == 7 || k % 5 == 0 ? 31 : first + some_lanes;
            hw_lone_access *own = &single[n];
            *own = *one;
            own->ends = 0;
            own->mask &= (uint32_t)((2ull << last) - (1ull << first));
            own->lanes = (uint8_t)__builtin_popcount(own->mask);
            n += own->mask != 0;
            for (uint32_t t = first; t <= last; t++) one->place[t] |= member << HW_PACK_SHIFT;
            one->ends |= 1u << last;
            first = last + 1;
        }
    }
    hw_prof_sink(profs[0])->lone(hw_prof_sink(profs[0]), 0, packed, N);
    hw_prof_sink(profs[1])->lone(hw_prof_sink(profs[1]), 0, single, n);
    const hw_report_launch *as_one = end(profs[0], &info), *alone = end(profs[1], &info);
    assert_memory_equal(as_one->counts, alone->counts, sizeof alone->counts);
    assert_true(n > 2 * N && alone->counts[HW_COUNT_GLD_SECTORS] > N);
    assert_true(as_one->work.useful_bytes == alone->work.useful_bytes && alone->work.useful_bytes > 4 * N);
    for (int p = 0; p < 2; p++) hw_prof_destroy(profs[p]);
}

static void global_accesses_by_hand(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    begin(prof, &info);
    record(prof, 0, LOAD, HW_SPACE_GLOBAL, FULL, 0x1000, 4, 5);        // 4 sectors each
    record(prof, 1, LOAD, HW_SPACE_GLOBAL, FULL, 0x1004, 4, 2);        // 5
    record(prof, 0, LOAD, HW_SPACE_GLOBAL, 0, 0, 4, 9);                // guard false: no request
    record(prof, 0, LOAD, HW_SPACE_CONST, FULL, 0x1000, 4, 1);         // not counted
    record(prof, 0, STORE, HW_SPACE_GLOBAL, FULL, 0x2000, 4096, 3);    // 32
    record(prof, 0, ATOMIC, HW_SPACE_GLOBAL, FULL, 0x2000, 0, 1);      // 1
    record(prof, 0, REDUCTION, HW_SPACE_GLOBAL, FULL, 0x2000, 8, 1);   // 8, ideally 4
    record(prof, 0, WIDE_LOAD, HW_SPACE_GLOBAL, FULL, 0x3000, 8, 1);   // 8 bytes a lane: 8
    record(prof, 0, SECOND_HALF, HW_SPACE_GLOBAL, FULL, 0x3004, 8, 1); // nothing
    const hw_report_launch *l = end(prof, &info);
    assert_int_equal(l->counts[HW_COUNT_GLD_REQUESTS], 8);
    assert_int_equal(l->counts[HW_COUNT_GLD_SECTORS], 5 * 4 + 2 * 5 + 8);
    assert_int_equal(l->counts[HW_COUNT_GLD_SECTORS_IDEAL], 7 * 4 + 8);
    assert_int_equal(l->counts[HW_COUNT_GST_REQUESTS], 3);
    assert_int_equal(l->counts[HW_COUNT_GST_SECTORS], 96);
    assert_int_equal(l->counts[HW_COUNT_GST_SECTORS_IDEAL], 12);
    assert_int_equal(l->counts[HW_COUNT_L2_SECTORS], 38 + 96 + 1 + 8);
    assert_int_equal(l->counts[HW_COUNT_L2_SECTORS_IDEAL], 36 + 12 + 1 + 4);
    assert_int_equal(l->counts[HW_COUNT_LDS_INST], 0);
    assert_int_equal(l->counts[HW_COUNT_LLD_REQUESTS], 0);
    hw_prof_destroy(prof);
}

static void shared_and_local_accesses_by_hand(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    begin(prof, &info);
    record(prof, 0, LOAD, HW_SPACE_SHARED, FULL, 0, 128, 2);       // 32 ways
    record(prof, 0, LOAD, HW_SPACE_SHARED, FULL, 0, 132, 2);       // padded: none
    record(prof, 0, LOAD, HW_SPACE_SHARED, 0, 0, 132, 1);          // executed all the same
    record(prof, 1, STORE, HW_SPACE_SHARED, FULL, 64, 8, 1);       // 2
    record(prof, 1, ATOMIC, HW_SPACE_SHARED, 0xf, 64, 0, 1);       // 4 lanes, one word
    record(prof, 1, WIDE_LOAD, HW_SPACE_SHARED, FULL, 0, 8, 1);    // 8 bytes: 2, which is ideal
    record(prof, 1, LOAD, HW_SPACE_LOCAL, FULL, 8, 0, 3);          // the same word of each thread: 4 sectors
    record(prof, 1, STORE, HW_SPACE_LOCAL, 1, 8, 0, 1);
    const hw_report_launch *l = end(prof, &info);
    assert_int_equal(l->counts[HW_COUNT_LDS_INST], 6);
    assert_int_equal(l->counts[HW_COUNT_STS_INST], 1);
    assert_int_equal(l->counts[HW_COUNT_LDS_WAVEFRONTS], 64 + 2 + 2);
    assert_int_equal(l->counts[HW_COUNT_STS_WAVEFRONTS], 2);
    assert_int_equal(l->counts[HW_COUNT_SMEM_WAVEFRONTS], 68 + 2 + 4);
    assert_int_equal(l->counts[HW_COUNT_SMEM_WAVEFRONTS_IDEAL], 2 + 2 + 2 + 1 + 1);
    assert_int_equal(l->counts[HW_COUNT_LLD_REQUESTS], 3);
    assert_int_equal(l->counts[HW_COUNT_LLD_SECTORS], 12);
    assert_int_equal(l->counts[HW_COUNT_LST_REQUESTS], 1);
    assert_int_equal(l->counts[HW_COUNT_LST_SECTORS], 1);
    assert_int_equal(l->counts[HW_COUNT_L2_SECTORS], 0);
    hw_prof_destroy(prof);
}

// Lanes that mean one word of shared memory, as an H200 counts them ("counted" rows of truth/h200_micro.csv), and as on
// GPUs whose rules are not known: one after the other.
static void atomics_in_one_word(void **state) {
    (void)state;
    static const struct { uint8_t meeting, width; uint16_t passes; bool is_combined; } cases[] = {
        {HW_MEET_ONE_BY_ONE, 4, 32, false}, {HW_MEET_AT_ONCE, 4, 1, false}, {HW_MEET_COMPARING, 4, 64, false},
        {HW_MEET_IN_LOOP, 4, 96, false}, {HW_MEET_IN_WIDE_LOOP, 8, 128, false}, {HW_MEET_ONE_BY_ONE, 4, 1, true}};
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        hw_note own[N_NOTES];
        memcpy(own, notes, sizeof own);
        own[REDUCTION].meeting = cases[i].meeting;
        own[REDUCTION].width_bytes = cases[i].width;
        own[REDUCTION].is_combined = cases[i].is_combined;
        hw_launch_info info = launch_info();
        info.notes = own;
        hw_prof *prof = new_prof(false);
        begin(prof, &info);
        record(prof, 0, REDUCTION, HW_SPACE_SHARED, FULL, 64, 0, 1);
        assert_int_equal(end(prof, &info)->counts[HW_COUNT_SMEM_WAVEFRONTS], cases[i].passes);
        hw_prof_destroy(prof);
        assert_int_equal(hw_prof_create(hw_gpu_find("k40"), NULL, &prof, NULL), HW_OK);
        assert_int_equal(hw_prof_sink(prof)->launch_begin(hw_prof_sink(prof), &info, NULL), HW_OK);
        record(prof, 0, REDUCTION, HW_SPACE_SHARED, FULL, 64, 0, 1);
        assert_int_equal(end(prof, &info)->counts[HW_COUNT_SMEM_WAVEFRONTS], 32);
        hw_prof_destroy(prof);
    }
}

static uint64_t wide_passes(uint32_t mask, int64_t step) {
    hw_note own[N_NOTES];
    memcpy(own, notes, sizeof own);
    own[REDUCTION].meeting = HW_MEET_IN_WIDE_LOOP;
    own[REDUCTION].width_bytes = 8;
    hw_launch_info info = launch_info();
    info.notes = own;
    hw_prof *prof = new_prof(false);
    begin(prof, &info);
    record(prof, 0, REDUCTION, HW_SPACE_SHARED, mask, 64, step, 1);
    const uint64_t passes = end(prof, &info)->counts[HW_COUNT_SMEM_WAVEFRONTS];
    hw_prof_destroy(prof);
    return passes;
}

// Additions to 64 bits in shared memory are loops by half-warps: an H200 counts 6 passes where all lanes have words of
// their own (truth/h200_micro.csv), 3 for one lane (truth/h200_fresh_programs.csv, jacobiCudaGraphs).
static void wide_atomics_by_half_warps(void **state) {
    (void)state;
    assert_int_equal(wide_passes(FULL, 8), 6);
    assert_int_equal(wide_passes(1, 8), 3);
    assert_int_equal(wide_passes(0xffff, 0), 16 * 3);
}

// What is remembered must never be what is counted for something else: the sum over many random records equals the sum
// of launches of one record each.
static void memory_of_patterns_changes_no_count(void **state) {
    (void)state;
    enum { RECORDS = 3000 };
    hw_prof *together = new_prof(false), *alone = new_prof(false);
    hw_launch_info info = launch_info();
    uint64_t sums[HW_COUNTERS] = {0};
    static const uint8_t spaces[] = {HW_SPACE_GLOBAL, HW_SPACE_SHARED, HW_SPACE_LOCAL};
    begin(together, &info);
    srand(3);
    for (int i = 0; i < RECORDS; i++) {
        static const uint32_t which[] = {LOAD, STORE, ATOMIC, REDUCTION, WIDE_LOAD};
        uint32_t note = which[rand() % 5], mask = rand() % 2 ? FULL : (uint32_t)(rand() % 16);
        uint8_t space = spaces[rand() % 3];
        uint64_t base = (uint64_t)(rand() % 300) * 4, repeat = 1 + (uint64_t)(rand() % 9);
        int64_t step = rand() % 9 * 4;
        record(together, (uint32_t)(rand() % 2), note, space, mask, base, step, repeat);
        begin(alone, &info);
        record(alone, 0, note, space, mask, base, step, repeat);
        const hw_report_launch *l = end(alone, &info);
        for (int k = 0; k < HW_COUNTERS; k++) sums[k] += l->counts[k];
    }
    const hw_report_launch *l = end(together, &info);
    for (int k = 0; k < HW_COUNTERS; k++) assert_int_equal(l->counts[k], sums[k]);
    assert_int_equal(hw_prof_report(alone)->n_launches, RECORDS);
    hw_prof_destroy(together);
    hw_prof_destroy(alone);
}

// An index whose serial is another has other addresses, within a launch and in the next.
static void an_index_is_given_to_another_pattern(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    hw_sink *sink = hw_prof_sink(prof);
    hw_access_pattern pattern = {.index = 4 * LOAD + 1, .mask = FULL, .space = HW_SPACE_GLOBAL};
    const hw_access access = {.note = LOAD, .kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .width_bytes = 4,
                              .base = 0x1000, .pattern = &pattern, .repeat = 1};
    begin(prof, &info);
    for (int i = 0; i < 100; i++) {
        pattern.serial++;
        for (int t = 0; t < 32; t++) pattern.delta[t] = i % 2 ? 4 * t : 512 * t;
        sink->access(sink, 0, &access);
        sink->access(sink, 0, &access);
    }
    assert_int_equal(end(prof, &info)->counts[HW_COUNT_GLD_SECTORS], 2 * (50 * 4 + 50 * 32));
    begin(prof, &info);
    pattern.serial++;
    pattern.mask = 1;
    sink->access(sink, 0, &access);
    assert_int_equal(end(prof, &info)->counts[HW_COUNT_GLD_SECTORS], 1);
    hw_prof_destroy(prof);
}

static void records_that_make_no_sense_are_ignored(void **state) {
    (void)state;
    hw_prof *prof = new_prof(true);
    hw_launch_info info = launch_info();
    hw_sink *sink = hw_prof_sink(prof);
    const hw_access_pattern pattern = {.index = 0, .mask = FULL, .serial = 1, .space = HW_SPACE_GLOBAL};
    hw_access access = {.note = LOAD, .kind = HW_NOTE_LOAD, .space = HW_SPACE_GLOBAL, .pattern = &pattern,
                        .repeat = 1};
    sink->access(sink, 0, &access);   // no launch runs
    sink->launch_end(sink, &info, 0, HW_OK);
    assert_int_equal(hw_prof_report(prof)->n_launches, 0);
    begin(prof, &info);
    sink->access(sink, 2, &access);
    access.note = N_NOTES;
    sink->access(sink, 0, &access);
    access.note = PLAIN;
    sink->access(sink, 0, &access);
    sink->branch(sink, 0, &(hw_branched){N_NOTES, 1, 1});
    sink->branch(sink, 99, &(hw_branched){0, 1, 1});
    sink->guarded_off(sink, 0, &(hw_guarded_off){UINT32_MAX, 1});
    sink->executed(sink, 0, &(hw_executed){.first_note = N_NOTES - 1, .count = 2, .warps = 1, .lanes = 1});
    sink->executed(sink, 0, &(hw_executed){.first_note = UINT32_MAX, .count = 2, .warps = 1, .lanes = 1});
    const hw_report_launch *l = end(prof, &info);
    for (int i = 0; i < HW_COUNTERS; i++) assert_int_equal(l->counts[i], 0);
    hw_prof_destroy(prof);
}

static void a_program_without_instructions(void **state) {
    (void)state;
    hw_prof *prof = new_prof(true);
    hw_launch_info info = launch_info();
    info.n_notes = 0;
    info.notes = NULL;
    info.n_files = 0;
    info.files = NULL;
    begin(prof, &info);
    end(prof, &info);
    assert_int_equal(hw_prof_report(prof)->n_launches, 1);
    assert_int_equal(hw_prof_report(prof)->kernels[0].n_lines, 0);
    hw_prof_destroy(prof);
}

static void lines_are_sorted_and_added_up(void **state) {
    (void)state;
    hw_prof *prof = new_prof(true);
    hw_launch_info info = launch_info();
    hw_sink *sink = hw_prof_sink(prof);
    for (int launch = 0; launch < 3; launch++) {
        begin(prof, &info);
        sink->executed(sink, 0, &(hw_executed){.first_note = 0, .count = BARRIER, .warps = 1, .lanes = 32});
        hw_executed barrier = {.first_note = BARRIER, .count = 1, .warps = 2, .lanes = 3};
        if (launch == 1) sink->executed(sink, 1, &barrier);
        record(prof, 1, LOAD, HW_SPACE_GLOBAL, FULL, 0x1000, 4, 1);
        end(prof, &info);
    }
    hw_launch_info other = launch_info();
    other.kernel = "plain_name";
    begin(prof, &other);
    end(prof, &other);
    const hw_report *report = hw_prof_report(prof);
    assert_int_equal(report->n_launches, 4);
    assert_int_equal(report->n_kernels, 2);
    assert_true(report->has_lines);
    assert_string_equal(report->kernels[1].kernel, "plain_name");
    assert_int_equal(report->kernels[1].n_lines, 0);
    const hw_report_kernel *k = &report->kernels[0];
    assert_int_equal(k->launches, 3);
    // "" (no line, file out of range), a.cuh:3, b.cu:9, b.cu:10; b.cu:12 was never executed
    assert_int_equal(k->n_lines, 4);
    assert_string_equal(k->lines[0].file, "");
    assert_int_equal(k->lines[0].line, 0);
    assert_int_equal(k->lines[0].counts[HW_COUNT_INST], 6);
    assert_string_equal(k->lines[1].file, "a.cuh");
    assert_int_equal(k->lines[1].counts[HW_COUNT_GLD_SECTORS], 12);
    assert_int_equal(k->lines[1].counts[HW_COUNT_THREAD_INST], 96);
    assert_string_equal(k->lines[2].file, "b.cu");
    assert_int_equal(k->lines[2].line, 9);
    assert_int_equal(k->lines[2].counts[HW_COUNT_INST], 5);
    assert_int_equal(k->lines[2].counts[HW_COUNT_BARRIERS], 2);
    assert_int_equal(k->lines[3].line, 10);
    assert_int_equal(k->lines[3].counts[HW_COUNT_INST], 6);
    uint64_t inst = 0, by_launch = 0;
    for (size_t i = 0; i < k->n_lines; i++) inst += k->lines[i].counts[HW_COUNT_INST];
    for (size_t i = 0; i < 3; i++) by_launch += report->launches[i].counts[HW_COUNT_INST];
    assert_int_equal(inst, by_launch);
    hw_prof_destroy(prof);
}

static void more_workers_and_instructions_later(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_sink *sink = hw_prof_sink(prof);
    enum { MANY = 3000 };
    hw_note *many = calloc(MANY, sizeof *many);
    for (int i = 0; i < MANY; i++) many[i] = (hw_note){.kind = HW_NOTE_LOAD, .width_bytes = 4, .merged_bytes = 4};
    hw_launch_info small = launch_info(), large = launch_info();
    large.notes = many;
    large.n_notes = MANY;
    large.n_workers = 9;
    for (int round = 0; round < 3; round++) {
        begin(prof, &small);
        record(prof, 1, LOAD, HW_SPACE_GLOBAL, FULL, 0, 4, 1);
        assert_int_equal(end(prof, &small)->counts[HW_COUNT_GLD_SECTORS], 4);
        begin(prof, &large);
        int64_t delta[32] = {0};
        for (uint32_t i = 0; i < MANY; i++) {
            tell_access(sink, i % 9, many, i, HW_SPACE_GLOBAL, FULL, delta, 0, 1);
        }
        assert_int_equal(end(prof, &large)->counts[HW_COUNT_GLD_SECTORS], MANY);
    }
    hw_prof_destroy(prof);
    free(many);
}

// What a worker without blocks counted in an earlier launch is none of this one's.
static void idle_workers_count_nothing(void **state) {
    (void)state;
    hw_prof *prof = new_prof(false);
    hw_sink *sink = hw_prof_sink(prof);
    hw_launch_info info = launch_info();
    info.n_workers = 4;
    for (uint32_t first = 0; first < info.n_workers; first++) {
        begin(prof, &info);
        for (uint32_t worker = first; worker < info.n_workers; worker += 2)
            sink->executed(sink, worker, &(hw_executed){.first_note = 0, .count = 3, .warps = 1, .lanes = 32});
        const hw_report_launch *l = end(prof, &info);
        assert_int_equal(l->counts[HW_COUNT_INST], 3 * ((info.n_workers - first + 1) / 2));
    }
    hw_prof_destroy(prof);
}

// Warps whose lanes are 1 to n words apart, told by so many workers in turns.
static hw_time_work work_of_strides(uint32_t n, uint32_t n_workers) {
    hw_prof *prof = new_prof(false);
    hw_launch_info info = launch_info();
    info.n_workers = n_workers;
    begin(prof, &info);
    for (uint32_t i = 0; i < 2 * n; i++)
        record(prof, i % n_workers, LOAD, HW_SPACE_GLOBAL, FULL, 0x10000u * i, 4 * (1 + i / 2), 1);
    const hw_time_work work = end(prof, &info)->work;
    hw_prof_destroy(prof);
    return work;
}

// An instruction has many patterns or few whether one worker meets them all or each some.
static void work_does_not_depend_on_workers(void **state) {
    (void)state;
    for (uint32_t n = 1; n <= 6; n++) {
        const hw_time_work alone = work_of_strides(n, 1);
        assert_true(alone.load_bytes);
        for (uint32_t n_workers = 2; n_workers <= 8; n_workers++) {
            const hw_time_work together = work_of_strides(n, n_workers);
            assert_memory_equal(&together, &alone, sizeof alone);
        }
    }
}

static void every_allocation_may_fail(void **state) {
    (void)state;
    hw_diag diag;
    hw_launch_info info = launch_info(), other = launch_info();
    other.kernel = "_Z5otherv";
    int created = 0, begun = 0;
    for (long n = 0; !begun; n++) {
        hw_prof *prof;
        diag = (hw_diag){0};
        hw_alloc_fail_after(n);
        hw_status status = hw_prof_create(hw_gpu_find("h200"), &(hw_prof_options){.lines = true}, &prof, &diag);
        if (status) {
            hw_alloc_fail_after(-1);
            assert_int_equal(status, HW_NO_MEMORY);
            assert_null(prof);
            assert_true(diag.text[0]);
            continue;
        }
        created++;
        hw_sink *sink = hw_prof_sink(prof);
        status = sink->launch_begin(sink, &info, &diag);
        hw_alloc_fail_after(-1);
        if (status) {
            assert_int_equal(status, HW_NO_MEMORY);
            assert_true(diag.text[0]);
            assert_int_equal(hw_prof_report(prof)->n_kernels, 0);
            record(prof, 0, LOAD, HW_SPACE_GLOBAL, FULL, 0, 4, 1);   // ignored
            begin(prof, &other);                                    // and all is well afterwards
            record(prof, 0, LOAD, HW_SPACE_GLOBAL, FULL, 0, 4, 1);
            assert_int_equal(end(prof, &other)->counts[HW_COUNT_GLD_SECTORS], 4);
            assert_int_equal(hw_prof_report(prof)->n_kernels, 1);
        } else {
            begun++;
            record(prof, 0, LOAD, HW_SPACE_GLOBAL, FULL, 0, 4, 1);
            assert_int_equal(end(prof, &info)->counts[HW_COUNT_GLD_SECTORS], 4);
        }
        hw_prof_destroy(prof);
        assert_true(n < 1000);
    }
    assert_true(created > 5);
    hw_prof_destroy(NULL);
}

static void names_are_demangled(void **state) {
    (void)state;
    char out[64], tiny[4], *huge = malloc(40001);
    assert_string_equal(hw_demangle("_Z13transposeSmemILi32ELi16ELi0EEvPfPKfii", out, sizeof out),
                        "void transposeSmem<32, 16, 0>(float*, float const*, int, int)");
    assert_string_equal(hw_demangle("main", out, sizeof out), "main");
    assert_string_equal(hw_demangle("_Z", out, sizeof out), "_Z");
    assert_string_equal(hw_demangle("_Znot", out, sizeof out), "_Znot");
    assert_string_equal(hw_demangle("", out, sizeof out), "");
    assert_string_equal(hw_demangle("_Z4copyPf", tiny, sizeof tiny), "cop");
    assert_string_equal(hw_demangle("plain", tiny, sizeof tiny), "pla");
    assert_string_equal(hw_demangle("_Z4copyPf", tiny, 1), "");
    memset(huge, 'P', 40000);   // a pointer to a pointer to a ...
    memcpy(huge, "_Z1f", 4);
    huge[40000] = 0;
    assert_int_equal(strlen(hw_demangle(huge, out, sizeof out)), sizeof out - 1);
    huge[8000] = 0;
    hw_demangle(huge, out, sizeof out);
    free(huge);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(nothing_counts_nothing),
        cmocka_unit_test(copies_of_a_function_are_one_in_machine_code),
        cmocka_unit_test(instructions_are_ranges),
        cmocka_unit_test(lone_accesses_count_alike), cmocka_unit_test(packed_accesses_count_alike),
        cmocka_unit_test(global_accesses_by_hand),
        cmocka_unit_test(shared_and_local_accesses_by_hand),
        cmocka_unit_test(atomics_in_one_word), cmocka_unit_test(wide_atomics_by_half_warps),
        cmocka_unit_test(memory_of_patterns_changes_no_count),
        cmocka_unit_test(an_index_is_given_to_another_pattern),
        cmocka_unit_test(records_that_make_no_sense_are_ignored),
        cmocka_unit_test(a_program_without_instructions),
        cmocka_unit_test(lines_are_sorted_and_added_up),
        cmocka_unit_test(more_workers_and_instructions_later),
        cmocka_unit_test(idle_workers_count_nothing),
        cmocka_unit_test(work_does_not_depend_on_workers),
        cmocka_unit_test(every_allocation_may_fail),
        cmocka_unit_test(names_are_demangled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
