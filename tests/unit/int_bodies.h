// What the tests of integer, conversion and warp bodies share: finding a body at every level that this processor runs,
// and running it under masks and with the destination on top of a source.
#ifndef HW_TESTS_INT_BODIES_H
#define HW_TESTS_INT_BODIES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "exec/ops/lanes.h"
#include "exec/ops/level.h"

// ---- levels and tables ----

enum { MAX_LEVELS = 3 };
static const hw_level *int_levels[MAX_LEVELS];
static int n_int_levels;

// Those that were built and that this processor runs.
static inline int find_int_levels(void **state) {
    const hw_level *level;
    (void)state;
    n_int_levels = 0;
    for (size_t i = 0; (level = hw_level_at(i)); i++)
        if (hw_level_runs_here(level)) int_levels[n_int_levels++] = level;
    return 0;
}

static inline hw_body int_body(int level, const char *name) {
    hw_body_id id = hw_body_find(name);
    if (!id) fail_msg("no body is named %s", name);
    return hw_level_forms(int_levels[level], id)->body;
}

// ---- inputs ----

static uint64_t random_state = 0x2545f4914f6cdd1dull;
static inline uint64_t random_64(void) {
    random_state ^= random_state << 13;
    random_state ^= random_state >> 7;
    random_state ^= random_state << 17;
    return random_state;
}

static inline uint64_t low_bits(unsigned bits) { return bits >= 64 ? ~0ull : ((uint64_t)1 << bits) - 1; }

// Half edges, half random.
static inline uint64_t int_input(unsigned bits) {
    static const uint64_t edges[] = {0, 1, 2, 3, 7, 8, 15, 16, 31, 32, 33, 63, 64, 65, 127, 128, 255, 256, 257};
    uint64_t r = random_64(), top = (uint64_t)1 << (bits - 1);
    switch (r >> 60) {
    case 0: return 0;
    case 1: return top & low_bits(bits);
    case 2: return top - 1;
    case 3: return low_bits(bits);
    case 4: return (0 - (r & 3)) & low_bits(bits);
    case 5: case 6: case 7: return edges[r % (sizeof edges / sizeof *edges)] & low_bits(bits);
    // Halfway between two floats, or just beside: 25 significant bits (12 and 9 for the narrow ones), few far below.
    case 8: case 9: r = (r >> (r & 16 ? 31 : r & 8 ? 44 : 47) & 0x1ffffff) << (r & 32 ? 39 : 7) | (r >> 6 & 1);
        return r & low_bits(bits);
    default: return r >> (r >> 56 & 3 ? 0 : 17) & low_bits(bits);
    }
}

// ---- one instruction at work ----

// Registers of the instruction under test, with guard bytes behind each.
enum { SLOT_D = 0, SLOT_A = 320, SLOT_B = 640, SLOT_C = 960, SLOT_E = 1280, SLOT_P = 1600, FRAME_BYTES = 1664 };
enum { GUARD = 0x5a };

typedef struct int_bench {
    _Alignas(64) char frame[FRAME_BYTES];
    hw_warp warp;
    hw_inst insts[2];
} int_bench;

static const hw_inst *stop_here(hw_warp *warp, const hw_inst *inst) {
    (void)warp;
    return inst;
}

static inline void bench_start(int_bench *t, uint32_t mask) {
    memset(t, 0, sizeof *t);
    memset(t->frame, GUARD, sizeof t->frame);
    for (int k = 0; k < 4; k++) hw_set_base(&t->warp, (hw_base)k, t->frame);
    t->warp.mask = mask;
    for (int i = 0; i < 32; i++) t->warp.lanes[i] = -(int32_t)(mask >> i & 1);
    t->insts[0] = (hw_inst){.d = SLOT_D, .a = SLOT_A, .b = SLOT_B, .c = SLOT_C, .e = HW_NO_SLOT, .p = HW_NO_SLOT};
    t->insts[1].body = stop_here;
}

// Bits 8 and below lie in 16-bit lanes; 1 is a predicate.
static inline uint64_t get_lane(const int_bench *t, hw_slot slot, unsigned bits, int lane) {
    const char *at = t->frame + slot;
    switch (bits) {
    case 1: return *(const uint32_t *)at >> lane & 1;
    case 32: return ((const uint32_t *)at)[lane];
    case 64: return ((const uint64_t *)at)[lane];
    default: return ((const uint16_t *)at)[lane];
    }
}

