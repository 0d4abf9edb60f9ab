// The native device math library: every name that clang knows is there, accuracy against values of a library of
// arbitrary precision (tests/data/math_reference.csv), exact functions against definitions of their own, special
// values.
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

#include "exec/ops/builtin_math.h"

static const hw_math_row *find_math(const char *name) {
    uint32_t number = hw_math_find(name);
    return number ? hw_math_at(number) : NULL;
}

static uint64_t bits64(double x) {
    uint64_t bits;
    memcpy(&bits, &x, 8);
    return bits;
}
static uint64_t bits32(float x) {
    uint32_t bits;
    memcpy(&bits, &x, 4);
    return bits;
}
static double as_double(uint64_t bits) {
    double x;
    memcpy(&x, &bits, 8);
    return x;
}
static float as_float(uint64_t bits) {
    uint32_t low = (uint32_t)bits;
    float x;
    memcpy(&x, &low, 4);
    return x;
}

// Calls by name with up to four cells; returns the result, and leaves all results in out.
static uint64_t out[HW_MATH_MAX_RETS];
static uint64_t call(const char *name, uint64_t a, uint64_t b, uint64_t c, uint64_t d) {
    const hw_math_row *row = find_math(name);
    if (!row) fail_msg("%s is not there", name);
    uint64_t args[HW_MATH_MAX_ARGS] = {a, b, c, d};
    memset(out, 0xee, sizeof out);
    row->call(args, out);
    assert_int_equal(fegetround(), FE_TONEAREST);
    return out[0];
}
static float call_f(const char *name, float a, float b) { return as_float(call(name, bits32(a), bits32(b), 0, 0)); }
static double call_d(const char *name, double a, double b) { return as_double(call(name, bits64(a), bits64(b), 0, 0)); }

static FILE *open_data(const char *name) {
    char path[1024];
    snprintf(path, sizeof path, "%s/tests/data/%s", HW_SOURCE_DIR, name);
    FILE *file = fopen(path, "r");
    if (!file) fail_msg("%s cannot be read", path);
    return file;
}

// ---- names and signatures ----

static void every_name_is_found(void **state) {
    (void)state;
    FILE *file = open_data("libdevice_names.txt");
    char line[256];
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#' || !line[0]) continue;
        const hw_math_row *row = find_math(line);
        if (!row) fail_msg("%s is not there", line);
        assert_string_equal(row->name, line);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 431);
    assert_null(find_math(""));
    assert_null(find_math("__nv_"));
    assert_null(find_math("__nv_sinf2"));
    assert_null(find_math("__nv_zzz"));
}

// A result and at most HW_MATH_MAX_ARGS parameters of known letters, and no cell beyond those that signatures promise
// is written.
static void signatures_hold(void **state) {
    (void)state;
    FILE *file = open_data("libdevice_names.txt");
    char line[256];
    while (fgets(line, sizeof line, file)) {
        line[strcspn(line, "\n")] = 0;
        if (line[0] == '#') continue;
        const hw_math_row *row = find_math(line);
        const char *s = row->signature;
        int params = 0, pointers = 0, arrays = 0;
        assert_non_null(strchr("vfdiuhlm", s[0]));
        assert_int_equal(s[1], ':');
        for (s += 2; *s; s++, params++) {
            if (*s == '*') pointers++, s++, assert_non_null(strchr("fdi", *s));
            else if (*s == '@') arrays++, s++, assert_true(*s == 'f' || *s == 'd');
            else assert_non_null(strchr("fdiuhlmp", *s));
        }
        assert_true(params >= 1 && params <= HW_MATH_MAX_ARGS && pointers < HW_MATH_MAX_RETS);
        if (arrays) continue;
        call(line, 0, 0, 0, 0);
        for (int k = 0; k < HW_MATH_MAX_RETS; k++) {
            bool expected = k == 0 ? row->signature[0] != 'v' : k <= pointers;
            if ((out[k] != 0xeeeeeeeeeeeeeeeeull) != expected) fail_msg("%s: result cell %d", line, k);
        }
        if (strchr("fiuh", row->signature[0])) assert_true(out[0] <= 0xffffffffu);
    }
    fclose(file);
}

// ---- accuracy ----

static double ulps(double got, double want, bool is_float) {
    int exponent;
    frexp(want, &exponent);
    return fabs(got - want) / ldexp(1.0, exponent - (is_float ? 24 : 53));
}

