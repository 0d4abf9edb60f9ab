// Functions of integers that rows of isa/bodies/int.def and wide.def name.
#ifndef HW_EXEC_VALUE_INT_H
#define HW_EXEC_VALUE_INT_H

#include "exec/ops/value_types.h"

static inline u32 add_saturated(u32 a, u32 b) {
    u32 sum = a + b;
    return (s32)((sum ^ a) & (sum ^ b)) < 0 ? 0x7fffffffu + (a >> 31) : sum;
}

static inline u32 sub_saturated(u32 a, u32 b) {
    u32 difference = a - b;
    return (s32)((a ^ b) & (a ^ difference)) < 0 ? 0x7fffffffu + (a >> 31) : difference;
}

// The 48-bit product of the low 24 bits.
static inline s64 mul24_signed(u32 a, u32 b) { return (s64)((s32)(a << 8) >> 8) * ((s32)(b << 8) >> 8); }
static inline u64 mul24_unsigned(u32 a, u32 b) { return (u64)(a & 0xffffff) * (b & 0xffffff); }

// Halves of a packed pair.
#define LOW_S(x) ((s32)(s16)(x))
#define HIGH_S(x) ((s32)(x) >> 16)
#define LOW_U(x) ((s32)((x) & 0xffff))
#define HIGH_U(x) ((s32)((x) >> 16))
static inline u32 pair(s32 low, s32 high) { return ((u32)low & 0xffff) | (u32)high << 16; }
static inline s32 min_signed(s32 a, s32 b) { return a < b ? a : b; }
static inline s32 max_signed(s32 a, s32 b) { return a > b ? a : b; }
static inline s32 not_negative(s32 a) { return a > 0 ? a : 0; }

// A quotient of 32-bit integers is the truncated quotient of the doubles: it differs from the next integer by 1/b at
// least, far more than rounding can move it. Vectors have that division and none of integers.
// Division by zero gives all ones as quotient and as remainder, INT_MIN / -1 is INT_MIN, as on an H200; both divide by
// 1 here, so that no conversion overflows.
static inline u32 quotient_u32(u32 a, u32 b) {
    u32 q = (u32)((double)a / (double)(b ? b : 1));
    return b ? q : 0xffffffffu;
}
static inline s32 quotient_s32(s32 a, s32 b) {
    s32 divisor = b == 0 || (b == -1 && a == INT32_MIN) ? 1 : b;
    s32 q = (s32)((double)a / (double)divisor);
    return b ? q : -1;
}
static inline u32 remainder_u32(u32 a, u32 b) { return b ? a - quotient_u32(a, b) * b : 0xffffffffu; }
static inline s32 remainder_s32(s32 a, s32 b) {
    return b ? (s32)((u32)a - (u32)quotient_s32(a, b) * (u32)b) : -1;
}

static inline u64 quotient_u64(u64 a, u64 b) {
    if ((a | b) >> 32 == 0 && b) return (u32)a / (u32)b;   // several times faster on most processors
    return b ? a / b : ~0ull;
}
static inline s64 quotient_s64(s64 a, s64 b) {
    if (b == 0) return -1;
    if (b == -1) return (s64)(0 - (u64)a);
    if (((u64)a | (u64)b) >> 32 == 0) return (u32)a / (u32)b;
    return a / b;
}
static inline u64 remainder_u64(u64 a, u64 b) { return b ? a - quotient_u64(a, b) * b : ~0ull; }
static inline s64 remainder_s64(s64 a, s64 b) { return b ? (s64)((u64)a - (u64)quotient_s64(a, b) * (u64)b) : -1; }

static inline u64 high_signed(u64 a, u64 b) { return (u64)((__int128)(s64)a * (s64)b >> 64); }
static inline u64 high_unsigned(u64 a, u64 b) { return (u64)((unsigned __int128)a * b >> 64); }
static inline u32 high_signed_32(u32 a, u32 b) { return (u32)((s64)(s32)a * (s32)b >> 32); }
static inline u32 high_unsigned_32(u32 a, u32 b) { return (u32)((u64)a * b >> 32); }

#endif
