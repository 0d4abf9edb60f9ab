// Integer arithmetic that vectorises: rows in isa/bodies/int.def. What needs more than a vector of its own width is in
// ops_wide.c.
#include "exec/ops/row_bodies.h"
#include "exec/ops/value_int.h"

// 32 x 32 -> 64 bits: AVX-512 has it for the low halves of 64-bit lanes, gcc multiplies 64 x 64 instead.
#ifdef HW_HAS_AVX512
#define SIGNED_PART(x, part) _mm512_cvtepi32_epi64(_mm256_loadu_si256((const __m256i *)(x) + (part)))
#define UNSIGNED_PART(x, part) _mm512_cvtepu32_epi64(_mm256_loadu_si256((const __m256i *)(x) + (part)))
#define SIGNED_PRODUCT(part) _mm512_mul_epi32(SIGNED_PART(a, part), SIGNED_PART(b, part))
#define UNSIGNED_PRODUCT(part) _mm512_mul_epu32(UNSIGNED_PART(a, part), UNSIGNED_PART(b, part))
#define SIGNED_SUM(part) _mm512_add_epi64(SIGNED_PRODUCT(part), hw_get(c, part))
#define UNSIGNED_SUM(part) _mm512_add_epi64(UNSIGNED_PRODUCT(part), hw_get(c, part))
#define WIDE_LANES(product, value) hw_put_64(w, d, product(0), product(1), product(2), product(3))
#else
#define WIDE_LANES(product, value) HW_LANES(d, value)
#endif

#define WIDE(name, function, td, ta, product, value)                        \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        td *d = hw_at(w, in->d);                                            \
        const ta *a = hw_at(w, in->a), *b = hw_at(w, in->b);                \
        WIDE_LANES(product, value);                                         \
    }                                                                       \
    HW_BOTH_FORMS(function)
#define WIDE_SUM(name, function, td, ta, sum, value)                        \
    static inline void function##_lanes(hw_warp *w, const hw_inst *in) {    \
        td *d = hw_at(w, in->d);                                            \
        const ta *a = hw_at(w, in->a), *b = hw_at(w, in->b);                \
        const td *c = hw_at(w, in->c);                                      \
        WIDE_LANES(sum, value);                                             \
    }                                                                       \
    HW_BOTH_FORMS(function)

#include "isa/bodies/int.def"

#undef WIDE
#undef WIDE_SUM
#define WIDE(name, function, ...) {function, function##_convoy},
#define WIDE_SUM(name, function, ...) {function, function##_convoy},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_int)[] = {
#include "isa/bodies/int.def"
};