static void accuracy(void **state) {
    (void)state;
    FILE *file = open_data("math_reference.csv");
    char line[256];
    int n = 0;
    while (fgets(line, sizeof line, file)) {
        if (line[0] == '#') continue;
        char *rest, *name = strtok_r(line, ",", &rest), *word;
        double limit = strtod(strtok_r(NULL, ",", &rest), NULL), want = strtod(strtok_r(NULL, ",\n", &rest), NULL);
        uint64_t args[4] = {0};
        double x = 0;
        const hw_math_row *row = find_math(name);
        if (!row) fail_msg("%s is not there", name);
        bool is_float = row->signature[0] == 'f';
        for (int k = 0; k < 4 && (word = strtok_r(NULL, ",\n", &rest)); k++) {
            double v = strtod(word, NULL);
            if (k == 0) x = v;
            args[k] = is_float ? bits32((float)v) : bits64(v);
        }
        uint64_t bits = call(name, args[0], args[1], args[2], args[3]);
        double got = is_float ? as_float(bits) : as_double(bits), error = ulps(got, want, is_float);
        if (!(error <= limit)) fail_msg("%s at %a: %a, not %a: %g ulp", name, x, got, want, error);
        n++;
    }
    fclose(file);
    assert_true(n > 1800);
}

// The fast functions: the approximate instructions, within the errors of the CUDA C Programming Guide's table of
// intrinsics.
static void fast_functions(void **state) {
    (void)state;
    for (int k = 0; k <= 2000; k++) {
        float x = -3.14f + 6.28f * (float)k / 2000, e = -10 + 20 * (float)k / 2000, p = 0.01f + 10 * (float)k / 2000;
        assert_true(fabs(call_f("__nv_fast_sinf", x, 0) - sin(x)) <= 0x1p-20);
        assert_true(fabs(call_f("__nv_fast_cosf", x, 0) - cos(x)) <= 0x1p-20);
        assert_true(ulps(call_f("__nv_fast_expf", e, 0), exp(e), true) <= 2 + floor(fabs(1.173 * e)));
        assert_true(ulps(call_f("__nv_fast_exp10f", e, 0), pow(10, e), true) <= 2 + floor(fabs(2.97 * e)));
        if (p < 0.5f || p > 2) assert_true(ulps(call_f("__nv_fast_logf", p, 0), log(p), true) <= 4);
        if (p < 0.5f || p > 2) assert_true(ulps(call_f("__nv_fast_log2f", p, 0), log2(p), true) <= 4);
        if (p < 0.5f || p > 2) assert_true(ulps(call_f("__nv_fast_log10f", p, 0), log10(p), true) <= 4);
        assert_true(fabs(call_f("__nv_fast_powf", p, 1.5f) / pow(p, 1.5) - 1) <= 1e-5);
        assert_true(ulps(call_f("__nv_fast_fdividef", x, p), (double)x / p, true) <= 2);
        assert_true(fabs(call_f("__nv_fast_tanhf", e, 0) - tanh(e)) <= fabs(tanh(e)) * 0x1p-11);
        if (fabsf(x) < 1.5f) assert_true(fabs(call_f("__nv_fast_tanf", x, 0) - tan(x)) <= 1e-4 * (1 + fabs(tan(x))));
        float s = call_f("__nv_fast_sinf", x, 0), c = call_f("__nv_fast_cosf", x, 0);
        call("__nv_fast_sincosf", bits32(x), 0, 0, 0);
        assert_true(out[1] == bits32(s) && out[2] == bits32(c));
    }
}

// ---- rounding ----

