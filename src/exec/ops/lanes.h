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

// The part of a warp that bodies touch; exec's own bookkeeping lies behind it (exec/warp/warp.h).
struct hw_warp {
    char *base[4];               // by hw_base; set by hw_set_base
    uint32_t mask;               // active lanes, never 0 while a body runs
    uint32_t carry;              // condition code CC.CF, bit i for lane i
    const hw_slot *slots;        // of the running program: registers of vector instructions
    uint32_t convoy;             // of the first warp of a convoy: how many they are
    _Alignas(64) int32_t lanes[32];   // -1 in active lanes, else 0; kept equal to mask
};

typedef struct hw_body_forms {
    hw_body body;
    hw_body convoy;              // the same for a convoy; NULL: executed warp by warp
} hw_body_forms;

// A convoy is several warps of a block that execute each instruction together, all lanes on (convoy.c). Its bodies get
// the first warp; the others lie behind it.
enum { HW_CONVOY_MAX = 8, HW_WARP_BYTES = 1984 };
static inline hw_warp *hw_next_warp(hw_warp *w) { return (hw_warp *)((char *)w + HW_WARP_BYTES); }

// Runs a statement for each warp w of the convoy, `in` being a copy that what the statement writes cannot change: the
// compiler keeps its fields in registers, unless the copy's address is passed on.
#define HW_EACH_WARP(...)                                                                          \
    do {                                                                                           \
        const hw_inst copy_ = *in;                                                                 \
        hw_warp *first_ = w;                                                                       \
        for (uint32_t left_ = first_->convoy; left_; left_--, first_ = hw_next_warp(first_)) {     \
            hw_warp *w = first_;                                                                   \
            const hw_inst *in = &copy_;                                                            \
            __VA_ARGS__                                                                            \
        }                                                                                          \
    } while (0)

// A body's convoy form, or both its forms, out of what it does for one warp: function_lanes(w, in), inline.
#define HW_CONVOY_FORM(function)                                                                   \
    static const hw_inst *function##_convoy(hw_warp *w, const hw_inst *in) {                       \
        HW_EACH_WARP(function##_lanes(w, in););                                                    \
        HW_NEXT(w, in);                                                                            \
    }
#define HW_BOTH_FORMS(function)                                                                    \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                                \
        function##_lanes(w, in);                                                                   \
        HW_NEXT(w, in);                                                                            \
    }                                                                                              \
    HW_CONVOY_FORM(function)

// How a body ends that neither waits nor branches: on to the next instruction. Jumping there from the body, instead of
// returning to exec's loop, gives each body its own indirect jump for the processor to predict and saves the loop (a
// third of the time of a simple body). Not where frames would pile up instead: without optimisation, and under
// AddressSanitizer. Bodies that exec calls for themselves (the warp-level ones: shfl, vote, ...) return in + 1.
#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define HW_BODIES_RETURN
#endif
#endif
#if !defined(__OPTIMIZE__) || defined(__SANITIZE_ADDRESS__)
#define HW_BODIES_RETURN
#endif
#ifdef HW_BODIES_RETURN
#define HW_NEXT(w, in) return (in) + 1
#else
#define HW_NEXT(w, in) return (in)[1].body((w), (in) + 1)
#endif

// The same for bodies that choose the next instruction, which may be NULL.
#ifdef HW_BODIES_RETURN
#define HW_GO_ON(w, next) return (next)
#else
#define HW_GO_ON(w, next)                                                                          \
    do {                                                                                           \
        const hw_inst *next_ = (next);                                                             \
        return next_ ? next_->body((w), next_) : NULL;                                             \
    } while (0)
#endif

// base[k] points k bytes before what it is about, so that a slot need not be cleared of its two lowest bits.
static inline void hw_set_base(hw_warp *w, hw_base base, char *memory) {
    w->base[base] = (char *)((uintptr_t)memory - base);   // as a number: the pointer leaves its object
}
static inline void *hw_at(const hw_warp *w, hw_slot slot) { return w->base[slot & 3] + slot; }

