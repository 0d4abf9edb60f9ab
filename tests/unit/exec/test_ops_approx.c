// Approximate functions: the largest error over a dense sample stays within what the PTX ISA states, special values are
// as its tables say, and .ftz flushes.
#include "float_bodies.h"

static level_here levels[3];
static int n_levels;

// Runs a unary f32 body on 32 values.
static void run32(int level, const char *name, const float *x, float *y) {
    static hw_body body;
    static char last[32];
    static int last_level = -1;
    if (level != last_level || strcmp(last, name)) {
        body = find_body(levels[level], name);
        snprintf(last, sizeof last, "%s", name);
        last_level = level;
    }
    bench t;
    bench_start(&t, 0xffffffffu);
    memcpy(t.frame + AT_A, x, 128);
    bench_run(&t, body);
    memcpy(y, t.frame + AT_D, 128);
}

static float one(int level, const char *name, float x) {
    float in[32], out[32];
    for (int i = 0; i < 32; i++) in[i] = x;
    run32(level, name, in, out);
    return out[7];
}

static double ulp_of(double v) {
    int e;
    frexp(v, &e);
    return ldexp(1.0, e - 24 > -149 ? e - 24 : -149);
}

typedef enum measure { ABSOLUTE, RELATIVE, ULPS } measure;
static double reference_rcp(double x) { return 1.0 / x; }
static double reference_rsqrt(double x) { return 1.0 / sqrt(x); }

// Largest errors as the sections of PTX ISA 9.0 state them (9.7.3.13 to 9.7.3.22).
static const struct bound {
    const char *name;
    double (*exact)(double);
    double low, high;          // sampled evenly between, or by bits when by_bits
    bool by_bits;
    measure kind;
    double limit;
} bounds[] = {
    {"rcp.approx.f32", reference_rcp, 0x1p-127, 0x1p127, true, ULPS, 1},
    {"rcp.ftz.approx.f32", reference_rcp, 0x1p-126, 0x1p125, true, ULPS, 1},
    {"sqrt.approx.f32", sqrt, 0x1p-149, 0x1p127, true, RELATIVE, 0x1p-23},
    {"rsqrt.approx.f32", reference_rsqrt, 0x1p-149, 0x1p127, true, RELATIVE, 0x1.125p-23},   // 2^-22.9
    {"sin.approx.f32", sin, -6.2831853, 6.2831853, false, ABSOLUTE, 0x1.6a0p-21},            // 2^-20.5
    {"cos.approx.f32", cos, -6.2831853, 6.2831853, false, ABSOLUTE, 0x1.6a0p-21},
    {"sin.approx.f32", sin, -314.159, 314.159, false, ABSOLUTE, 0x1.3b2p-15},                // 2^-14.7
    {"cos.approx.f32", cos, -314.159, 314.159, false, ABSOLUTE, 0x1.3b2p-15},
    {"lg2.approx.f32", log2, 0.5, 2.0, false, ABSOLUTE, 0x1.51fp-23},                        // 2^-22.6
    {"lg2.approx.f32", log2, 0x1p-149, 0.5, true, RELATIVE, 0x1p-22},
    {"lg2.approx.f32", log2, 2.0, 0x1p127, true, RELATIVE, 0x1p-22},
    {"lg2.ftz.approx.f32", log2, 2.0, 0x1p127, true, RELATIVE, 0x1p-22},
    {"ex2.approx.f32", exp2, -149, 127.9, false, ULPS, 2},
    {"ex2.ftz.approx.f32", exp2, -126, 127.9, false, RELATIVE, 0x1p-22},
    {"ex2.approx.f32", exp2, 0x1p-40, 1.0, true, RELATIVE, 0x1p-22},
    {"tanh.approx.f32", tanh, 0x1p-149, 50.0, true, RELATIVE, 0x1p-11},
    {"tanh.approx.f32", tanh, -3, 3, false, RELATIVE, 0x1p-20},                              // what ours promises
};

static uint32_t bits_of(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}

static float float_of(uint32_t bits) {
    float x;
    memcpy(&x, &bits, 4);
    return x;
}

