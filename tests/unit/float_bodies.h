// What the tests of floating-point bodies share: running one body of a level on lanes of bits, and rounding references
// that use neither the bodies' arithmetic nor their rounding.
#ifndef HW_TESTS_FLOAT_BODIES_H
#define HW_TESTS_FLOAT_BODIES_H

#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <setjmp.h>
#include <cmocka.h>
#include <fenv.h>
#include <math.h>
#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exec/ops/lanes.h"
#include "exec/ops/level.h"

// ---- levels ----

static const hw_body_group float_groups[] = {HW_BODIES_f32,    HW_BODIES_f64,     HW_BODIES_half,
                                             HW_BODIES_approx, HW_BODIES_rounded, HW_BODIES_fcompare};
enum { FLOAT_GROUP_COUNT = sizeof float_groups / sizeof *float_groups };
typedef const hw_level *level_here;

// The levels that were built and that this processor runs. Returns how many.
static inline int levels_here(level_here *levels) {
    const hw_level *level;
    int n = 0;
    for (size_t i = 0; (level = hw_level_at(i)); i++)
        if (hw_level_runs_here(level)) levels[n++] = level;
    return n;
}

static inline hw_body find_body(const hw_level *level, const char *name) {
    hw_body_id id = hw_body_find(name);
    for (int k = 0; k < FLOAT_GROUP_COUNT; k++)
        if (id && hw_body_info_of(id)->group == float_groups[k]) return hw_level_forms(level, id)->body;
    fail_msg("no body is named %s", name);
    return NULL;
}

// ---- running one ----

// Lanes of d, a, b, c at these offsets of a frame, and the predicates behind them. Each slot has room for 64-bit lanes.
enum { AT_D = 0, AT_A = 256, AT_B = 512, AT_C = 768, AT_E = 1024, AT_P = 1028, AT_D_PRED = 1032, FRAME_BYTES = 1088 };

typedef struct bench {
    _Alignas(64) char frame[FRAME_BYTES];
    hw_warp warp;
    hw_inst insts[2];
} bench;

static inline const hw_inst *stop_here(hw_warp *warp, const hw_inst *inst) {
    (void)warp;
    return inst;
}

static inline void bench_start(bench *t, uint32_t mask) {
    memset(t, 0, sizeof *t);
    hw_set_base(&t->warp, HW_BASE_FRAME, t->frame);
    t->warp.mask = mask;
    for (int i = 0; i < 32; i++) t->warp.lanes[i] = mask >> i & 1 ? -1 : 0;
    t->insts[0] = (hw_inst){.d = AT_D, .a = AT_A, .b = AT_B, .c = AT_C, .e = HW_NO_SLOT, .p = HW_NO_SLOT};
    t->insts[1].body = stop_here;
}

// Runs the body; whether it goes on to the next instruction itself or returns it, that is where it must end.
static inline void bench_run(bench *t, hw_body body) {
    const hw_inst *next = body(&t->warp, &t->insts[0]);
    assert_ptr_equal(next, &t->insts[1]);
}

static inline uint64_t get_lane(const bench *t, int slot, int bytes, int i) {
    uint64_t bits = 0;
    memcpy(&bits, t->frame + slot + i * bytes, (size_t)bytes);
    return bits;
}

static inline void set_lane(bench *t, int slot, int bytes, int i, uint64_t bits) {
    memcpy(t->frame + slot + i * bytes, &bits, (size_t)bytes);
}

// ---- random bits: splitmix64 ----

static inline uint64_t next_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// ---- formats and rounding ----

typedef struct format {
    int bytes, precision;   // precision in bits, the implied one included
    int bias, exponent_bits;
    uint64_t nan;
} format;
static const format F16 = {2, 11, 15, 5, 0x7fff}, BF16 = {2, 8, 127, 8, 0x7fff}, F32 = {4, 24, 127, 8, 0x7fffffff},
                    F64 = {8, 53, 1023, 11, 0xfff8000000000000ull};

