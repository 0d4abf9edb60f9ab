// Comparisons of integers (setp, set) and choices (selp, slct). Rows in isa/bodies/compare.def.
//
// setp and set may combine the comparison with a predicate p (in->combination); setp's second destination e gets the
// same of the complement of the comparison. Either destination may be missing.
#include "exec/ops/row_bodies.h"

static inline u32 predicate_p(const hw_warp *w, const hw_inst *in) {
    return hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? ~0u : 0);
}

static u32 combined(const hw_warp *w, const hw_inst *in, u32 holds) {
    if (in->combination == HW_COMBINE_NONE) return holds;
    u32 p = predicate_p(w, in);
    return in->combination == HW_COMBINE_AND ? holds & p : in->combination == HW_COMBINE_OR ? holds | p : holds ^ p;
}

static __attribute__((noinline)) void set_both(hw_warp *w, const hw_inst *in, u32 holds) {
    u32 first = combined(w, in, holds), second = combined(w, in, ~holds);
    if (in->d != HW_NO_SLOT) hw_set_pred(w, in->d, first);
    if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, second);
}

// HOLDS(type, operator, OPERATOR): one bit per lane, also of lanes that are off.
#ifdef HW_HAS_AVX512
#define MASK_16(compare, how) compare(hw_get(a, 0), hw_get(b, 0), how)
#define MASK_32(compare, how)                                               \
    ((u32)compare(hw_get(a, 0), hw_get(b, 0), how) | (u32)compare(hw_get(a, 1), hw_get(b, 1), how) << 16)
#define MASK_64(compare, how)                                               \
    ((u32)compare(hw_get(a, 0), hw_get(b, 0), how) | (u32)compare(hw_get(a, 1), hw_get(b, 1), how) << 8 | \
     (u32)compare(hw_get(a, 2), hw_get(b, 2), how) << 16 | (u32)compare(hw_get(a, 3), hw_get(b, 3), how) << 24)
#define AVX512_EQ _MM_CMPINT_EQ
#define AVX512_NE _MM_CMPINT_NE
#define AVX512_LT _MM_CMPINT_LT
#define AVX512_LE _MM_CMPINT_LE
#define AVX512_GT _MM_CMPINT_NLE
#define AVX512_GE _MM_CMPINT_NLT
#define HOLDS_s16(how) MASK_16(_mm512_cmp_epi16_mask, how)
#define HOLDS_u16(how) MASK_16(_mm512_cmp_epu16_mask, how)
#define HOLDS_s32(how) MASK_32(_mm512_cmp_epi32_mask, how)
#define HOLDS_u32(how) MASK_32(_mm512_cmp_epu32_mask, how)
#define HOLDS_s64(how) MASK_64(_mm512_cmp_epi64_mask, how)
#define HOLDS_u64(how) MASK_64(_mm512_cmp_epu64_mask, how)
#define COMPARE(type, operator, OPERATOR) u32 holds = HOLDS_##type(AVX512_##OPERATOR)
#else
#define COMPARE(type, operator, OPERATOR)                                   \
    s32 results[32];                                                        \
    HW_LANE_LOOP for (int i = 0; i < 32; i++) results[i] = -(s32)(A operator B);         \
    u32 holds = hw_pack_lanes(results)
#endif

#define SETP(name, function, type, operator, OPERATOR)                      \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);              \
        COMPARE(type, operator, OPERATOR);                                  \
        if (__builtin_expect(in->combination == HW_COMBINE_NONE && in->e == HW_NO_SLOT, 1)) \
            hw_set_pred(w, in->d, holds);                                   \
        else set_both(w, in, holds);                                        \
    }                                                                       \
    HW_BOTH_FORMS(function)

#define SET(name, function, td, yes, type, operator)                        \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        td *d = hw_at(w, in->d);                                            \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);              \
        if (in->combination == HW_COMBINE_NONE) {                                                 \
            HW_LANES(d, A operator B ? yes : 0);                            \
        } else {                                                            \
            s32 results[32];                                                \
            HW_LANE_LOOP for (int i = 0; i < 32; i++) results[i] = -(s32)(A operator B); \
            u32 holds = combined(w, in, hw_pack_lanes(results));            \
            HW_LANES(d, holds >> i & 1 ? yes : 0);                          \
        }                                                                   \
        HW_NEXT(w, in);                                                     \
    }

#ifdef HW_HAS_AVX512
static inline void selp_b32_lanes(hw_warp *w, const hw_inst *in) {
    const void *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    u32 p = predicate_p(w, in);
    hw_put_32(w, hw_at(w, in->d), _mm512_mask_mov_epi32(hw_get(b, 0), (__mmask16)p, hw_get(a, 0)),
              _mm512_mask_mov_epi32(hw_get(b, 1), (__mmask16)(p >> 16), hw_get(a, 1)));
}
static inline void selp_b64_lanes(hw_warp *w, const hw_inst *in) {
    const void *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    u32 p = predicate_p(w, in);
    hw_put_64(w, hw_at(w, in->d), _mm512_mask_mov_epi64(hw_get(b, 0), (__mmask8)p, hw_get(a, 0)),
              _mm512_mask_mov_epi64(hw_get(b, 1), (__mmask8)(p >> 8), hw_get(a, 1)),
              _mm512_mask_mov_epi64(hw_get(b, 2), (__mmask8)(p >> 16), hw_get(a, 2)),
              _mm512_mask_mov_epi64(hw_get(b, 3), (__mmask8)(p >> 24), hw_get(a, 3)));
}
#else
static inline void selp_b32_lanes(hw_warp *w, const hw_inst *in) {
    u32 *d = hw_at(w, in->d);
    const u32 *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    u32 p = predicate_p(w, in);
    HW_LANES(d, p >> i & 1 ? A : B);
}
static inline void selp_b64_lanes(hw_warp *w, const hw_inst *in) {
    u64 *d = hw_at(w, in->d);
    const u64 *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    u64 p = predicate_p(w, in);
    HW_LANES(d, p >> i & 1 ? A : B);
}
#endif
static inline void selp_b16_lanes(hw_warp *w, const hw_inst *in) {
    u16 *d = hw_at(w, in->d);
    const u16 *a = hw_at(w, in->a), *b = hw_at(w, in->b);
    u32 p = predicate_p(w, in);
    HW_LANES(d, p >> i & 1 ? A : B);
}

#define CHOICE(name, function, type) HW_BOTH_FORMS(function)

#include "isa/bodies/compare.def"

#undef SETP
#undef SET
#undef CHOICE
#define SETP(name, function, ...) {function, function##_convoy},
#define SET(name, function, ...) {function, NULL},
#define CHOICE(name, function, ...) {function, function##_convoy},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_compare)[] = {
#include "isa/bodies/compare.def"
};