static void errors_within_bounds(void **state) {
    (void)state;
    enum { SAMPLES = 1 << 18 };
    for (int level = 0; level < n_levels; level++)
        for (size_t k = 0; k < sizeof bounds / sizeof *bounds; k++) {
            const struct bound *b = &bounds[k];
            double worst = 0, at = 0;
            for (int n = 0; n < SAMPLES; n += 32) {
                float x[32], y[32];
                for (int i = 0; i < 32; i++) {
                    double part = (n + i) / (double)(SAMPLES - 1);
                    uint32_t low = bits_of((float)b->low), high = bits_of((float)b->high);
                    x[i] = b->by_bits ? float_of(low + (uint32_t)(part * (high - low)))
                                      : (float)(b->low + part * (b->high - b->low));
                }
                run32(level, b->name, x, y);
                for (int i = 0; i < 32; i++) {
                    double exact = b->exact(x[i]), error = fabs(y[i] - exact);
                    if (b->kind == RELATIVE && exact != 0) error /= fabs(exact);
                    if (b->kind == RELATIVE && fabs(exact) < 0x1p-126) error = 0;   // subnormal: by its own digits only
                    if (b->kind == ULPS) error /= ulp_of(exact);
                    if (!(error <= worst)) worst = error, at = x[i];
                }
            }
            if (!(worst <= b->limit)) fail_msg("%s level %d: error %g at %a", b->name, level, worst, at);
        }
}

static void divisions(void **state) {
    (void)state;
    static const char *const names[] = {"div.approx.f32", "div.full.f32", "div.ftz.approx.f32", "div.ftz.full.f32"};
    uint64_t random = 3;
    for (int level = 0; level < n_levels; level++)
        for (int k = 0; k < 4; k++) {
            hw_body body = find_body(levels[level], names[k]);
            for (int round = 0; round < 2000; round++) {
                bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++) {
                    set_lane(&t, AT_A, 4, i, next_random(&random));
                    set_lane(&t, AT_B, 4, i, next_random(&random));
                }
                bench_run(&t, body);
                for (int i = 0; i < 32; i++) {
                    double a = value_of(&F32, get_lane(&t, AT_A, 4, i)), b = value_of(&F32, get_lane(&t, AT_B, 4, i));
                    double got = value_of(&F32, get_lane(&t, AT_D, 4, i)), exact = a / b;
                    if (!isfinite(exact) || fabs(a) < 0x1p-126 || fabs(b) < 0x1p-126) continue;
                    if (fabs(exact) < 0x1p-126 || fabs(exact) > 0x1.fffffep127) continue;
                    if (k % 2 == 0 && fabs(b) > 0x1p126) assert_true(got == 0 && signbit(got) == signbit(exact));
                    else if (!(fabs(got - exact) <= 2 * ulp_of(exact)))
                        fail_msg("%s: %a / %a gives %a", names[k], a, b, got);
                }
            }
        }
}

