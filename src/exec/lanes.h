// What a body sees: the warp's lanes, and the loops over them that the compiler turns into vector code.
//
// Files that include this are compiled once per instruction-set level (baseline, AVX2, AVX-512) and export one table
// each, named with HW_LEVEL_NAME. Everything else in them is static.
#ifndef HW_EXEC_LANES_H
#define HW_EXEC_LANES_H

#include <stdint.h>

#include "lower/program.h"

#ifndef HW_LEVEL
#define HW_LEVEL base
#endif
#define HW_PASTE2(a, b) a##_##b
#define HW_PASTE(a, b) HW_PASTE2(a, b)
#define HW_LEVEL_NAME(name) HW_PASTE(name, HW_LEVEL)

// The part of a warp that bodies touch; exec's own bookkeeping lies behind it (exec/warp.h).
struct hw_warp {
    char *base[4];               // by hw_base
    uint32_t mask;               // active lanes, never 0 while a body runs
    uint32_t carry;              // condition code CC.CF, bit i for lane i
    _Alignas(64) int32_t lanes[32];   // -1 in active lanes, else 0; kept equal to mask
};

typedef struct hw_body_row {
    const char *name;            // as lower spells it (lower/program.h)
    hw_body body;
} hw_body_row;

// A table ends with a row whose name is NULL.

static inline void *hw_at(const hw_warp *w, hw_slot slot) { return w->base[slot & 3] + (slot & ~3u); }

// d[i] = value for every active lane i; value is an expression in i. Lanes that are off keep what they had.
// d may be the same slot as a source.
#define HW_LANES(d, value)                                                                         \
    do {                                                                                           \
        if (__builtin_expect(w->mask == 0xffffffffu, 1)) {                                         \
            _Pragma("GCC ivdep") for (int i = 0; i < 32; i++)(d)[i] = (value);                     \
        } else {                                                                                   \
            const int32_t *on = w->lanes;                                                          \
            _Pragma("GCC ivdep") for (int i = 0; i < 32; i++)(d)[i] = on[i] ? (value) : (d)[i];    \
        }                                                                                          \
    } while (0)

// For values that take a function call or a loop per lane: runs statement for active lanes only.
#define HW_EACH_ACTIVE_LANE(statement)                                                             \
    do {                                                                                           \
        for (uint32_t left_ = w->mask; left_; left_ &= left_ - 1) {                                \
            int i = __builtin_ctz(left_);                                                          \
            statement;                                                                             \
        }                                                                                          \
    } while (0)

// One bit per lane out of 32 lanes of 0 or -1.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#include <immintrin.h>
static inline uint32_t hw_pack_lanes(const int32_t *v) {
    return (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(v)) |
           (uint32_t)_mm512_movepi32_mask(_mm512_loadu_si512(v + 16)) << 16;
}
#elif defined(__AVX2__)
#include <immintrin.h>
static inline uint32_t hw_pack_lanes(const int32_t *v) {
    uint32_t mask = 0;
    for (int i = 0; i < 4; i++)
        mask |= (uint32_t)_mm256_movemask_ps(_mm256_loadu_ps((const float *)(v + 8 * i))) << 8 * i;
    return mask;
}
#elif defined(__SSE2__)
#include <emmintrin.h>
static inline uint32_t hw_pack_lanes(const int32_t *v) {
    uint32_t mask = 0;
    for (int i = 0; i < 8; i++)
        mask |= (uint32_t)_mm_movemask_ps(_mm_loadu_ps((const float *)(v + 4 * i))) << 4 * i;
    return mask;
}
#else
static inline uint32_t hw_pack_lanes(const int32_t *v) {
    uint32_t mask = 0;
    for (int i = 0; i < 32; i++) mask |= ((uint32_t)v[i] >> 31) << i;
    return mask;
}
#endif

// Predicates: one bit per lane.
static inline uint32_t hw_pred(const hw_warp *w, hw_slot slot) { return *(uint32_t *)hw_at(w, slot); }
static inline void hw_set_pred(const hw_warp *w, hw_slot slot, uint32_t value) {
    uint32_t *p = hw_at(w, slot);
    *p = (*p & ~w->mask) | (value & w->mask);
}

#endif
