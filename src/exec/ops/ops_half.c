// f16 and bf16 arithmetic, single and in pairs: the rows are in isa/bodies/half.def. Every result is rounded once, to
// nearest. f32 has twice the bits of f16 (more of bf16) plus two, so a sum or a product rounded to f32 and then to 16
// bits is what one rounding gives (Figueroa, When is double rounding innocuous?, 1995). Where that does not hold
// (fma; products of bf16 that are subnormal in f32), the first rounding is "to odd": an inexact result gets its last
// bit set, so that the second rounding sees which side of a tie it is on.
#include "exec/ops/half_lanes.h"

// Halves below 2^-14 become zeros of their sign: operands, and results before they are rounded. A result half a unit
// below 2^-14 or nearer rounds to 2^-14 and stays.
static inline floats flush(floats x) {
    ints magnitude = (ints)x & 0x7fffffff, sign = (ints)x & INT32_MIN;
    return choose_floats(magnitude < 0x387fe000, (floats)sign, x);    // 2^-14 - 2^-25
}

// .sat and .relu, as hw_sat and hw_relu. A NaN is made canonical when it is rounded.
static inline floats saturate(floats x) {
    const floats one = (floats){0} + 1;
    return (floats)((ints)choose_floats(x < one, x, one) & (x > 0));
}
static inline floats relu(floats x) { return (floats)((ints)x & ((x > 0) | (x != x))); }

// Numbers to be rounded again, out of the two neighbours that an exact result is between, or that one itself twice: the
// one whose last bit is set. An exact zero is +0, of which the bits of neither sign are odd: `up` has it.
#if defined(HW_HAS_AVX512)
#define DOWN _MM_FROUND_TO_NEG_INF | _MM_FROUND_NO_EXC
#define UP _MM_FROUND_TO_POS_INF | _MM_FROUND_NO_EXC
static inline floats odd_one(__m512 down, __m512 up) {
    __mmask16 is_odd = _mm512_test_epi32_mask((__m512i)down, _mm512_set1_epi32(1));
    return (floats)_mm512_mask_mov_ps(up, is_odd, down);
}
static inline floats fused(floats a, floats b, floats c) {
    return odd_one(_mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, DOWN),
                   _mm512_fmadd_round_ps((__m512)a, (__m512)b, (__m512)c, UP));
}
static inline floats fused_brain(floats a, floats b, floats c) { return fused(a, b, c); }
static inline floats product(floats a, floats b) {
    return odd_one(_mm512_mul_round_ps((__m512)a, (__m512)b, DOWN), _mm512_mul_round_ps((__m512)a, (__m512)b, UP));
}
#else
// a * b + c of halves, rounded to odd. The product of halves is exact.
static inline floats fused(floats a, floats b, floats c) {
    floats product = a * b, sum = product + c;
    floats t = sum - product, error = (product - (sum - t)) + (c - t);
    ints is_inexact = (error < 0) | (error > 0);     // 0 for the NaN that an infinite sum makes
    ints is_beyond = ((ints)error ^ (ints)sum) >> 31;    // -1: nearest was further from zero
    return (floats)(((ints)sum + (is_beyond & is_inexact)) | (is_inexact & 1));
}

static inline float odd_float(double x) {
    float f = (float)x;
    double back = f;
    uint32_t bits = hw_float_bits(f), inexact = (back < x) | (back > x);
    uint32_t step = __builtin_fabs(back) < __builtin_fabs(x) ? 1u : 0xffffffffu;
    return hw_bits_float(bits + (inexact & ~bits & 1 ? step : 0));
}

// The same of bf16, whose products need the exponents of double.
static inline float fused_in_double(float a, float b, float c) {
    double product = (double)a * b, sum = product + c;
    double t = sum - product, error = (product - (sum - t)) + (c - t);
    uint64_t bits = hw_double_bits(sum);
    uint64_t step = (hw_double_bits(error) ^ bits) >> 63 ? (uint64_t)-1 : 1;
    uint64_t inexact = (error < 0) | (error > 0);
    return odd_float(hw_bits_double(bits + (inexact & ~bits & 1 ? step : 0)));
}
static inline floats fused_brain(floats a, floats b, floats c) {
    float x[LANES], y[LANES], z[LANES], r[LANES];
    memcpy(x, &a, sizeof a), memcpy(y, &b, sizeof b), memcpy(z, &c, sizeof c);
    HW_LANE_LOOP for (int i = 0; i < LANES; i++) r[i] = fused_in_double(x[i], y[i], z[i]);
    memcpy(&a, r, sizeof a);
    return a;
}
static inline floats product(floats a, floats b) {
    float x[LANES], y[LANES], r[LANES];
    memcpy(x, &a, sizeof a), memcpy(y, &b, sizeof b);
    HW_LANE_LOOP for (int i = 0; i < LANES; i++) r[i] = odd_float((double)x[i] * y[i]);
    memcpy(&a, r, sizeof a);
    return a;
}
#endif