static inline uint64_t sign_of(const format *f) { return 1ull << (8 * f->bytes - 1); }
static inline uint64_t infinity_of(const format *f) {
    return (((uint64_t)1 << f->exponent_bits) - 1) << (f->precision - 1);
}
static inline bool is_nan_bits(const format *f, uint64_t bits) { return (bits & ~sign_of(f)) > infinity_of(f); }
static inline uint64_t flush_bits(const format *f, uint64_t bits) {
    return bits & infinity_of(f) ? bits : bits & sign_of(f);
}

static inline double value_of(const format *f, uint64_t bits) {
    uint64_t magnitude = bits & ~sign_of(f), fraction = magnitude & (((uint64_t)1 << (f->precision - 1)) - 1);
    int exponent = (int)(magnitude >> (f->precision - 1));
    double v;
    if (is_nan_bits(f, bits)) return (double)NAN;
    if (magnitude == infinity_of(f)) v = (double)INFINITY;
    else if (exponent == 0) v = ldexp((double)fraction, 2 - f->bias - f->precision);
    else v = ldexp((double)(fraction | (uint64_t)1 << (f->precision - 1)), exponent - f->bias + 1 - f->precision);
    return bits & sign_of(f) ? -v : v;
}

typedef enum rounding { RN, RZ, RM, RP } rounding;
static const char *const rounding_words[] = {"rn", "rz", "rm", "rp"};
static const int rounding_modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

// x, finite or not, to the format, by integer arithmetic on its digits.
static inline uint64_t round_to(const format *f, long double x, rounding mode) {
    if (x != x) return f->nan;
    uint64_t sign = signbit(x) ? sign_of(f) : 0;
    if (x == 0) return sign;
    if (isinf(x)) return sign | infinity_of(f);
    int exponent;
    long double m = frexpl(fabsl(x), &exponent);              // 1/2 <= m < 1
    int lowest = 2 - f->bias - f->precision;                  // exponent of the last place of subnormals
    int place = exponent - f->precision > lowest ? exponent - f->precision : lowest;
    long double scaled = ldexpl(m, exponent - place), whole = floorl(scaled), rest = scaled - whole;
    uint64_t units = (uint64_t)whole;
    bool up = mode == RN ? rest > 0.5L || (rest == 0.5L && units & 1)
              : mode == RM ? rest > 0 && sign : mode == RP ? rest > 0 && !sign : false;
    units += up;
    if (units >> f->precision) units >>= 1, place++;
    uint64_t biased = units >> (f->precision - 1) ? (uint64_t)(place - lowest + 1) : 0;
    uint64_t bits = (biased << (f->precision - 1)) + (biased ? units - ((uint64_t)1 << (f->precision - 1)) : units);
    if (bits < infinity_of(f)) return sign | bits;
    bool to_infinity = mode == RN || (mode == RM && sign) || (mode == RP && !sign);
    return sign | (infinity_of(f) - !to_infinity);
}

typedef enum operation { ADD, SUB, MUL, FMA, DIV, RCP, SQRT } operation;

static inline double operate(operation op, double da, double db, double dc, int fe_mode) {
    volatile double a = da, b = db, c = dc, r = 0;
    fesetround(fe_mode);
    switch (op) {
    case ADD: r = a + b; break;
    case SUB: r = a - b; break;
    case MUL: r = a * b; break;
    case FMA: r = fma(a, b, c); break;
    case DIV: r = a / b; break;
    case RCP: r = 1.0 / a; break;
    case SQRT: r = sqrt(a); break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

// The correctly rounded result for formats narrower than double: the operation in double, rounded down and up. Where
// the two differ, the exact result lies between them, and so does their mean: no tie of the narrower format does.
static inline uint64_t expected_bits(const format *f, operation op, const uint64_t *in, rounding mode) {
    double a = value_of(f, in[0]), b = value_of(f, in[1]), c = value_of(f, in[2]);
    double low = operate(op, a, b, c, FE_DOWNWARD), high = operate(op, a, b, c, FE_UPWARD);
    if (low != low) return f->nan;
    if (low == high) return round_to(f, operate(op, a, b, c, rounding_modes[mode]), mode);
    return round_to(f, ((long double)low + (long double)high) / 2, mode);
}

#endif
