// The device math library: what the rows of builtin_math.def say, with the words they use.
#define _GNU_SOURCE
#include "exec/ops/builtin_math.h"

#include <math.h>
#include <stdbool.h>
#include <string.h>

#include "exec/ops/approx.h"
#include "exec/ops/float_lanes.h"
#include "exec/ops/half.h"
#include "exec/ops/special_math.h"

// ---- cells ----

static inline uint64_t cell_of_double(double x) { return hw_double_bits(x); }
static inline uint64_t cell_of_float(float x) { return hw_float_bits(hw_canonical(x)); }

#define F(k) hw_bits_float((uint32_t)args[k])
#define D(k) hw_bits_double(args[k])
#define I(k) ((int32_t)args[k])
#define U(k) ((uint32_t)args[k])
#define L(k) ((int64_t)args[k])
#define M(k) (args[k])
#define ARRAY(k) ((const void *)(uintptr_t)args[k])
#define TO_F_AT(k, value) (ret[k] = cell_of_float((float)(value)))
#define TO_D_AT(k, value) (ret[k] = cell_of_double((double)(value)))
#define TO_I_AT(k, value) (ret[k] = (uint32_t)(value))
#define TO_F(value) TO_F_AT(0, value)
#define TO_D(value) TO_D_AT(0, value)
#define TO_I(value) TO_I_AT(0, value)
#define TO_U(value) TO_I_AT(0, value)
#define TO_L(value) (ret[0] = (uint64_t)(value))
#define TO_M(value) (ret[0] = (value))
#define SIGN_32 0x80000000u
#define SIGN_64 (1ull << 63)

// The arguments are read, and the result is written, between the two changes of the mode.
#define IN_MODE(mode, statement)                   \
    hw_round_state old = hw_round_enter(mode);     \
    statement;                                     \
    hw_round_leave(old)
#define IN_RN(statement) statement
#define IN_RZ(statement) IN_MODE(HW_ROUND_RZ, statement)
#define IN_RM(statement) IN_MODE(HW_ROUND_RM, statement)
#define IN_RP(statement) IN_MODE(HW_ROUND_RP, statement)

// ---- floating point ----

// NaN loses; -0 is less than +0.
static double smaller(double a, double b) {
    if (a != a) return b;
    if (b != b) return a;
    return a < b || (a == b && signbit(a)) ? a : b;
}

static double larger(double a, double b) {
    if (a != a) return b;
    if (b != b) return a;
    return a > b || (a == b && !signbit(a)) ? a : b;
}

static int exponent_of(double x) {
    if (x == 0 || x != x) return INT32_MIN;
    return isinf(x) ? INT32_MAX : ilogb(x);
}

// Whole numbers to integers, saturating. NaN becomes 0, or, when either side is 64 bits wide, the sign bit alone
// (PTX ISA 9.0 section 9.7.9.21).
static uint32_t to_s32(double x, bool wide) {
    if (x != x) return wide ? 0x80000000u : 0;
    return (uint32_t)(x <= -0x1p31 ? INT32_MIN : x >= 0x1p31 ? INT32_MAX : (int32_t)x);
}

static uint32_t to_u32(double x, bool wide) {
    if (x != x) return wide ? 0x80000000u : 0;
    return x <= 0 ? 0 : x >= 0x1p32 ? UINT32_MAX : (uint32_t)x;
}

static uint64_t to_s64(double x, bool wide) {
    if (x != x) return wide ? 1ull << 63 : 0;
    return (uint64_t)(x <= -0x1p63 ? INT64_MIN : x >= 0x1p63 ? INT64_MAX : (int64_t)x);
}

static uint64_t to_u64(double x, bool wide) {
    if (x != x) return wide ? 1ull << 63 : 0;
    return x <= 0 ? 0 : x >= 0x1p64 ? UINT64_MAX : (uint64_t)x;
}

// Integers to the nearest float or double, which is at most a step off, and that step. Not in a rounding mode: what
// compilers make of a conversion from unsigned is right to nearest only.
static int last_place(__int128 exact, __int128 rounded, hw_round mode) {
    bool grew = exact < 0 ? rounded < exact : rounded > exact, shrank = rounded != exact && !grew;
    bool away = (mode == HW_RP && exact > 0) || (mode == HW_RM && exact < 0);
    if (mode == HW_RN) return 0;
    return away ? shrank : -grew;
}

