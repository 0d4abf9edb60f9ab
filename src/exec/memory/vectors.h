// Vectors of two or four registers, whose elements are as wide as these: one access of the processor's for each lane,
// of 8 or 16 bytes, and the lanes' elements turned into registers or back. Quicker than one access for each element,
// and whole besides (whole.h).
#ifndef HW_EXEC_MEMORY_VECTORS_H
#define HW_EXEC_MEMORY_VECTORS_H

#include <string.h>

#include "exec/warp/warp.h"

typedef uint32_t hw_four_words __attribute__((vector_size(16), may_alias, aligned(1)));
typedef uint64_t hw_two_longs __attribute__((vector_size(16), may_alias, aligned(1)));
typedef uint64_t hw_one_long __attribute__((may_alias, aligned(1)));

// Is the access one of these? Local memory is none: its words lie by lanes.
static inline bool hw_is_quick_vector(const hw_inst *in) {
    const uint32_t bytes = (uint32_t)in->width * in->vector;
    return in->vector > 1 && in->width == in->reg_bytes && in->width >= 4 && (bytes == 8 || bytes == 16);
}

// A transpose of 4 x 4 words: the rows of four lanes as the columns that four registers have of them, or back.
static inline void hw_transpose_fours(hw_four_words v[4]) {
    const hw_four_words low = __builtin_shufflevector(v[0], v[1], 0, 4, 1, 5);
    const hw_four_words high = __builtin_shufflevector(v[0], v[1], 2, 6, 3, 7);
    const hw_four_words low_too = __builtin_shufflevector(v[2], v[3], 0, 4, 1, 5);
    const hw_four_words high_too = __builtin_shufflevector(v[2], v[3], 2, 6, 3, 7);
    v[0] = __builtin_shufflevector(low, low_too, 0, 1, 4, 5);
    v[1] = __builtin_shufflevector(low, low_too, 2, 3, 6, 7);
    v[2] = __builtin_shufflevector(high, high_too, 0, 1, 4, 5);
    v[3] = __builtin_shufflevector(high, high_too, 2, 3, 6, 7);
}

static inline void hw_load_fours(const hw_warp *w, const uint64_t at[32], uint32_t *const r[4]) {
    if (!HW_ALL_ON(w)) {
        HW_EACH_ACTIVE_LANE(const hw_four_words v = *(const volatile hw_four_words *)(uintptr_t)at[i];
                            for (int e = 0; e < 4; e++) r[e][i] = v[e]);
        return;
    }
    for (int i = 0; i < 32; i += 4) {
        hw_four_words v[4];
        for (int k = 0; k < 4; k++) v[k] = *(const volatile hw_four_words *)(uintptr_t)at[i + k];
        hw_transpose_fours(v);
        for (int e = 0; e < 4; e++) *(hw_four_words *)(r[e] + i) = v[e];
    }
}

static inline void hw_store_fours(const hw_warp *w, const uint64_t at[32], uint32_t *const r[4]) {
    for (int i = 0; i < 32; i += 4) {
        hw_four_words v[4];
        for (int e = 0; e < 4; e++) v[e] = *(const hw_four_words *)(r[e] + i);
        hw_transpose_fours(v);
        for (int k = 0; k < 4; k++)
            if (w->lanes[i + k]) *(volatile hw_four_words *)(uintptr_t)at[i + k] = v[k];
    }
}

// registers: of in->vector elements. One that is none takes what nobody wants.
static inline void hw_load_vectors(const hw_warp *w, const hw_inst *in, const hw_slot *registers,
                                   const uint64_t at[32]) {
    uint64_t nowhere[32];
    void *r[4];
    for (uint32_t e = 0; e < in->vector; e++) r[e] = registers[e] == HW_NO_SLOT ? nowhere : hw_at(w, registers[e]);
    if (in->vector == 4) {
        hw_load_fours(w, at, (uint32_t *const[4]){r[0], r[1], r[2], r[3]});
    } else if (in->width == 4) {
        uint32_t *low = r[0], *high = r[1];
        HW_EACH_ACTIVE_LANE(const uint64_t v = *(const volatile hw_one_long *)(uintptr_t)at[i];
                            low[i] = (uint32_t)v; high[i] = (uint32_t)(v >> 32));
    } else {
        uint64_t *low = r[0], *high = r[1];
        HW_EACH_ACTIVE_LANE(const hw_two_longs v = *(const volatile hw_two_longs *)(uintptr_t)at[i];
                            low[i] = v[0]; high[i] = v[1]);
    }
}

static inline void hw_store_vectors(const hw_warp *w, const hw_inst *in, const hw_slot *registers,
                                    const uint64_t at[32]) {
    void *r[4];
    for (uint32_t e = 0; e < in->vector; e++) r[e] = hw_at(w, registers[e]);
    if (in->vector == 4) {
        hw_store_fours(w, at, (uint32_t *const[4]){r[0], r[1], r[2], r[3]});
    } else if (in->width == 4) {
        const uint32_t *low = r[0], *high = r[1];
        HW_EACH_ACTIVE_LANE(*(volatile hw_one_long *)(uintptr_t)at[i] = low[i] | (uint64_t)high[i] << 32);
    } else {
        const uint64_t *low = r[0], *high = r[1];
        HW_EACH_ACTIVE_LANE(hw_two_longs v = {low[i]}; v[1] = high[i];
                            *(volatile hw_two_longs *)(uintptr_t)at[i] = v);
    }
}

#endif