static float in_mode_f(int mode, int op, float x, float y, float z) {
    volatile float a = x, b = y, c = z, r = 0;
    fesetround(mode);
    switch (op) {
    case 0: r = a + b; break;
    case 1: r = a - b; break;
    case 2: r = a * b; break;
    case 3: r = a / b; break;
    case 4: r = fmaf(a, b, c); break;
    case 5: r = 1.0f / a; break;
    default: r = sqrtf(a); break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

static double in_mode_d(int mode, int op, double x, double y, double z) {
    volatile double a = x, b = y, c = z, r = 0;
    fesetround(mode);
    switch (op) {
    case 0: r = a + b; break;
    case 1: r = a - b; break;
    case 2: r = a * b; break;
    case 3: r = a / b; break;
    case 4: r = fma(a, b, c); break;
    case 5: r = 1.0 / a; break;
    default: r = sqrt(a); break;
    }
    fesetround(FE_TONEAREST);
    return r;
}

static const struct { const char *word; int mode; } modes[] = {
    {"rn", FE_TONEAREST}, {"rz", FE_TOWARDZERO}, {"rd", FE_DOWNWARD}, {"ru", FE_UPWARD}};

static void directed_rounding(void **state) {
    (void)state;
    static const char *const of_floats[] = {"fadd", "fsub", "fmul", "fdiv", "fmaf", "frcp", "fsqrt"};
    static const char *const of_doubles[] = {"dadd", "dsub", "dmul", "ddiv", "fma", "drcp", "dsqrt"};
    const double values[] = {1, 3, 0.1, 1e-3, 7e10, 1.0 / 3, 123456.789, 1e-30};
    for (int m = 0; m < 4; m++)
        for (int op = 0; op < 7; op++)
            for (int i = 0; i < 8 * 8; i++) {
                char name[64];
                double x = values[i / 8], y = values[i % 8], z = values[(i * 5 + 3) % 8];
                float fx = (float)x, fy = (float)y, fz = (float)z;
                snprintf(name, sizeof name, "__nv_%s_%s", of_floats[op], modes[m].word);
                uint64_t got = call(name, bits32(fx), bits32(fy), bits32(fz), 0);
                if (got != bits32(in_mode_f(modes[m].mode, op, fx, fy, fz))) fail_msg("%s at %a %a", name, fx, fy);
                snprintf(name, sizeof name, "__nv_%s_%s", of_doubles[op], modes[m].word);
                got = call(name, bits64(x), bits64(y), bits64(z), 0);
                if (got != bits64(in_mode_d(modes[m].mode, op, x, y, z))) fail_msg("%s at %a %a", name, x, y);
            }
}

// The float or double nearest to an exact integer on the side that the mode says.
static bool is_rounded(double got, __int128 exact, bool is_float, int mode) {
    if (fabs(got) >= 0x1p100) return false;
    __int128 value = (__int128)got;
    double up = is_float ? nextafterf((float)got, INFINITY) : nextafter(got, INFINITY);
    double down = is_float ? nextafterf((float)got, -INFINITY) : nextafter(got, -INFINITY);
    __int128 above = (__int128)up - exact, below = exact - (__int128)down;
    __int128 error = value > exact ? value - exact : exact - value;
    if (value == exact) return exact != 0 || !signbit(got);
    if (mode == FE_DOWNWARD || (mode == FE_TOWARDZERO && exact > 0)) return value < exact && above > 0;
    if (mode == FE_UPWARD || mode == FE_TOWARDZERO) return value > exact && below > 0;
    return error <= above && error <= below;
}

static void integers_to_floats(void **state) {
    (void)state;
    const uint64_t values[] = {0, 1, 16777217, 0x7fffffff, 0x80000000, 0xffffffff, 0xffffff80, 33554435,
                               0x7fffffffffffffff, 0x8000000000000000, 0xffffffffffffffff, 0x20000000000001,
                               0xfffffffffffffbff, 123456789012345};
    for (int m = 0; m < 4; m++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++) {
            uint64_t v = values[k];
            const struct { const char *from; __int128 exact; bool has_double; } kinds[] = {
                {"int", (int32_t)v, m == 0}, {"uint", (uint32_t)v, m == 0}, {"ll", (int64_t)v, true}, {"ull", v, true}};
            for (int kind = 0; kind < 4; kind++) {
                char name[64];
                uint64_t cell = kind < 2 ? (uint32_t)v : v;
                snprintf(name, sizeof name, "__nv_%s2float_%s", kinds[kind].from, modes[m].word);
                if (!is_rounded(as_float(call(name, cell, 0, 0, 0)), kinds[kind].exact, true, modes[m].mode))
                    fail_msg("%s of %llx", name, (unsigned long long)v);
                if (!kinds[kind].has_double) continue;
                snprintf(name, sizeof name, "__nv_%s2double_%s", kinds[kind].from, modes[m].word);
                if (!is_rounded(as_double(call(name, cell, 0, 0, 0)), kinds[kind].exact, false, modes[m].mode))
                    fail_msg("%s of %llx", name, (unsigned long long)v);
            }
        }
}

static void floats_to_integers(void **state) {
    (void)state;
    const double values[] = {0.0, -0.0, 0.5, 1.5, -1.5, 2.5, -2.5, 0.49999997, 2147483647.0, 2147483648.0,
                             -2147483648.5, 4294967295.0, 4294967296.0, 9.3e18, -9.3e18, 1.9e19, 1e30, -1e30, INFINITY,
                             -INFINITY};
    for (int m = 0; m < 4; m++)
        for (size_t k = 0; k < sizeof values / sizeof *values; k++)
            for (int source = 0; source < 2; source++) {
                double x = source ? values[k] : (float)values[k];
                fesetround(modes[m].mode);
                double whole = nearbyint(x);
                fesetround(FE_TONEAREST);
                uint64_t cell = source ? bits64(x) : bits32((float)x);
                const char *from = source ? "double" : "float";
                char name[64];
                const struct { const char *to; double low, high; int bits; } kinds[] = {
                    {"int", -0x1p31, 0x1p31, 32}, {"uint", 0, 0x1p32, 32}, {"ll", -0x1p63, 0x1p63, 64},
                    {"ull", 0, 0x1p64, 64}};
                for (int kind = 0; kind < 4; kind++) {
                    uint64_t low = kinds[kind].low == 0 ? 0 : ~(uint64_t)0 << (kinds[kind].bits - 1);
                    uint64_t want = whole >= kinds[kind].high ? (kinds[kind].low == 0 ? ~(uint64_t)0 : ~low)
                                    : whole <= kinds[kind].low ? low
                                    : whole < 0 ? (uint64_t)(int64_t)whole : (uint64_t)whole;
                    if (kinds[kind].bits == 32) want &= 0xffffffff;
                    snprintf(name, sizeof name, "__nv_%s2%s_%s", from, kinds[kind].to, modes[m].word);
                    uint64_t got = call(name, cell, 0, 0, 0);
                    if (got != want) fail_msg("%s of %g: %llx", name, x, (unsigned long long)got);
                }
            }
    const uint64_t nan32 = 0x7fc00000, nan64 = 0x7ff8000000000000;
    assert_int_equal(call("__nv_float2int_rn", nan32, 0, 0, 0), 0);
    assert_int_equal(call("__nv_float2uint_rz", nan32, 0, 0, 0), 0);
    assert_int_equal(call("__nv_float2ll_rn", nan32, 0, 0, 0), 1ull << 63);
    assert_int_equal(call("__nv_double2int_rn", nan64, 0, 0, 0), 0x80000000);
    assert_int_equal(call("__nv_double2ull_rz", nan64, 0, 0, 0), 1ull << 63);
}

// ---- integers and bits ----

static void integer_functions(void **state) {
    (void)state;
    static const struct { const char *name; uint64_t a, b, c, want; } cases[] = {
        {"__nv_abs", 0xffffffff, 0, 0, 1},                  {"__nv_abs", 0x80000000, 0, 0, 0x80000000},
        {"__nv_llabs", 0xfffffffffffffffe, 0, 0, 2},        {"__nv_brev", 0x00000001, 0, 0, 0x80000000},
        {"__nv_brev", 0x12345678, 0, 0, 0x1e6a2c48}, {"__nv_brevll", 0x0000000000000003, 0, 0, 0xc000000000000000},
        {"__nv_byte_perm", 0x33221100, 0x77665544, 0x7531, 0x77553311},
        {"__nv_byte_perm", 0x33221100, 0x77665544, 0xfedc, 0x77665544},
        {"__nv_clz", 0, 0, 0, 32},                          {"__nv_clz", 0x00010000, 0, 0, 15},
        {"__nv_clzll", 0, 0, 0, 64},                        {"__nv_clzll", 1, 0, 0, 63},
        {"__nv_ffs", 0, 0, 0, 0},                           {"__nv_ffs", 0x80000000, 0, 0, 32},
        {"__nv_ffsll", 1ull << 40, 0, 0, 41},               {"__nv_popc", 0xf0f0f0f1, 0, 0, 17},
        {"__nv_popcll", 0xffffffffffffffff, 0, 0, 64},      {"__nv_hadd", 0x7fffffff, 0x7ffffffd, 0, 0x7ffffffe},
        {"__nv_hadd", 0xfffffffe, 0xfffffffd, 0, 0xfffffffd}, {"__nv_rhadd", 0xfffffffe, 0xfffffffd, 0, 0xfffffffe},
        {"__nv_uhadd", 0xffffffff, 0xfffffffe, 0, 0xfffffffe}, {"__nv_urhadd", 0xffffffff, 0xfffffffe, 0, 0xffffffff},
        {"__nv_max", 0xffffffff, 1, 0, 1},                  {"__nv_min", 0xffffffff, 1, 0, 0xffffffff},
        {"__nv_umax", 0xffffffff, 1, 0, 0xffffffff},        {"__nv_umin", 0xffffffff, 1, 0, 1},
        {"__nv_llmax", 1ull << 63, 1, 0, 1},                {"__nv_ullmin", 1ull << 63, 1, 0, 1},
        {"__nv_llmin", 1ull << 63, 1, 0, 1ull << 63},       {"__nv_ullmax", 1ull << 63, 1, 0, 1ull << 63},
        {"__nv_mul24", 0x00ffffff, 0x00000002, 0, 0xfffffffe}, {"__nv_umul24", 0xffffffff, 2, 0, 0x1fffffe},
        {"__nv_mulhi", 0xffffffff, 0xffffffff, 0, 0},       {"__nv_umulhi", 0xffffffff, 0xffffffff, 0, 0xfffffffe},
        {"__nv_mul64hi", 0xffffffffffffffff, 5, 0, 0xffffffffffffffff}, {"__nv_umul64hi", 0xffffffffffffffff, 5, 0, 4},
        {"__nv_sad", 0xffffffff, 1, 10, 12},                {"__nv_usad", 0xffffffff, 1, 10, 8},
        {"__nv_double2hiint", 0x123456789abcdef0, 0, 0, 0x12345678},
        {"__nv_double2loint", 0x123456789abcdef0, 0, 0, 0x9abcdef0},
        {"__nv_hiloint2double", 0x12345678, 0x9abcdef0, 0, 0x123456789abcdef0},
        {"__nv_float_as_int", 0xff800001, 0, 0, 0xff800001}, {"__nv_int_as_float", 0xff800001, 0, 0, 0xff800001},
        {"__nv_float_as_uint", 0x80000000, 0, 0, 0x80000000}, {"__nv_uint_as_float", 1, 0, 0, 1},
        {"__nv_double_as_longlong", 1ull << 63, 0, 0, 1ull << 63}, {"__nv_longlong_as_double", 77, 0, 0, 77},
        {"__nv_float2half_rn", 0x3f800000, 0, 0, 0x3c00},   {"__nv_float2half_rn", 0x477ff000, 0, 0, 0x7c00},
        {"__nv_half2float", 0x0001, 0, 0, 0x33800000},      {"__nv_half2float", 0xfc00, 0, 0, 0xff800000},
        {"__nv_isnanf", 0x7fc00000, 0, 0, 1},               {"__nv_isinff", 0xff800000, 0, 0, 1},
        {"__nv_finitef", 0x7f7fffff, 0, 0, 1},              {"__nv_finitef", 0x7f800000, 0, 0, 0},
        {"__nv_isnand", 0x7ff8000000000000, 0, 0, 1},       {"__nv_isinfd", 0xfff0000000000000, 0, 0, 1},
        {"__nv_isfinited", 0x7ff0000000000000, 0, 0, 0},    {"__nv_signbitf", 0x80000000, 0, 0, 1},
        {"__nv_signbitd", 1ull << 63, 0, 0, 1},             {"__nv_nanf", 0, 0, 0, 0x7fffffff},
        {"__nv_nan", 0, 0, 0, 0x7ff8000000000000},          {"__nv_saturatef", 0x40000000, 0, 0, 0x3f800000},
        {"__nv_saturatef", 0x7fc00000, 0, 0, 0},            {"__nv_saturatef", 0xbf800000, 0, 0, 0},
        {"__nv_copysignf", 0x7fc12345, 0x80000000, 0, 0xffc12345},
        {"__nv_copysign", 0x3ff0000000000000, 1ull << 63, 0, 0xbff0000000000000},
        {"__nv_rcp64h", 0x40000000ffffffff, 0, 0, 0x3fe0000000000000}, {"__nv_rcp64h", 1, 0, 0, 0x7ff0000000000000},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        uint64_t got = call(cases[k].name, cases[k].a, cases[k].b, cases[k].c, 0);
        if (got != cases[k].want)
            fail_msg("%s of %llx %llx: %llx", cases[k].name, (unsigned long long)cases[k].a,
                     (unsigned long long)cases[k].b, (unsigned long long)got);
    }
}

// Packed halfwords and bytes: each function against its definition on one part.
static int saturated(int x, int low, int high) { return x < low ? low : x > high ? high : x; }
enum { UNARY_PARTS = 4 };
static int part_result(int which, bool s, int a, int b, int bits) {
    int low = s ? -(1 << (bits - 1)) : 0, high = s ? (1 << (bits - 1)) - 1 : (1 << bits) - 1;
    switch (which) {
    case 0: return abs(a);
    case 1: return saturated(abs(a), low, high);
    case 2: return -a;
    case 3: return saturated(-a, low, high);
    case 4: case 5: return abs(a - b);
    case 6: return a + b;
    case 7: case 8: return saturated(a + b, low, high);
    case 9: return a - b;
    case 10: case 11: return saturated(a - b, low, high);
    case 12: return (int)floor((a + b + (a + b >= 0)) / 2.0);
    case 13: return (a + b + 1) / 2;
    case 14: return (a + b) / 2;
    case 15: case 16: return a > b ? a : b;
    default: return a < b ? a : b;
    }
}

static void packed_parts(void **state) {
    (void)state;
    static const struct { const char *name; bool is_signed; } functions[] = {
        {"vabs", true}, {"vabsss", true}, {"vneg", true}, {"vnegss", true}, {"vabsdiffs", true}, {"vabsdiffu", false},
        {"vadd", false}, {"vaddss", true}, {"vaddus", false}, {"vsub", false}, {"vsubss", true}, {"vsubus", false},
        {"vavgs", true}, {"vavgu", false}, {"vhaddu", false}, {"vmaxs", true}, {"vmaxu", false}, {"vmins", true},
        {"vminu", false}};
    static const char *const comparisons[] = {"eq", "ne", "lts", "les", "gts", "ges", "ltu", "leu", "gtu", "geu"};
    uint64_t random = 88172645463325252ull;
    for (int round = 0; round < 3000; round++) {
        random ^= random << 13, random ^= random >> 7, random ^= random << 17;
        uint32_t x = (uint32_t)random, y = (uint32_t)(random >> 32);
        if (round % 5 == 0) y = x;
        if (round % 7 == 0) x = 0x8000807f, y = 0x7fff80ff;
        for (int bits = 8; bits <= 16; bits += 8) {
            char name[64];
            uint32_t mask = (1u << bits) - 1, sums[2] = {0, 0};
            for (int f = 0; f < (int)(sizeof functions / sizeof *functions); f++) {
                bool s = functions[f].is_signed;
                uint32_t want = 0;
                for (int at = 0; at < 32; at += bits) {
                    int a = (int)(x >> at & mask), b = (int)(y >> at & mask);
                    if (s && a >> (bits - 1)) a -= 1 << bits;
                    if (s && b >> (bits - 1)) b -= 1 << bits;
                    uint32_t r = (uint32_t)part_result(f, s, a, b, bits);
                    want |= (r & mask) << at;
                    if (f == 4 || f == 5) sums[f - 4] += r;
                }
                snprintf(name, sizeof name, "__nv_%s%d", functions[f].name, 32 / bits);
                uint32_t got = (uint32_t)call(name, x, y, 0, 0);
                if (got != want) fail_msg("%s of %x %x: %x, not %x", name, x, y, got, want);
            }
            snprintf(name, sizeof name, "__nv_vsads%d", 32 / bits);
            assert_int_equal(call(name, x, y, 0, 0), sums[0]);
            snprintf(name, sizeof name, "__nv_vsadu%d", 32 / bits);
            assert_int_equal(call(name, x, y, 0, 0), sums[1]);
            for (int c = 0; c < 10; c++) {
                uint32_t set = 0, ones = 0;
                for (int at = 0; at < 32; at += bits) {
                    int a = (int)(x >> at & mask), b = (int)(y >> at & mask);
                    if (c >= 2 && c < 6) a ^= 1 << (bits - 1), b ^= 1 << (bits - 1);    // order as signed
                    int kind = c < 6 ? c : c - 4;
                    bool holds = (bool[]){a == b, a != b, a < b, a <= b, a > b, a >= b}[kind];
                    set |= (uint32_t)holds << at;
                    ones |= (holds ? mask : 0) << at;
                }
                snprintf(name, sizeof name, "__nv_vset%s%d", comparisons[c], 32 / bits);
                assert_int_equal(call(name, x, y, 0, 0), set);
                snprintf(name, sizeof name, "__nv_vcmp%s%d", comparisons[c], 32 / bits);
                assert_int_equal(call(name, x, y, 0, 0), ones);
            }
        }
    }
}

// ---- special values and several results ----

static void special_values(void **state) {
    (void)state;
    static const struct { const char *name; double x, y; } cases[] = {     // of doubles, one argument
        {"__nv_sinpi", 0.0, 0.0}, {"__nv_sinpi", -0.0, -0.0}, {"__nv_sinpi", 0.5, 1}, {"__nv_sinpi", 1.5, -1},
        {"__nv_sinpi", -2.5, -1}, {"__nv_sinpi", INFINITY, NAN}, {"__nv_sinpi", 1e300, 0}, {"__nv_cospi", 0.5, 0},
        {"__nv_cospi", 1, -1}, {"__nv_cospi", -3.5, 0}, {"__nv_cospi", INFINITY, NAN}, {"__nv_cospi", 1e300, 1},
        {"__nv_erfinv", 1, INFINITY}, {"__nv_erfinv", -1, -INFINITY}, {"__nv_erfinv", 1.5, NAN},
        {"__nv_erfinv", -0.0, -0.0},
        {"__nv_erfcinv", 0, INFINITY}, {"__nv_erfcinv", 2, -INFINITY}, {"__nv_erfcinv", 1, 0},
        {"__nv_erfcinv", -1, NAN},
        {"__nv_normcdfinv", 0, -INFINITY}, {"__nv_normcdfinv", 1, INFINITY}, {"__nv_normcdfinv", 2, NAN},
        {"__nv_normcdf", INFINITY, 1}, {"__nv_normcdf", -INFINITY, 0}, {"__nv_normcdf", 0, 0.5},
        {"__nv_erfcx", INFINITY, 0},
        {"__nv_erfcx", -INFINITY, INFINITY}, {"__nv_erfcx", 0, 1}, {"__nv_cyl_bessel_i0", 0, 1},
        {"__nv_cyl_bessel_i1", -0.0, -0.0},
        {"__nv_cyl_bessel_i0", -INFINITY, INFINITY}, {"__nv_cyl_bessel_i1", -INFINITY, -INFINITY},
        {"__nv_cyl_bessel_i0", 800, INFINITY},
        {"__nv_j0", INFINITY, 0}, {"__nv_y0", 0, -INFINITY}, {"__nv_y1", -1, NAN}, {"__nv_lgamma", -3, INFINITY},
        {"__nv_tgamma", -3, NAN}, {"__nv_tgamma", 5, 24}, {"__nv_rcbrt", 0, INFINITY}, {"__nv_rsqrt", 0, INFINITY},
        {"__nv_rsqrt", -1, NAN}, {"__nv_exp", -INFINITY, 0}, {"__nv_log", 0, -INFINITY}, {"__nv_rint", 2.5, 2},
        {"__nv_round", 2.5, 3},
        {"__nv_nearbyint", -0.4, -0.0}, {"__nv_trunc", -1.9, -1}, {"__nv_logb", 0.1, -4}, {"__nv_logb", 0, -INFINITY},
    };
    for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
        double got = call_d(cases[k].name, cases[k].x, 0), want = cases[k].y;
        if (!(want != want ? got != got : got == want && !signbit(got) == !signbit(want)))
            fail_msg("%s of %g: %g", cases[k].name, cases[k].x, got);
    }
    assert_int_equal(call("__nv_sinf", bits32(INFINITY), 0, 0, 0), 0x7fffffff);
    assert_int_equal(call("__nv_powf", bits32(-2), bits32(0.5f), 0, 0), 0x7fffffff);
    assert_true(call_d("__nv_fmin", 0.0, -0.0) == 0 && signbit(call_d("__nv_fmin", 0.0, -0.0)));
    assert_true(!signbit(call_f("__nv_fmaxf", -0.0f, 0.0f)));
    assert_true(call_f("__nv_fmaxf", NAN, 3) == 3 && call_d("__nv_fmin", 3, NAN) == 3);
    assert_int_equal(call("__nv_ilogb", bits64(0), 0, 0, 0), 0x80000000);
    assert_int_equal(call("__nv_ilogbf", bits32(INFINITY), 0, 0, 0), 0x7fffffff);
    assert_int_equal(call("__nv_ilogbf", bits32(0x1p-149f), 0, 0, 0), (uint32_t)-149);
    assert_true(isnan(as_double(call("__nv_jn", (uint32_t)-1, bits64(1), 0, 0))));
    assert_true(as_double(call("__nv_jn", 0x7fffffff, bits64(1), 0, 0)) == 0);
    assert_true(isinf(as_double(call("__nv_yn", 0x7fffffff, bits64(1), 0, 0))));
    assert_true(fabs(as_double(call("__nv_jn", 3, bits64(2.5), 0, 0)) - 0.21660039103911348) < 1e-16);
    assert_true(fabs(as_double(call("__nv_yn", 2, bits64(2.5), 0, 0)) + 0.38133584924180308) < 1e-15);
    assert_true(as_double(call("__nv_powi", bits64(-2), 3, 0, 0)) == -8);
    assert_true(as_float(call("__nv_powif", bits32(2), (uint32_t)-3, 0, 0)) == 0.125f);
    assert_true(as_double(call("__nv_ldexp", bits64(3), (uint32_t)-1, 0, 0)) == 1.5);
    assert_true(isinf(as_float(call("__nv_scalbnf", bits32(1), 0x7fffffff, 0, 0))));
    assert_int_equal(call("__nv_llroundf", bits32(-2.5f), 0, 0, 0), (uint64_t)-3);
    assert_int_equal(call("__nv_llrint", bits64(2.5), 0, 0, 0), 2);
    assert_int_equal(call("__nv_llrint", bits64(1e300), 0, 0, 0), INT64_MAX);
}

static void several_results(void **state) {
    (void)state;
    call("__nv_sincos", bits64(0.7), 0, 0, 0);
    assert_true(as_double(out[1]) == sin(0.7) && as_double(out[2]) == cos(0.7));
    call("__nv_sincospif", bits32(0.25f), 0, 0, 0);
    assert_true(fabsf(as_float(out[1]) - 0.70710678f) < 1e-7f && as_float(out[1]) == as_float(out[2]));
    assert_true(as_double(call("__nv_frexp", bits64(-12), 0, 0, 0)) == -0.75 && out[1] == 4);
    assert_true(as_float(call("__nv_frexpf", bits32(0x1p-149f), 0, 0, 0)) == 0.5f && out[1] == (uint32_t)-148);
    assert_true(as_double(call("__nv_modf", bits64(-2.25), 0, 0, 0)) == -0.25 && as_double(out[1]) == -2);
    assert_true(as_float(call("__nv_modff", bits32(-INFINITY), 0, 0, 0)) == 0 && as_float(out[1]) == -INFINITY);
    assert_true(as_double(call("__nv_remquo", bits64(7), bits64(2), 0, 0)) == -1 && (out[1] & 7) == 4);
    call("__nv_remquof", bits32(INFINITY), bits32(1), 0, 0);
    assert_true(out[0] == 0x7fffffff && out[1] == 0);
    const double four[] = {1, -2, 4, 10};
    const float huge[] = {3e38f, 3e38f}, infinite[] = {NAN, INFINITY};
    assert_true(as_double(call("__nv_norm", 4, (uint64_t)(uintptr_t)four, 0, 0)) == 11);
    assert_true(as_double(call("__nv_rnorm", 4, (uint64_t)(uintptr_t)four, 0, 0)) == 1 / 11.0);
    assert_true(as_double(call("__nv_norm", 0, 0, 0, 0)) == 0);
    assert_true(as_double(call("__nv_norm", (uint32_t)-5, 0, 0, 0)) == 0);
    assert_true(isinf(as_float(call("__nv_normf", 2, (uint64_t)(uintptr_t)huge, 0, 0))));
    assert_true(as_float(call("__nv_rnormf", 2, (uint64_t)(uintptr_t)huge, 0, 0)) > 2e-39f);
    assert_true(isinf(as_float(call("__nv_normf", 2, (uint64_t)(uintptr_t)infinite, 0, 0))));
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_name_is_found), cmocka_unit_test(signatures_hold),    cmocka_unit_test(accuracy),
        cmocka_unit_test(fast_functions),      cmocka_unit_test(directed_rounding),
        cmocka_unit_test(integers_to_floats),
        cmocka_unit_test(floats_to_integers),  cmocka_unit_test(integer_functions),  cmocka_unit_test(packed_parts),
        cmocka_unit_test(special_values),      cmocka_unit_test(several_results),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