// Bits of operand and result.
#define INF 0x7f800000u
#define MINUS_INF 0xff800000u
#define NAN_F32 0x7fffffffu
#define ZERO 0u
#define MINUS_ZERO 0x80000000u
#define UNIT 0x3f800000u
#define TINY 1u
#define MINUS_TINY 0x80000001u
static const struct special {
    const char *name;
    uint32_t x, y;
} specials[] = {
    {"rcp.approx.f32", ZERO, INF}, {"rcp.approx.f32", MINUS_ZERO, MINUS_INF}, {"rcp.approx.f32", INF, ZERO},
    {"rcp.approx.f32", MINUS_INF, MINUS_ZERO}, {"rcp.approx.f32", 0x7f000000, 0x00400000},
    {"rcp.ftz.approx.f32", 0x7f000000, ZERO}, {"rcp.ftz.approx.f32", MINUS_TINY, MINUS_INF},
    {"sqrt.approx.f32", MINUS_ZERO, MINUS_ZERO}, {"sqrt.approx.f32", 0xbf800000, NAN_F32},
    {"sqrt.approx.f32", INF, INF}, {"sqrt.ftz.approx.f32", MINUS_TINY, MINUS_ZERO},
    {"sqrt.approx.f32", MINUS_TINY, NAN_F32}, {"rsqrt.approx.f32", ZERO, INF},
    {"rsqrt.approx.f32", MINUS_ZERO, MINUS_INF}, {"rsqrt.approx.f32", INF, ZERO},
    {"rsqrt.approx.f32", 0xbf800000, NAN_F32}, {"rsqrt.ftz.approx.f32", MINUS_TINY, MINUS_INF},
    {"sin.approx.f32", ZERO, ZERO}, {"sin.approx.f32", MINUS_ZERO, MINUS_ZERO},
    {"sin.approx.f32", INF, NAN_F32}, {"sin.ftz.approx.f32", MINUS_TINY, MINUS_ZERO},
    {"sin.approx.f32", MINUS_INF, NAN_F32}, {"cos.approx.f32", ZERO, UNIT}, {"cos.approx.f32", TINY, UNIT},
    {"cos.approx.f32", INF, NAN_F32}, {"lg2.approx.f32", ZERO, MINUS_INF},
    {"lg2.approx.f32", MINUS_ZERO, MINUS_INF}, {"lg2.approx.f32", INF, INF}, {"lg2.approx.f32", UNIT, ZERO},
    {"lg2.approx.f32", TINY, 0xc3150000}, {"lg2.approx.f32", 0xbf800000, NAN_F32},
    {"lg2.ftz.approx.f32", TINY, MINUS_INF}, {"lg2.approx.f32", MINUS_INF, NAN_F32},
    {"ex2.approx.f32", MINUS_INF, ZERO}, {"ex2.approx.f32", MINUS_ZERO, UNIT}, {"ex2.approx.f32", INF, INF},
    {"ex2.approx.f32", 0xc3150000, TINY}, {"ex2.approx.f32", 0xc30c0000, 0x00000200},
    {"ex2.approx.f32", 0x43000000, INF}, {"ex2.ftz.approx.f32", 0xc30c0000, ZERO},
    {"ex2.ftz.approx.f32", TINY, UNIT}, {"ex2.approx.f32", 0x7f000000, INF},
    {"ex2.approx.f32", 0xff000000, ZERO}, {"tanh.approx.f32", INF, UNIT},
    {"tanh.approx.f32", MINUS_INF, 0xbf800000}, {"tanh.approx.f32", ZERO, ZERO},
    {"tanh.approx.f32", MINUS_ZERO, MINUS_ZERO}, {"tanh.approx.f32", TINY, TINY},
};

static void special_values(void **state) {
    (void)state;
    static const char *const all[] = {"rcp.approx.f32", "sqrt.approx.f32", "rsqrt.approx.f32", "sin.approx.f32",
                                      "cos.approx.f32", "lg2.approx.f32", "ex2.approx.f32", "tanh.approx.f32"};
    for (int level = 0; level < n_levels; level++) {
        for (size_t k = 0; k < sizeof specials / sizeof *specials; k++) {
            const struct special *c = &specials[k];
            uint32_t got = bits_of(one(level, c->name, float_of(c->x)));
            if (got != c->y) fail_msg("%s level %d: %x gives %x, not %x", c->name, level, c->x, got, c->y);
        }
        for (size_t k = 0; k < sizeof all / sizeof *all; k++)
            assert_int_equal(bits_of(one(level, all[k], float_of(0xffc12345))), NAN_F32);
        // Beyond what can be reduced: bounded all the same.
        assert_true(fabsf(one(level, "sin.approx.f32", 3e38f)) <= 1.0f);
        assert_true(fabsf(one(level, "cos.approx.f32", 1e20f)) <= 1.0f);
    }
}