// Before a loop over lanes: they do not depend on each other, whatever slots overlap. clang must also be kept from
// unrolling the loop before it vectorises it.
#if defined(__clang__)
#define HW_LANE_LOOP _Pragma("clang loop vectorize(assume_safety) unroll(disable)")
#else
#define HW_LANE_LOOP _Pragma("GCC ivdep")
#endif

// d[i] = value for all lanes; and for those that are on.
#define HW_ALL_LANES(d, value)                                                                     \
    do {                                                                                           \
        HW_LANE_LOOP for (int i = 0; i < 32; i++)(d)[i] = (value);                                 \
    } while (0)
#define HW_SOME_LANES(d, value)                                                                    \
    do {                                                                                           \
        const int32_t *on = w->lanes;                                                              \
        HW_LANE_LOOP for (int i = 0; i < 32; i++)(d)[i] = on[i] ? (value) : (d)[i];                \
    } while (0)
// All lanes are on, as nearly always. Bodies put what they do otherwise into a function of its own, so that the usual
// way needs no stack and few registers. It lies apart from the usual ones, and is not "cold": that would leave it
// without vectors.
#define HW_ALL_ON(w) __builtin_expect((w)->mask == 0xffffffffu, 1)
#define HW_APART __attribute__((noinline, section(".text.some_lanes")))

// d[i] = value for every active lane i; value is an expression in i. Lanes that are off keep what they had.
// d may be the same slot as a source.
#define HW_LANES(d, value)                                                                         \
    do {                                                                                           \
        if (HW_ALL_ON(w)) HW_ALL_LANES(d, value);                                                  \
        else HW_SOME_LANES(d, value);                                                              \
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

// Whole slots at once, where the compiler does not find the instruction that a body wants.
#if defined(__AVX512F__) && defined(__AVX512DQ__)
#define HW_HAS_AVX512 1
static inline __m512i hw_get(const void *a, int part) { return _mm512_loadu_si512((const char *)a + 64 * part); }
// The masked form reads and writes all of d: a load behind a masked store would have to wait for the cache.
static inline void hw_put_32(const hw_warp *w, void *d, __m512i v0, __m512i v1) {
    if (__builtin_expect(w->mask != 0xffffffffu, 0)) {
        v0 = _mm512_mask_mov_epi32(hw_get(d, 0), (__mmask16)w->mask, v0);
        v1 = _mm512_mask_mov_epi32(hw_get(d, 1), (__mmask16)(w->mask >> 16), v1);
    }
    _mm512_storeu_si512(d, v0);
    _mm512_storeu_si512((char *)d + 64, v1);
}
static inline void hw_put_64(const hw_warp *w, void *d, __m512i v0, __m512i v1, __m512i v2, __m512i v3) {
    if (__builtin_expect(w->mask != 0xffffffffu, 0)) {
        v0 = _mm512_mask_mov_epi64(hw_get(d, 0), (__mmask8)w->mask, v0);
        v1 = _mm512_mask_mov_epi64(hw_get(d, 1), (__mmask8)(w->mask >> 8), v1);
        v2 = _mm512_mask_mov_epi64(hw_get(d, 2), (__mmask8)(w->mask >> 16), v2);
        v3 = _mm512_mask_mov_epi64(hw_get(d, 3), (__mmask8)(w->mask >> 24), v3);
    }
    _mm512_storeu_si512(d, v0);
    _mm512_storeu_si512((char *)d + 64, v1);
    _mm512_storeu_si512((char *)d + 128, v2);
    _mm512_storeu_si512((char *)d + 192, v3);
}
#endif

// Predicates: one bit per lane.
static inline uint32_t hw_pred(const hw_warp *w, hw_slot slot) { return *(uint32_t *)hw_at(w, slot); }
static inline void hw_set_pred(const hw_warp *w, hw_slot slot, uint32_t value) {
    uint32_t *p = hw_at(w, slot);
    *p = (*p & ~w->mask) | (value & w->mask);
}

#endif
