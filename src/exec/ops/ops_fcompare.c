// Comparisons of floating-point values: setp, set, slct and testp. The rows are in isa/bodies/setp.def and
// isa/bodies/fset.def. A comparison gives one bit per lane. setp's and set's combining word is in `sub`: with the
// predicate p (complemented when HW_INST_NEGATE_P is on) the result is cmp, cmp & p, cmp | p or cmp ^ p; setp's
// second destination e gets the same of the complement of cmp. Packed pairs have a mask for each half, and setp's two
// destinations get one each.
#include "exec/ops/half_lanes.h"
#include "exec/ops/value_compare.h"

// What a comparison found: of packed pairs the low and the high half, else cmp and its complement.
typedef struct hw_mask_pair {
    uint32_t low, high;
} hw_mask_pair;

HW_ALWAYS_INLINE uint32_t combine(const hw_warp *w, const hw_inst *in, uint32_t cmp) {
    if (in->combination == HW_COMBINE_NONE) return cmp;
    uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? 0xffffffffu : 0);
    return in->combination == HW_COMBINE_AND ? cmp & p : in->combination == HW_COMBINE_OR ? cmp | p : cmp ^ p;
}

HW_ALWAYS_INLINE void store(const hw_warp *w, const hw_inst *in, hw_mask_pair masks) {
    if (in->d != HW_NO_SLOT) hw_set_pred(w, in->d, combine(w, in, masks.low));
    if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, combine(w, in, masks.high));
}

// Code that many bodies have in common: they call it.
#define SHARED __attribute__((noinline))
static SHARED void store_apart(const hw_warp *w, const hw_inst *in, hw_mask_pair masks) { store(w, in, masks); }

#define A a[i]
#define B b[i]
#define C c[i]
// One bit for each lane whose condition holds; all 32 are compared, lanes that are off too.
#define MASK(mask, condition)                                                    \
    do {                                                                         \
        _Alignas(64) int32_t hits[32];                                           \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) hits[i] = (condition) ? -1 : 0; \
        mask = hw_pack_lanes(hits);                                              \
    } while (0)

// 32 halves as floats.
static SHARED void widen_f16(float *f, const uint16_t *h) { hw_from_halves(f, h, 32); }
static SHARED void widen_bf16(float *f, const uint16_t *h) { hw_from_bfloats(f, h, 32); }
static SHARED void widen_ftz_f16(float *f, const uint16_t *h) {
    uint16_t flushed[32];
    HW_LANE_LOOP for (int i = 0; i < 32; i++) flushed[i] = h[i] & 0x7c00 ? h[i] : h[i] & 0x8000;
    hw_from_halves(f, flushed, 32);
}

// The low and the high halves of 32 pairs.
static SHARED void split_pairs(uint16_t *low, uint16_t *high, const uint32_t *pairs) {
    HW_LANE_LOOP for (int i = 0; i < 32; i++) low[i] = (uint16_t)pairs[i];
    HW_LANE_LOOP for (int i = 0; i < 32; i++) high[i] = (uint16_t)(pairs[i] >> 16);
}

#define COMPARE(name, setp, compare, type, condition)                            \
    static inline uint32_t compare##_lanes(const type *a, const type *b) {       \
        uint32_t mask;                                                           \
        MASK(mask, condition);                                                   \
        return mask;                                                             \
    }                                                                            \
    static inline hw_mask_pair compare(const hw_warp *w, const hw_inst *in) {    \
        const uint32_t mask = compare##_lanes(hw_at(w, in->a), hw_at(w, in->b)); \
        return (hw_mask_pair){mask, ~mask};                                      \
    }                                                                            \
    static inline void setp##_lanes(hw_warp *w, const hw_inst *in) { store(w, in, compare(w, in)); } \
    HW_CONVOY_FORM(setp)                                                         \
    static const hw_inst *setp(hw_warp *w, const hw_inst *in) {                  \
        store_apart(w, in, compare(w, in));                                      \
        HW_NEXT(w, in);                                                          \
    }
#define COMPARE_16(name, setp, compare, widen, compare_floats)                   \
    static SHARED hw_mask_pair compare(const hw_warp *w, const hw_inst *in) {    \
        _Alignas(64) float a[32], b[32];                                         \
        widen_##widen(a, hw_at(w, in->a));                                       \
        widen_##widen(b, hw_at(w, in->b));                                       \
        const uint32_t mask = compare_floats##_lanes(a, b);                      \
        return (hw_mask_pair){mask, ~mask};                                      \
    }                                                                            \
    static inline void setp##_lanes(hw_warp *w, const hw_inst *in) { store_apart(w, in, compare(w, in)); } \
    HW_BOTH_FORMS(setp)