// Halves as bits. Infinity is 0x7c00 of f16 and 0x7f80 of bf16; what is above it is NaN.
static inline int is_nan(uint32_t x, uint32_t infinity) { return (x & 0x7fff) > infinity; }
static inline uint32_t canonical(uint32_t x, uint32_t infinity) { return is_nan(x, infinity) ? HW_HALF_NAN : x; }
static inline uint32_t ftz(uint32_t x) { return x & 0x7c00 ? x : x & 0x8000; }

// Orders halves as their values are ordered, -0 before +0.
static inline int32_t rank(uint32_t x) { return x & 0x8000 ? -1 - (int32_t)(x & 0x7fff) : (int32_t)(x & 0x7fff); }

// NaN loses.
static inline uint32_t lesser(uint32_t a, uint32_t b, uint32_t infinity) {
    uint32_t least = rank(a) < rank(b) ? a : b;
    least = is_nan(a, infinity) ? b : least;
    return canonical(is_nan(b, infinity) ? a : least, infinity);
}

static inline uint32_t greater(uint32_t a, uint32_t b, uint32_t infinity) {
    uint32_t most = rank(a) > rank(b) ? a : b;
    most = is_nan(a, infinity) ? b : most;
    return canonical(is_nan(b, infinity) ? a : most, infinity);
}

static inline uint32_t nan_wins(uint32_t a, uint32_t b, uint32_t result, uint32_t infinity) {
    return is_nan(a, infinity) | is_nan(b, infinity) ? HW_HALF_NAN : result;
}

static inline uint32_t signed_as(uint32_t sign, uint32_t magnitude, uint32_t infinity) {
    return is_nan(magnitude, infinity) ? HW_HALF_NAN : magnitude | (sign & 0x8000);
}

// The forms of a body that puts n halves where `to` points, or into the register of each of so many warps. All share
// what computes them: three copies of it took the compiler twice as long and were no faster.
#define SHARED static __attribute__((noinline))
#define HALF_BODY(function, n)                                                     \
    static HW_APART const hw_inst *function##_some(hw_warp *w, const hw_inst *in) {   \
        uint32_t to[n / 2];                                                        \
        function##_halves(w, in, 1, to);                                           \
        hw_store_halves(w, hw_at(w, in->d), (const uint16_t *)to, n);              \
        HW_NEXT(w, in);                                                            \
    }                                                                              \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {                \
        if (!HW_ALL_ON(w)) return function##_some(w, in);                          \
        function##_halves(w, in, 1, NULL);                                         \
        HW_NEXT(w, in);                                                            \
    }                                                                              \
    static const hw_inst *function##_convoy(hw_warp *w, const hw_inst *in) {       \
        function##_halves(w, in, w->convoy, NULL);                                 \
        HW_NEXT(w, in);                                                            \
    }

// An operand of several warps: what is the same in all lanes of all warps is made floats once.
typedef struct operand {
    const uint32_t *lanes;
    bool is_constant;
    floats constant[2];
} operand;
#define BEGIN_OPERAND(type, slot, o)                                               \
    operand o;                                                                     \
    o.is_constant = ((slot) & 3) == HW_BASE_LAUNCH;                                \
    hw_widen_##type(hw_at(w, slot), o.constant)
#define TAKE_OPERAND(type, o, i, to)                                               \
    do {                                                                           \
        to[0] = o.constant[0], to[1] = o.constant[1];                              \
        if (!o.is_constant) hw_widen_##type(o.lanes + i, to);                      \
    } while (0)