static float float_of_integer(__int128 exact, hw_round mode) {
    float r = (float)exact;
    return hw_bits_float(hw_float_bits(r) + (uint32_t)last_place(exact, (__int128)r, mode));
}

static double double_of_integer(__int128 exact, hw_round mode) {
    double r = (double)exact;
    return hw_bits_double(hw_double_bits(r) + (uint64_t)(int64_t)last_place(exact, (__int128)r, mode));
}

// rcp.approx.ftz.f64.
static uint64_t reciprocal_high(uint64_t bits) {
    return hw_double_bits(hw_high_word(1.0 / hw_coarse_double(hw_bits_double(bits))));
}

// ---- integers ----

static uint64_t reversed(uint64_t x) {
    x = (x >> 1 & 0x5555555555555555ull) | (x & 0x5555555555555555ull) << 1;
    x = (x >> 2 & 0x3333333333333333ull) | (x & 0x3333333333333333ull) << 2;
    x = (x >> 4 & 0x0f0f0f0f0f0f0f0full) | (x & 0x0f0f0f0f0f0f0f0full) << 4;
    return __builtin_bswap64(x);
}

// Four bytes of eight, chosen by three bits of each nibble.
static uint32_t permuted(uint64_t bytes, uint32_t choice) {
    uint32_t r = 0;
    for (int i = 0; i < 4; i++) r |= (uint32_t)(bytes >> 8 * (choice >> 4 * i & 7) & 0xff) << 8 * i;
    return r;
}

static int32_t low_24(int32_t x) { return (int32_t)((uint32_t)x << 8) >> 8; }

static int clamped_s(int x, int bits) {
    int most = (1 << (bits - 1)) - 1;
    return x > most ? most : x < -most - 1 ? -most - 1 : x;
}

static int clamped_u(int x, int bits) {
    int most = (1 << bits) - 1;
    return x > most ? most : x < 0 ? 0 : x;
}

static inline int part_u(uint64_t cell, int at, int bits) { return (int)((uint32_t)cell >> at & ((1u << bits) - 1)); }
static inline int part_s(uint64_t cell, int at, int bits) {
    return (int32_t)((uint32_t)cell << (32 - bits - at)) >> (32 - bits);
}

// value, an expression in a and b, of each part of so many bits, put together or added up.
#define EACH_PART(part, second, bits, value, join)                                  \
    uint32_t r = 0;                                                                 \
    for (int at = 0; at < 32; at += bits) {                                         \
        int a = part(args[0], at, bits), b = second;                                \
        (void)b;                                                                    \
        join((uint32_t)(value), at, bits);                                          \
    }                                                                               \
    TO_U(r)
#define PUT(value, at, bits) r |= ((value) & ((1u << (bits)) - 1)) << (at)
#define ADD(value, at, bits) r += (value)
#define PARTS_S1(bits, value) EACH_PART(part_s, 0, bits, value, PUT)
#define PARTS_S(bits, value) EACH_PART(part_s, part_s(args[1], at, bits), bits, value, PUT)
#define PARTS_U(bits, value) EACH_PART(part_u, part_u(args[1], at, bits), bits, value, PUT)
#define SUM_S(bits, value) EACH_PART(part_s, part_s(args[1], at, bits), bits, value, ADD)
#define SUM_U(bits, value) EACH_PART(part_u, part_u(args[1], at, bits), bits, value, ADD)

// ---- the table ----

#define MATH(name, signature, ...)                                                  \
    static void call##name(const uint64_t *args, uint64_t *ret) {                   \
        (void)args, (void)ret;                                                      \
        __VA_ARGS__;                                                                \
    }
#include "exec/ops/builtin_math.def"
#undef MATH

#define MATH(name, signature, ...) {#name, signature, call##name},
static const hw_math_row rows[] = {
#include "exec/ops/builtin_math.def"
};

const hw_math_row *hw_math_at(uint32_t number) { return &rows[number - 1]; }

uint32_t hw_math_find(const char *name) {
    size_t low = 0, high = sizeof rows / sizeof *rows;
    while (low < high) {
        size_t middle = (low + high) / 2;
        int order = strcmp(name, rows[middle].name);
        if (order == 0) return (uint32_t)middle + 1;
        if (order < 0) high = middle;
        else low = middle + 1;
    }
    return 0;
}