#define COMPARE_2(name, setp, compare, widen, compare_floats)                    \
    static SHARED hw_mask_pair compare(const hw_warp *w, const hw_inst *in) {    \
        uint16_t low_a[32], high_a[32], low_b[32], high_b[32];                   \
        _Alignas(64) float a[32], b[32];                                         \
        hw_mask_pair masks;                                                      \
        split_pairs(low_a, high_a, hw_at(w, in->a));                             \
        split_pairs(low_b, high_b, hw_at(w, in->b));                             \
        widen_##widen(a, low_a);                                                 \
        widen_##widen(b, low_b);                                                 \
        masks.low = compare_floats##_lanes(a, b);                                \
        widen_##widen(a, high_a);                                                \
        widen_##widen(b, high_b);                                                \
        masks.high = compare_floats##_lanes(a, b);                               \
        return masks;                                                            \
    }                                                                            \
    static const hw_inst *setp(hw_warp *w, const hw_inst *in) {                  \
        store_apart(w, in, compare(w, in));                                      \
        HW_NEXT(w, in);                                                          \
    }
#define TESTP(name, function, type, condition)                                   \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {              \
        const type *a = hw_at(w, in->a);                                         \
        uint32_t mask;                                                           \
        MASK(mask, condition);                                                   \
        hw_set_pred(w, in->d, mask);                                             \
        HW_NEXT(w, in);                                                          \
    }
#include "isa/bodies/setp.def"
#undef COMPARE
#undef COMPARE_16
#undef COMPARE_2
#undef TESTP

// d[i] = one where the comparison holds, else 0.
static SHARED const hw_inst *set_32(hw_warp *w, const hw_inst *in, uint32_t cmp, uint32_t one) {
    uint32_t *d = hw_at(w, in->d), holds = combine(w, in, cmp);
    HW_LANES(d, holds >> i & 1 ? one : 0);
    HW_NEXT(w, in);
}

static SHARED const hw_inst *set_16(hw_warp *w, const hw_inst *in, uint32_t cmp, uint32_t one) {
    uint16_t *d = hw_at(w, in->d);
    uint32_t holds = combine(w, in, cmp);
    HW_LANES(d, (uint16_t)(holds >> i & 1 ? one : 0));
    HW_NEXT(w, in);
}

static SHARED const hw_inst *set_pair(hw_warp *w, const hw_inst *in, hw_mask_pair cmp, uint32_t one) {
    uint32_t *d = hw_at(w, in->d), low = combine(w, in, cmp.low), high = combine(w, in, cmp.high);
    HW_LANES(d, (low >> i & 1 ? one : 0) | (high >> i & 1 ? one << 16 : 0));
    HW_NEXT(w, in);
}

#define SET_32(name, function, compare, one)                                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {              \
        return set_32(w, in, compare(w, in).low, one);                           \
    }
#define SET_16(name, function, compare, one)                                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {              \
        return set_16(w, in, compare(w, in).low, one);                           \
    }
#define SET_PAIR(name, function, compare, one)                                   \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {              \
        return set_pair(w, in, compare(w, in), one);                             \
    }
#define SLCT(name, function, type, selector)                                     \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {              \
        type *d = hw_at(w, in->d);                                               \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);                   \
        const float *c = hw_at(w, in->c);                                        \
        HW_LANES(d, (selector) >= 0.0f ? A : B);                                 \
        HW_NEXT(w, in);                                                          \
    }
#define SAME(name, function)
#include "isa/bodies/fset.def"
#undef SET_32
#undef SET_16
#undef SET_PAIR
#undef SLCT
#undef SAME

#define COMPARE(name, setp, compare, type, condition) {setp, setp##_convoy},
#define COMPARE_16(name, setp, compare, type, condition) {setp, setp##_convoy},
#define COMPARE_2(name, setp, compare, type, condition) {setp, NULL},
#define TESTP(name, function, type, condition) {function, NULL},
#define SET_32(name, function, compare, one) {function, NULL},
#define SET_16(name, function, compare, one) {function, NULL},
#define SET_PAIR(name, function, compare, one) {function, NULL},
#define SLCT(name, function, type, selector) {function, NULL},
#define SAME(name, function) {function, NULL},
const hw_body_forms HW_LEVEL_NAME(hw_ops_fcompare)[] = {
#include "isa/bodies/setp.def"
#include "isa/bodies/fset.def"
};
