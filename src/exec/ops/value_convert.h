// Functions that rows of isa/bodies/convert.def and convert_float.def name.
#ifndef HW_EXEC_VALUE_CONVERT_H
#define HW_EXEC_VALUE_CONVERT_H

#include "exec/ops/half.h"
#include "exec/ops/value_types.h"

#define AT_LEAST(x, low) ((x) < (low) ? (low) : (x))
#define AT_MOST(x, high) ((x) > (high) ? (high) : (x))
#define CLAMP(x, low, high) ((x) < (low) ? (low) : (x) > (high) ? (high) : (x))

// 64-bit integers as doubles that keep all that a later rounding to 24 bits or fewer depends on: of more than 53 bits
// the lowest ones are replaced by one that says whether any was set ("round to odd").
static inline u64 odd_magnitude(u64 x) {
    u64 low = x & 0x7ff;
    return x >> 53 ? (x ^ low) | (low ? 0x800 : 0) : x;
}
static inline f64 odd_u64(u64 x) { return (f64)odd_magnitude(x); }
static inline f64 odd_s64(s64 x) {
    f64 magnitude = (f64)odd_magnitude(x < 0 ? 0 - (u64)x : (u64)x);
    return x < 0 ? -magnitude : magnitude;
}

// Directed roundings of 64-bit integers to double: the nearest one is at most one step off.
static inline f64 magnitude_to_double(u64 x, u32 negative, hw_round mode) {
    u32 extra = x >> 53 ? 11 - (u32)__builtin_clzll(x) : 0;
    u64 kept = x >> extra;
    u64 away = mode == HW_RZ ? 0 : (mode == HW_RM) == negative;
    kept += away & (u64)(kept << extra != x);
    return (f64)kept * (f64)((u64)1 << extra);
}
static inline f64 u64_to_double(u64 x, hw_round mode) { return magnitude_to_double(x, 0, mode); }
static inline f64 s64_to_double(s64 x, hw_round mode) {
    f64 magnitude = magnitude_to_double(x < 0 ? 0 - (u64)x : (u64)x, x < 0, mode);
    return x < 0 ? -magnitude : magnitude;
}

// f16 ends below 2^16: what lies further out is the same as 2^17, which a float holds exactly.
#define BEYOND_HALF_U(x) ((x) < 131072 ? (u32)(x) : 131072)
#define BEYOND_HALF_S(x) ((x) < -131072 ? -131072 : (x) > 131072 ? 131072 : (s32)(x))

// A value that is integral already, to an integer type: clamped. NaN becomes 0 in up to 32 bits, but from f64, and in
// 64 bits from all types, the highest bit alone (as on an H200). What does not fit is kept away from the conversion.
#define TO_INTEGERS(type, nan)                                                                                \
    static inline s32 type##_to_s32_within(type x, type low, type high) {                                     \
        x = x > low ? x : low;                                                                                \
        return (s32)(x < high ? x : high);                                                                    \
    }                                                                                                         \
    static inline s8 type##_to_s8(type x) {                                                                   \
        return (s8)(x == x ? type##_to_s32_within(x, -128, 127) : nan(8));                                    \
    }                                                                                                         \
    static inline u8 type##_to_u8(type x) { return (u8)(x == x ? type##_to_s32_within(x, 0, 255) : nan(8)); } \
    static inline s16 type##_to_s16(type x) {                                                                 \
        return (s16)(x == x ? type##_to_s32_within(x, -32768, 32767) : nan(16));                              \
    }                                                                                                         \
    static inline u16 type##_to_u16(type x) {                                                                 \
        return (u16)(x == x ? type##_to_s32_within(x, 0, 65535) : nan(16));                                   \
    }                                                                                                         \
    static inline s32 type##_to_s32(type x) {                                                                 \
        type y = x < (type)0x1p31 ? x : 0;                                                                    \
        s32 r = (s32)(y > -(type)0x1p31 ? y : -(type)0x1p31);                                                 \
        return x >= (type)0x1p31 ? INT32_MAX : x == x ? r : (s32)nan(32);                                     \
    }                                                                                                         \
    static inline u32 type##_to_u32(type x) {                                                                 \
        type y = x < (type)0x1p32 ? x : 0;                                                                    \
        u32 r = (u32)(y > 0 ? y : 0);                                                                         \
        return x >= (type)0x1p32 ? UINT32_MAX : x == x ? r : (u32)nan(32);                                    \
    }                                                                                                         \
    static inline s64 type##_to_s64(type x) {                                                                 \
        type y = x < (type)0x1p63 ? x : 0;                                                                    \
        s64 r = (s64)(y > -(type)0x1p63 ? y : -(type)0x1p63);                                                 \
        return x >= (type)0x1p63 ? INT64_MAX : x == x ? r : INT64_MIN;                                        \
    }                                                                                                         \
    static inline u64 type##_to_u64(type x) {                                                                 \
        type y = x < (type)0x1p64 ? x : 0;                                                                    \
        u64 r = (u64)(y > 0 ? y : 0);                                                                         \
        return x >= (type)0x1p64 ? UINT64_MAX : x == x ? r : (u64)1 << 63;                                    \
    }
#define ZERO(bits) 0
#define HIGHEST_BIT(bits) ((s64)1 << (bits - 1))
TO_INTEGERS(float, ZERO)
TO_INTEGERS(double, HIGHEST_BIT)

#endif
