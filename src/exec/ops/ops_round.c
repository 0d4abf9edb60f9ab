// cvt between floating-point types: narrowing, widening, rounding to integral values, packed pairs, tf32 and 8-bit
// floats. Rows in isa/bodies/round.def.
#include "exec/ops/half.h"
#include "exec/ops/half_lanes.h"
#include "exec/ops/row_bodies.h"

static inline f32 canonical(f32 x) { return x == x ? x : hw_bits_float(HW_FLOAT_NAN); }
// The result, but of a NaN the NaN itself, made quiet.
static inline f64 quiet(f64 x, f64 result) { return x == x ? result : x + x; }
static inline f32 narrowed(f64 x, hw_round mode) { return x == x ? hw_double_to_float(x, mode) : (f32)x; }
static inline u16 double_to_half(f64 x, hw_round mode) {
    u64 bits = hw_double_bits(x);
    u32 nan = (u32)(bits >> 48 & 0x8000) | 0x7e00 | (u32)(bits >> 42 & 0x3ff);
    return x == x ? hw_double_to_half(x, mode) : (u16)nan;
}
static inline f64 half_to_double(u16 h) {
    u64 nan = (u64)(h & 0x8000) << 48 | 0x7ff8000000000000 | (u64)(h & 0x3ff) << 42;
    return (h & 0x7fff) > 0x7c00 ? hw_bits_double(nan) : (f64)hw_half_to_float(h);
}
static inline f32 bfloat_bits(u16 h) { return hw_bits_float((u32)h << 16); }

#define TO_HALF(x) hw_float_to_half(x, HW_RN)
#define TO_BFLOAT(x) hw_float_to_bfloat(x, HW_RN)

// .satfinite: no further than the largest finite value of the narrow type; NaN stays.
static inline f32 within(f32 x, f32 largest) { return x > largest ? largest : x < -largest ? -largest : x; }
static inline f32 within_half(f32 x) { return within(x, 65504.0f); }
static inline f32 within_bfloat(f32 x) { return within(x, 0x1.fep127f); }
static inline f32 within_tf32(f32 x) { return within(x, 0x1.ffcp127f); }

// Infinities and NaNs are only cut.
static inline u32 tf32_bits(f32 x, u32 rounded) {
    u32 bits = hw_float_bits(x);
    return ((bits & 0x7f800000) == 0x7f800000 ? bits : rounded) & ~0x1fffu;
}
static inline u32 tf32_away(f32 x) { return tf32_bits(x, hw_float_bits(x) + 0x1000); }
static inline u32 tf32_nearest(f32 x) {
    u32 bits = hw_float_bits(x);
    return tf32_bits(canonical(x), bits + 0xfff + (bits >> 13 & 1));
}
static inline u32 tf32_cut(f32 x) { return tf32_bits(canonical(x), hw_float_bits(x)); }

// To an 8-bit float with `digits` bits of mantissa, to nearest even, largest finite code for what is beyond it.
static u32 narrow_8(f32 x, u32 digits, u32 bias, u32 largest) {
    u32 bits = hw_float_bits(x), magnitude = bits & 0x7fffffff, exponent = magnitude >> 23;
    if (magnitude > 0x7f800000) return 0x7f;
    u32 normal = 128 - bias;    // the smallest normal number's exponent
    u32 mantissa = exponent ? (magnitude & 0x7fffff) | 0x800000 : magnitude;
    u32 shift = 23 - digits + (exponent < normal ? normal - exponent : 0);
    if (shift > 31) shift = 31;
    u32 kept = exponent < normal ? mantissa >> shift : (magnitude - ((normal - 1) << 23)) >> (23 - digits);
    u32 rest = mantissa & ((1u << shift) - 1);
    kept += hw_round_up(kept, rest, 1u << (shift - 1), 0, HW_RN);
    return (kept > largest ? largest : kept) | bits >> 31 << 7;
}
static inline u32 e4m3_pair(f32 high, f32 low) { return narrow_8(high, 3, 7, 0x7e) << 8 | narrow_8(low, 3, 7, 0x7e); }
static inline u32 e5m2_pair(f32 high, f32 low) { return narrow_8(high, 2, 15, 0x7b) << 8 | narrow_8(low, 2, 15, 0x7b); }