// ex2 and tanh of all halves: to the bound, and the pair of two halves is the two results.
static void halves(void **state) {
    (void)state;
    static const struct {
        const char *name;
        const format *f;
        double (*exact)(double), limit;
        bool ftz;
    } rows[] = {
        {"ex2.approx.f16", &F16, exp2, 0x1.125p-10, false},          // 2^-9.9
        {"ex2.ftz.approx.bf16", &BF16, exp2, 0x1p-7, true},
        {"tanh.approx.f16", &F16, tanh, 0x1.025p-11, false},         // 2^-10.987
        {"tanh.approx.bf16", &BF16, tanh, 0x1p-8, false}};
    for (int level = 0; level < n_levels; level++)
        for (size_t k = 0; k < sizeof rows / sizeof *rows; k++) {
            const format *f = rows[k].f;
            char pairs[64];
            snprintf(pairs, sizeof pairs, "%sx2", rows[k].name);
            hw_body body = find_body(levels[level], rows[k].name), both = find_body(levels[level], pairs);
            double least = ldexp(1.0, 1 - f->bias), spacing = ldexp(1.0, 2 - f->bias - f->precision);
            for (int n = 0; n < 65536; n += 32) {
                bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++) set_lane(&t, AT_A, 2, i, (uint64_t)(n + i));
                bench_run(&t, body);
                for (int i = 0; i < 32; i++) {
                    uint64_t bits = get_lane(&t, AT_D, 2, i);
                    double exact = rows[k].exact(value_of(f, (uint64_t)(n + i))), got = value_of(f, bits);
                    if (exact != exact) { assert_int_equal(bits, 0x7fff); continue; }
                    if (rows[k].ftz && fabs(exact) < least && got == 0) continue;
                    bool overflows = exact > value_of(f, infinity_of(f) - 1);
                    double allowed = fabs(exact) < least ? spacing : rows[k].limit * fabs(exact);
                    if (overflows ? !isinf(got) : !(fabs(got - exact) <= allowed))
                        fail_msg("%s level %d: %x gives %g, not %g", rows[k].name, level, (unsigned)(n + i), got,
                                 exact);
                }
                bench pair = t;
                hw_set_base(&pair.warp, HW_BASE_FRAME, pair.frame);
                for (int i = 0; i < 32; i++)
                    set_lane(&pair, AT_A, 2, 32 + i, (uint64_t)(n ^ 0x5a5a) + (uint64_t)(31 - i));
                bench_run(&pair, both);
                assert_memory_equal(pair.frame + AT_D, t.frame + AT_D, 64);
            }
        }
}

// f64: only the high words of operand and result count.
static void coarse_f64(void **state) {
    (void)state;
    uint64_t random = 11;
    for (int level = 0; level < n_levels; level++)
        for (int which = 0; which < 2; which++) {
            hw_body body = find_body(levels[level], which ? "rsqrt.ftz.approx.f64" : "rcp.ftz.approx.f64");
            for (int round = 0; round < 500; round++) {
                bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++) {
                    uint64_t bits = next_random(&random);
                    set_lane(&t, AT_A, 8, i, which ? bits & ~(1ull << 63) : bits);
                }
                bench_run(&t, body);
                for (int i = 0; i < 32; i++) {
                    uint64_t got = get_lane(&t, AT_D, 8, i);
                    double x = value_of(&F64, get_lane(&t, AT_A, 8, i) & 0xffffffff00000000);
                    double exact = which ? 1 / sqrt(x) : 1 / x;
                    assert_int_equal(got & 0xffffffff, 0);
                    if (!isfinite(x) || fabs(x) < 0x1p-1022 || fabs(exact) < 0x1p-1022) continue;
                    if (!(fabs(value_of(&F64, got) - exact) <= fabs(exact) * 0x1p-20))
                        fail_msg("level %d: of %a is %a, not %a", level, x, value_of(&F64, got), exact);
                }
            }
            bench t;
            const uint64_t in[] = {0, 1ull << 63, 1, 0x7ff0000000000000, 0x7ff8000000000001, 0xffffffff,
                                   0x7fe0000000000000};
            const uint64_t inf = 0x7ff0000000000000, nan = 0x7fffffff00000000;
            const uint64_t rcp[] = {inf, inf | 1ull << 63, inf, 0, nan, inf, 0};
            const uint64_t rsqrt[] = {inf, inf | 1ull << 63, inf, 0, nan, inf, 0x1ff6a09e00000000};
            bench_start(&t, 0xffffffffu);
            for (int i = 0; i < 7; i++) set_lane(&t, AT_A, 8, i, in[i]);
            bench_run(&t, body);
            for (int i = 0; i < 7; i++) {
                uint64_t got = get_lane(&t, AT_D, 8, i), want = (which ? rsqrt : rcp)[i];
                if (which && i == 6) assert_true(got >= want - 0x100000000 && got <= want + 0x100000000);
                else assert_int_equal(got, want);
            }
        }
}

int main(void) {
    n_levels = levels_here(levels);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(errors_within_bounds), cmocka_unit_test(divisions), cmocka_unit_test(special_values),
        cmocka_unit_test(halves),               cmocka_unit_test(coarse_f64),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