static inline void set_lane(int_bench *t, hw_slot slot, unsigned bits, int lane, uint64_t value) {
    char *at = t->frame + slot;
    switch (bits) {
    case 1: *(uint32_t *)at = (*(uint32_t *)at & ~(1u << lane)) | (uint32_t)(value & 1) << lane; break;
    case 32: ((uint32_t *)at)[lane] = (uint32_t)value; break;
    case 64: ((uint64_t *)at)[lane] = value; break;
    default: ((uint16_t *)at)[lane] = (uint16_t)value; break;
    }
}

static inline unsigned slot_bytes(unsigned bits) { return bits == 1 ? 4 : bits <= 16 ? 64 : 4 * bits; }

// Runs the body of that name; the instruction must be followed by the next one and write nothing behind its registers.
static inline void bench_run(int_bench *t, int level, const char *name) {
    const hw_inst *next = int_body(level, name)(&t->warp, &t->insts[0]);
    if (next != &t->insts[1]) fail_msg("%s does not go on with the next instruction", name);
}

static inline void check_guard(const int_bench *t, hw_slot slot, unsigned bits, const char *name) {
    for (unsigned k = slot_bytes(bits); k < 320; k++)
        if (slot + k < FRAME_BYTES && t->frame[slot + k] != GUARD) fail_msg("%s writes behind its register", name);
}

static const uint32_t test_masks[] = {0xffffffffu, 1, 0x80000000u, 0x0000ffffu, 0xaaaaaaaau, 0x7ffffffeu, 0x00018000u};
enum { TEST_MASKS = sizeof test_masks / sizeof *test_masks };

// What the lane of d has to be, from the bits of the sources a, b, c, e.
typedef uint64_t (*int_reference)(const void *context, const uint64_t *x);

// Compares a body with its reference, at all levels, under all masks, with d apart and d on top of each source.
// bits: of d, then of each source.
static inline void check_body(const char *name, const unsigned *bits, int n_sources, int_reference reference,
                              const void *context, void (*prepare)(hw_inst *inst, const void *context)) {
    static const hw_slot slots[] = {SLOT_A, SLOT_B, SLOT_C, SLOT_E};
    int_bench t;
    for (int level = 0; level < n_int_levels; level++) {
        for (int round = 0; round < 4 * TEST_MASKS; round++) {
            uint32_t mask = test_masks[round % TEST_MASKS];
            int on_source = round / TEST_MASKS - 1;    // -1: apart
            if (on_source >= n_sources || (on_source >= 0 && bits[1 + on_source] != bits[0])) continue;
            bench_start(&t, mask);
            if (n_sources == 4) t.insts[0].e = SLOT_E;
            if (on_source >= 0) t.insts[0].d = slots[on_source];
            if (prepare) prepare(&t.insts[0], context);
            uint64_t x[32][4], old[32];
            for (int i = 0; i < 32; i++) {
                set_lane(&t, SLOT_D, bits[0], i, random_64());
                for (int k = 0; k < n_sources; k++) {
                    x[i][k] = int_input(bits[1 + k]);
                    set_lane(&t, slots[k], bits[1 + k], i, x[i][k]);
                    x[i][k] = get_lane(&t, slots[k], bits[1 + k], i);
                }
                old[i] = get_lane(&t, t.insts[0].d, bits[0], i);
            }
            bench_run(&t, level, name);
            for (int i = 0; i < 32; i++) {
                uint64_t got = get_lane(&t, t.insts[0].d, bits[0], i);
                unsigned width = bits[0] == 8 ? 16 : bits[0];
                uint64_t want = mask >> i & 1 ? reference(context, x[i]) & low_bits(width) : old[i];
                if (got != want)
                    fail_msg("%s (%s, mask %08x, lane %d, d on source %d) of %llx %llx %llx: %llx, not %llx", name,
                             int_levels[level]->name, mask, i, on_source, (unsigned long long)x[i][0],
                             (unsigned long long)(n_sources > 1 ? x[i][1] : 0),
                             (unsigned long long)(n_sources > 2 ? x[i][2] : 0), (unsigned long long)got,
                             (unsigned long long)want);
            }
            check_guard(&t, SLOT_D, bits[0], name);
            for (int k = 0; k < n_sources; k++) check_guard(&t, slots[k], bits[1 + k], name);
        }
    }
}

#endif