// The values of n halves, computed as floats. A slot that the instruction does not have is not read.
#define AS_FLOATS(function, n, operands, type, value)                              \
    SHARED void function##_halves(const hw_warp *w, const hw_inst *in, uint32_t warps, uint32_t *to) { \
        const hw_slot slot_a = in->a, slot_b = in->b, slot_c = operands > 2 ? in->c : in->a, slot_d = in->d; \
        BEGIN_OPERAND(type, slot_a, a);                                            \
        BEGIN_OPERAND(type, slot_b, b);                                            \
        BEGIN_OPERAND(type, slot_c, c);                                            \
        for (; warps; warps--, w = hw_next_warp((hw_warp *)(uintptr_t)w)) {        \
            uint32_t *d = to ? to : hw_at(w, slot_d);                              \
            a.lanes = hw_at(w, slot_a), b.lanes = hw_at(w, slot_b), c.lanes = hw_at(w, slot_c); \
            _Pragma("GCC unroll 2") for (int i = 0; i < n / 2; i += LANES) {       \
                floats x[2], y[2], z[2], r[2];                                     \
                TAKE_OPERAND(type, a, i, x);                                       \
                TAKE_OPERAND(type, b, i, y);                                       \
                TAKE_OPERAND(type, c, i, z);                                       \
                for (int k = 0; k < 2; k++) {                                      \
                    floats A = x[k], B = y[k], C = z[k];                           \
                    (void)C;                                                       \
                    r[k] = (value);                                                \
                }                                                                  \
                hw_narrow_##type(r, d + i);                                        \
            }                                                                      \
        }                                                                          \
    }                                                                              \
    HALF_BODY(function, n)
#define HALF_2(name, function, value) AS_FLOATS(function, 32, 2, halves, value)
#define HALF_3(name, function, value) AS_FLOATS(function, 32, 3, halves, value)
#define HALF_2_PAIRS(name, function, value) AS_FLOATS(function, 64, 2, halves, value)
#define HALF_3_PAIRS(name, function, value) AS_FLOATS(function, 64, 3, halves, value)
#define BRAIN_2(name, function, value) AS_FLOATS(function, 32, 2, bfloats, value)
#define BRAIN_3(name, function, value) AS_FLOATS(function, 32, 3, bfloats, value)
#define BRAIN_2_PAIRS(name, function, value) AS_FLOATS(function, 64, 2, bfloats, value)
#define BRAIN_3_PAIRS(name, function, value) AS_FLOATS(function, 64, 3, bfloats, value)

// The values of n halves, computed from their bits.
#define AS_BITS(function, n, operands, value)                                      \
    SHARED void function##_halves(const hw_warp *w, const hw_inst *in, uint32_t warps, uint32_t *to) { \
        const hw_slot slot_a = in->a, slot_b = operands > 1 ? in->b : in->a, slot_d = in->d; \
        for (; warps; warps--, w = hw_next_warp((hw_warp *)(uintptr_t)w)) {        \
            const uint16_t *a = hw_at(w, slot_a), *b = hw_at(w, slot_b);           \
            uint16_t *d = to ? (uint16_t *)to : hw_at(w, slot_d);                  \
            HW_LANE_LOOP for (int i = 0; i < n; i++) {                             \
                uint32_t A = a[i], B = b[i];                                       \
                (void)A, (void)B;                                                  \
                d[i] = (uint16_t)(value);                                          \
            }                                                                      \
        }                                                                          \
    }                                                                              \
    HALF_BODY(function, n)
#define BITS_1(name, function, value) AS_BITS(function, 32, 1, value)
#define BITS_2(name, function, value) AS_BITS(function, 32, 2, value)
#define BITS_1_PAIRS(name, function, value) AS_BITS(function, 64, 1, value)
#define BITS_2_PAIRS(name, function, value) AS_BITS(function, 64, 2, value)
#include "isa/bodies/half.def"
#undef HALF_2
#undef HALF_2_PAIRS
#undef HALF_3
#undef HALF_3_PAIRS
#undef BRAIN_2
#undef BRAIN_2_PAIRS
#undef BRAIN_3
#undef BRAIN_3_PAIRS
#undef BITS_1
#undef BITS_1_PAIRS
#undef BITS_2
#undef BITS_2_PAIRS

#define HALF_2(name, function, value) {function, function##_convoy},
#define HALF_2_PAIRS(name, function, value) {function, function##_convoy},
#define HALF_3(name, function, value) {function, function##_convoy},
#define HALF_3_PAIRS(name, function, value) {function, function##_convoy},
#define BRAIN_2(name, function, value) {function, function##_convoy},
#define BRAIN_2_PAIRS(name, function, value) {function, function##_convoy},
#define BRAIN_3(name, function, value) {function, function##_convoy},
#define BRAIN_3_PAIRS(name, function, value) {function, function##_convoy},
#define BITS_1(name, function, value) {function, function##_convoy},
#define BITS_1_PAIRS(name, function, value) {function, function##_convoy},
#define BITS_2(name, function, value) {function, function##_convoy},
#define BITS_2_PAIRS(name, function, value) {function, function##_convoy},
const hw_body_forms HW_LEVEL_NAME(hw_ops_half)[] = {
#include "isa/bodies/half.def"
};