static inline u16 e5m2_to_half(u32 code) { return (u16)((code & 0x7f) > 0x7c ? HW_HALF_NAN : code << 8); }
static u16 e4m3_to_half(u32 code) {
    u32 magnitude = code & 0x7f, sign = (code & 0x80) << 8;
    if (magnitude == 0x7f) return HW_HALF_NAN;
    if (magnitude >= 8) return (u16)(sign | (magnitude + (8 << 3)) << 7);
    return (u16)(sign | TO_HALF((f32)magnitude * 0x1p-9f));
}

// Two sources, lane by lane.
#define EACH2(name, function, td, ta, value)                                \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        td *d = hw_at(w, in->d);                                            \
        const ta *a = hw_at(w, in->a), *b = hw_at(w, in->b);                \
        HW_EACH_ACTIVE_LANE(d[i] = (td)(value));                            \
        HW_NEXT(w, in);                                                     \
    }

// The conversions that programs with half precision are full of, by the processor's own instructions: `convert` fills
// 32 lanes of type td at `to`.
#define CONVERSION(function, td, convert)                                   \
    static HW_APART const hw_inst *function##_some(hw_warp *w, const hw_inst *in) { \
        _Alignas(64) td to[32];                                             \
        td *d = hw_at(w, in->d);                                            \
        convert;                                                            \
        HW_SOME_LANES(d, to[i]);                                            \
        HW_NEXT(w, in);                                                     \
    }                                                                       \
    HW_ALWAYS_INLINE void function##_lanes(hw_warp *w, const hw_inst *in) { \
        td *to = hw_at(w, in->d);                                           \
        convert;                                                            \
    }                                                                       \
    static const hw_inst *function(hw_warp *w, const hw_inst *in) {         \
        if (!HW_ALL_ON(w)) return function##_some(w, in);                   \
        function##_lanes(w, in);                                            \
        HW_NEXT(w, in);                                                     \
    }                                                                       \
    HW_CONVOY_FORM(function)

HW_ALWAYS_INLINE void pair_up(u32 *to, const u16 *high, const u16 *low) {
    HW_ALL_LANES(to, (u32)high[i] << 16 | low[i]);
}
HW_ALWAYS_INLINE void pair_halves(u32 *to, const f32 *a, const f32 *b) {
    _Alignas(64) u16 high[32], low[32];
    hw_to_halves(high, a, 32);
    hw_to_halves(low, b, 32);
    pair_up(to, high, low);
}
HW_ALWAYS_INLINE void pair_bfloats(u32 *to, const f32 *a, const f32 *b) {
    _Alignas(64) u16 high[32], low[32];
    hw_to_bfloats(high, a, 32);
    hw_to_bfloats(low, b, 32);
    pair_up(to, high, low);
}
HW_ALWAYS_INLINE void widen_halves(f32 *to, const u16 *a) {
    hw_from_halves(to, a, 32);
    HW_ALL_LANES(to, canonical(to[i]));
}
CONVERSION(cvt_rn_f16_f32, u16, hw_to_halves(to, hw_at(w, in->a), 32))
CONVERSION(cvt_rn_bf16_f32, u16, hw_to_bfloats(to, hw_at(w, in->a), 32))
CONVERSION(cvt_rn_f16x2_f32, u32, pair_halves(to, hw_at(w, in->a), hw_at(w, in->b)))
CONVERSION(cvt_rn_bf16x2_f32, u32, pair_bfloats(to, hw_at(w, in->a), hw_at(w, in->b)))
CONVERSION(cvt_f32_f16, f32, widen_halves(to, hw_at(w, in->a)))

#include "isa/bodies/round.def"

#undef EACH2
#define EACH2(name, function, ...) {function, NULL},
#include "exec/ops/row_table.h"
const hw_body_forms HW_LEVEL_NAME(hw_ops_round)[] = {
#include "isa/bodies/round.def"
};
