// Comparisons of floating-point values: setp, set, slct and testp. The rows are in isa/bodies/setp.def and
// isa/bodies/fset.def. A comparison gives one bit per lane. setp's and set's combining word is in `sub`: with the
// predicate p (complemented when HW_INST_NEGATE_P is on) the result is cmp, cmp & p, cmp | p or cmp ^ p; setp's
// second destination e gets the same of the complement of cmp. Packed pairs have a mask for each half, and setp's two
// destinations get one each.
#include "exec/ops/float_lanes.h"

// What a comparison found: of packed pairs the low and the high half, else cmp and its complement.
typedef struct hw_mask_pair {
    uint32_t low, high;
} hw_mask_pair;

static inline uint32_t combine(const hw_warp *w, const hw_inst *in, uint32_t cmp) {
    if (in->sub == 0) return cmp;
    uint32_t p = hw_pred(w, in->p) ^ (in->flags & HW_INST_NEGATE_P ? 0xffffffffu : 0);
    return in->sub == 1 ? cmp & p : in->sub == 2 ? cmp | p : cmp ^ p;
}

static inline void store(const hw_warp *w, const hw_inst *in, hw_mask_pair masks) {
    if (in->d != HW_NO_SLOT) hw_set_pred(w, in->d, combine(w, in, masks.low));
    if (in->e != HW_NO_SLOT) hw_set_pred(w, in->e, combine(w, in, masks.high));
}

#define A a[i]
#define B b[i]
#define C c[i]
// Comparing halves takes much code: setp and the sets call it.
#define SHARED __attribute__((noinline))
#define unordered(a, b) __builtin_isunordered(a, b)
#define ordered_ne(a, b) __builtin_islessgreater(a, b)
static inline float ftz(float x) { return hw_ftz(x); }
static inline float half(uint16_t x) { return hw_half_to_float(x); }
static inline float brain(uint16_t x) { return hw_bfloat_to_float(x); }
static inline float half_ftz(uint16_t x) { return half(x & 0x7c00 ? x : x & 0x8000); }
static inline int finite_f32(float x) { return (hw_float_bits(x) & 0x7f800000u) != 0x7f800000u; }
static inline int infinite_f32(float x) { return (hw_float_bits(x) & 0x7fffffffu) == 0x7f800000u; }
static inline int subnormal_f32(float x) { return (hw_float_bits(x) & 0x7fffffffu) - 1u < 0x7fffffu; }
static inline int finite_f64(double x) { return (hw_double_bits(x) >> 52 & 0x7ff) != 0x7ff; }
static inline int infinite_f64(double x) { return hw_double_bits(x) << 1 == 0xffe0000000000000ull; }
static inline int subnormal_f64(double x) { return (hw_double_bits(x) & ~(1ull << 63)) - 1u < 0xfffffffffffffull; }

// One bit for each lane whose condition holds; all 32 are compared, lanes that are off too.
#define MASK(mask, condition)                                                    \
    do {                                                                         \
        _Alignas(64) int32_t hits[32];                                           \
        HW_LANE_LOOP for (int i = 0; i < 32; i++) hits[i] = (condition) ? -1 : 0; \
        mask = hw_pack_lanes(hits);                                              \
    } while (0)

#define COMPARE_AS(how, setp, compare, type, condition)                          \
    static how hw_mask_pair compare(const hw_warp *w, const hw_inst *in) {    \
        const type *a = hw_at(w, in->a), *b = hw_at(w, in->b);                   \
        uint32_t mask;                                                           \
        MASK(mask, condition);                                                   \
        return (hw_mask_pair){mask, ~mask};                                      \
    }                                                                            \
    static inline void setp##_lanes(hw_warp *w, const hw_inst *in) { store(w, in, compare(w, in)); } \
    HW_BOTH_FORMS(setp)
#define COMPARE(name, setp, compare, type, condition) COMPARE_AS(inline, setp, compare, type, condition)
#define COMPARE_16(name, setp, compare, type, condition) COMPARE_AS(SHARED, setp, compare, type, condition)
#define COMPARE_2(name, setp, compare, type, condition)                          \
    static SHARED hw_mask_pair compare(const hw_warp *w, const hw_inst *in) {    \
        const type *pairs_a = hw_at(w, in->a), *pairs_b = hw_at(w, in->b);       \
        uint16_t a[32], b[32];                                                   \
        hw_mask_pair masks;                                                      \
        for (int i = 0; i < 32; i++) a[i] = (uint16_t)pairs_a[i], b[i] = (uint16_t)pairs_b[i]; \
        MASK(masks.low, condition);                                              \
        for (int i = 0; i < 32; i++) a[i] = pairs_a[i] >> 16, b[i] = pairs_b[i] >> 16; \
        MASK(masks.high, condition);                                             \
        return masks;                                                            \
    }                                                                            \
    static const hw_inst *setp(hw_warp *w, const hw_inst *in) {                  \
        store(w, in, compare(w, in));                                            \
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
