// Conversions: cvt between integers, between integers and floats, between floats; the conversions of half.h. References
// round with the host's floating-point unit or count units in the last place; neither shares code with the bodies.
#include <fenv.h>
#include <math.h>

#include "exec/ops/half.h"
#include "int_bodies.h"

typedef __int128 wide;
typedef struct type {
    const char *name;
    unsigned bits;
    bool is_signed;
} type;
static const type integers[] = {{"u8", 8, false}, {"s8", 8, true}, {"u16", 16, false}, {"s16", 16, true},
                                {"u32", 32, false}, {"s32", 32, true}, {"u64", 64, false}, {"s64", 64, true}};
enum { N_INTEGERS = sizeof integers / sizeof *integers };
static const char *const roundings[] = {"rn", "rz", "rm", "rp"};
static const int modes[] = {FE_TONEAREST, FE_TOWARDZERO, FE_DOWNWARD, FE_UPWARD};

static wide value_of(const type *t, uint64_t x) {
    unsigned unused = 64 - t->bits;
    return t->is_signed ? (wide)((int64_t)(x << unused) >> unused) : (wide)(x & low_bits(t->bits));
}
static wide lowest(const type *t) { return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0; }
static wide highest(const type *t) { return ((wide)1 << (t->bits - t->is_signed)) - 1; }

// ---- integer to integer ----

typedef struct pair {
    const type *to, *from;
    bool saturates;
} pair;
// 8-bit results fill their lane, extended.
static uint64_t ref_integer(const void *context, const uint64_t *x) {
    const pair *p = context;
    wide v = value_of(p->from, x[0]);
    if (p->saturates) v = v < lowest(p->to) ? lowest(p->to) : v > highest(p->to) ? highest(p->to) : v;
    return (uint64_t)value_of(p->to, (uint64_t)v);
}

static void test_integers(void **state) {
    (void)state;
    char name[64];
    for (int d = 0; d < N_INTEGERS; d++)
        for (int s = 0; s < N_INTEGERS; s++)
            for (int sat = 0; sat < 2; sat++) {
                pair p = {&integers[d], &integers[s], sat};
                // Sources of 8 bits lie in 16-bit lanes whose upper half means nothing.
                unsigned source = integers[s].bits == 8 ? 16 : integers[s].bits;
                snprintf(name, sizeof name, "cvt.%s%s.%s", sat ? "sat." : "", p.to->name, p.from->name);
                check_body(name, (unsigned[]){p.to->bits, source}, 1, ref_integer, &p, NULL);
            }
}

static uint64_t ref_extend(const void *context, const uint64_t *x) {
    return (uint64_t)value_of(context, x[0]);
}
static void test_widths(void **state) {
    (void)state;
    char name[64];
    for (int k = 0; k < N_INTEGERS - 2; k++)
        for (unsigned bits = 16; bits <= 64; bits *= 2) {
            const type *t = &integers[k];
            unsigned lane = t->bits == 8 ? 16 : t->bits;
            if (bits > t->bits) {
                snprintf(name, sizeof name, "ext.%s.b%u", t->name, bits);
                check_body(name, (unsigned[]){bits, lane}, 1, ref_extend, t, NULL);
            }
            if (bits > lane) {
                type low = {"", lane, false};
                snprintf(name, sizeof name, "trunc.b%u.b%u", bits, lane);
                check_body(name, (unsigned[]){lane, bits}, 1, ref_extend, &low, NULL);
            }
        }
}

// ---- floating-point values ----

// A float format by its exponent's bias and mantissa's bits.
typedef struct format {
    const char *name;
    unsigned bits, digits;
    int bias;
} format;
static const format formats[] = {{"f16", 16, 10, 15}, {"bf16", 16, 7, 127}, {"f32", 32, 23, 127},
                                 {"f64", 64, 52, 1023}};
enum { F16, BF16, F32, F64 };

static long double decode(const format *f, uint64_t bits) {
    uint64_t mantissa = bits & low_bits(f->digits), exponent = bits >> f->digits & low_bits(f->bits - 1 - f->digits);
    long double sign = bits >> (f->bits - 1) & 1 ? -1 : 1;
    if (exponent == low_bits(f->bits - 1 - f->digits))
        return mantissa ? (long double)NAN : sign * (long double)INFINITY;
    if (!exponent) return sign * ldexpl((long double)mantissa, 1 - f->bias - (int)f->digits);
    return sign * ldexpl((long double)(mantissa | (uint64_t)1 << f->digits), (int)exponent - f->bias - (int)f->digits);
}

// v to an integral value in that mode. volatile: the compiler does not know that rounding depends on the mode.
static long double to_integral(long double v, int mode) {
    volatile long double from = v, to;
    fesetround(mode);
    to = rintl(from);
    fesetround(FE_TONEAREST);
    return to;
}

// The bits of v rounded to the format; v is no NaN and exact in 64 bits of mantissa.
static uint64_t encode(const format *f, long double v, int rounding) {
    uint64_t sign = signbit(v) ? (uint64_t)1 << (f->bits - 1) : 0;
    uint64_t infinity = low_bits(f->bits - 1 - f->digits) << f->digits;
    int direction = modes[rounding], exponent;
    if (sign && direction == FE_UPWARD) direction = FE_DOWNWARD;
    else if (sign && direction == FE_DOWNWARD) direction = FE_UPWARD;
    v = fabsl(v);
    if (isinf(v)) return sign | infinity;
    frexpl(v, &exponent);
    int lowest_exponent = 1 - f->bias;
    int unit = (v == 0 || exponent - 1 < lowest_exponent ? lowest_exponent : exponent - 1) - (int)f->digits;
    long double units = to_integral(ldexpl(v, -unit), direction);
    uint64_t largest = infinity - 1;
    // The bits of a value are its distance from zero in units, exponents counted along.
    uint64_t bits = (uint64_t)units;
    if (bits >> f->digits) bits += (uint64_t)(unit - (lowest_exponent - (int)f->digits)) << f->digits;
    if (bits > largest) bits = direction == FE_TONEAREST || direction == FE_UPWARD ? infinity : largest;
    return sign | bits;
}

static bool is_nan_of(const format *f, uint64_t bits) { return isnan(decode(f, bits)); }

// ---- integer to float ----

typedef struct int_float {
    const type *integer;
    const format *f;
    int rounding;
    bool saturates, flushes;
} int_float;
static uint64_t ref_to_float(const void *context, const uint64_t *x) {
    const int_float *c = context;
    wide v = value_of(c->integer, x[0]);
    if (c->saturates) v = v > 0;
    return encode(c->f, (long double)v, c->rounding);
}
static void test_to_float(void **state) {
    (void)state;
    char name[64];
    for (int s = 0; s < N_INTEGERS; s++)
        for (int f = 0; f < 4; f++)
            for (int r = 0; r < 4; r++)
                for (int sat = 0; sat < (f == BF16 ? 1 : 2); sat++) {
                    int_float c = {&integers[s], &formats[f], r, sat, false};
                    unsigned lane = c.integer->bits == 8 ? 16 : c.integer->bits;
                    snprintf(name, sizeof name, "cvt.%s%s.%s.%s", roundings[r], sat ? ".sat" : "", c.f->name,
                             c.integer->name);
                    check_body(name, (unsigned[]){c.f->bits, lane}, 1, ref_to_float, &c, NULL);
                }
}

// ---- float to integer ----

static uint64_t float_input(const format *f) {
    static const int near[] = {-2, -1, 0, 1, 6, 7, 8, 14, 15, 16, 30, 31, 32, 62, 63, 64};
    uint64_t r = random_64(), mantissa = random_64() & low_bits(f->digits), sign = r >> 1 & 1;
    uint64_t top = low_bits(f->bits - 1 - f->digits), exponent;
    if ((r >> 8 & 7) == 0) mantissa = r >> 11 & 1 ? 0 : low_bits(f->digits);
    if ((r >> 8 & 7) == 1) mantissa &= (uint64_t)3 << (f->digits - 2);
    switch (r >> 4 & 7) {
    case 0: exponent = top; break;
    case 1: exponent = 0; break;
    case 2: exponent = r >> 16 & top; break;
    case 3: exponent = (uint64_t)(f->bias - 128 + (int)(r >> 16 & 3)); break;     // where f32 and bf16 end
    case 4: exponent = (uint64_t)(f->bias - 150 + (int)(r >> 16 & 31)); break;
    case 5: exponent = (uint64_t)(f->bias - 26 + (int)(r >> 16 & 15)); break;     // where f16 ends
    default: exponent = (uint64_t)(f->bias + near[r >> 16 & 15]);
    }
    if (exponent > top) exponent = top - 1;
    return sign << (f->bits - 1) | exponent << f->digits | mantissa;
}

static uint64_t ref_to_integer(const void *context, const uint64_t *x) {
    const int_float *c = context;
    long double v = decode(c->f, x[0]);
    unsigned bits = c->integer->bits;
    // As an H200 has it: PTX does not say.
    if (isnan(v)) return c->f->bits == 64 || bits == 64 ? (uint64_t)value_of(c->integer, (uint64_t)1 << (bits - 1)) : 0;
    if (c->flushes && fabsl(v) < 0x1p-126L) v = 0;
    v = to_integral(v, modes[c->rounding]);
    if (v <= (long double)lowest(c->integer)) return (uint64_t)lowest(c->integer);
    if (v >= (long double)highest(c->integer)) return (uint64_t)highest(c->integer);
    return (uint64_t)(wide)v;
}

// Runs one-source conversions of floats; check_body draws integers.
static void check_float_source(const char *name, const format *from, unsigned to_bits, int_reference reference,
                               const void *context) {
    for (int level = 0; level < n_int_levels; level++)
        for (int round = 0; round < 6; round++) {
            int_bench t;
            uint64_t x[32];
            bench_start(&t, round == 5 ? 0x5aa5f00fu : 0xffffffffu);
            bool on_source = round & 1 && from->bits == to_bits;
            if (on_source) t.insts[0].d = SLOT_A;
            for (int i = 0; i < 32; i++) set_lane(&t, SLOT_A, from->bits, i, x[i] = float_input(from));
            if (!on_source)
                for (int i = 0; i < 32; i++) set_lane(&t, SLOT_D, to_bits, i, 0x77);
            bench_run(&t, level, name);
            for (int i = 0; i < 32; i++) {
                uint64_t got = get_lane(&t, t.insts[0].d, to_bits, i);
                uint64_t want = reference(context, &x[i]) & low_bits(to_bits == 8 ? 16 : to_bits);
                if (!(t.warp.mask >> i & 1)) want = on_source ? x[i] : 0x77;
                if (got != want)
                    fail_msg("%s (%s, lane %d) of %llx: %llx, not %llx", name, int_levels[level]->name, i,
                             (unsigned long long)x[i], (unsigned long long)got, (unsigned long long)want);
            }
        }
}

static void test_to_integer(void **state) {
    (void)state;
    static const char *const integral[] = {"rni", "rzi", "rmi", "rpi"};
    char name[64];
    for (int d = 0; d < N_INTEGERS; d++)
        for (int f = 0; f < 4; f++)
            for (int r = 0; r < 4; r++)
                for (int mods = 0; mods < (f == F32 ? 4 : 2); mods++) {
                    int_float c = {&integers[d], &formats[f], r, mods & 1, mods & 2};
                    snprintf(name, sizeof name, "cvt.%s%s%s.%s.%s", integral[r], mods & 2 ? ".ftz" : "",
                             mods & 1 ? ".sat" : "", c.integer->name, c.f->name);
                    check_float_source(name, c.f, c.integer->bits, ref_to_integer, &c);
                }
}

// ---- float to float ----

typedef struct float_float {
    const format *to, *from;
    int rounding;              // to the type, or to integral values
    bool integral, flushes, saturates;
} float_float;

static uint64_t ref_nan(const float_float *c, uint64_t x) {
    uint64_t sign = x >> (c->from->bits - 1) << (c->to->bits - 1), digits = c->to->digits;
    uint64_t quiet = low_bits(c->to->bits - 1 - c->to->digits) << digits | (uint64_t)1 << (digits - 1);
    int shift = (int)c->to->digits - (int)c->from->digits;
    uint64_t payload = x & low_bits(c->from->digits);
    payload = shift >= 0 ? payload << shift : payload >> -shift;
    if (c->saturates) return 0;
    if (c->from == &formats[BF16] && c->to == &formats[F32]) return x << 16;
    if (c->from == &formats[F32] && c->to == &formats[F64] && c->flushes) return 0x7fffffffe0000000;
    // Conversions that involve f64 keep sign and payload, the others give the canonical NaN.
    if (c->from->bits == 64 && c->to->bits >= 16 && c->to != &formats[BF16]) return sign | quiet | payload;
    if (c->to->bits == 64) return sign | quiet | payload;
    return low_bits(c->to->bits - 1);
}

static uint64_t ref_float(const void *context, const uint64_t *x) {
    const float_float *c = context;
    if (is_nan_of(c->from, x[0])) return ref_nan(c, x[0]);
    long double v = decode(c->from, x[0]), tiny = 0x1p-126L;
    if (c->flushes && c->from == &formats[F32] && fabsl(v) < tiny) v = copysignl(0, v);
    if (c->integral) v = to_integral(v, modes[c->rounding]);
    uint64_t bits = encode(c->to, v, c->integral ? 0 : c->rounding);
    if (c->flushes && c->to == &formats[F32] && !(bits & 0x7f800000)) bits &= 0x80000000;
    if (!c->saturates) return bits;
    long double r = decode(c->to, bits);
    return r > 0 ? encode(c->to, r < 1 ? r : 1, 0) : 0;
}

static void check_float(float_float c, const char *rounding) {
    char name[64];
    snprintf(name, sizeof name, "cvt%s%s%s%s.%s.%s", rounding, c.flushes ? ".ftz" : "", c.saturates ? ".sat" : "", "",
             c.to->name, c.from->name);
    check_float_source(name, c.from, c.to->bits, ref_float, &c);
}

static void test_floats(void **state) {
    (void)state;
    static const char *const narrowing[] = {".rn", ".rz", ".rm", ".rp"};
    static const char *const integral[] = {".rni", ".rzi", ".rmi", ".rpi"};
    for (int mods = 0; mods < 4; mods++) {
        bool ftz = mods & 1, sat = mods & 2;
        for (int r = 0; r < 4; r++) {
            check_float((float_float){&formats[F32], &formats[F64], r, false, ftz, sat}, narrowing[r]);
            check_float((float_float){&formats[F16], &formats[F32], r, false, ftz, sat}, narrowing[r]);
            check_float((float_float){&formats[F32], &formats[F32], r, true, ftz, sat}, integral[r]);
            if (ftz) continue;
            check_float((float_float){&formats[F16], &formats[F64], r, false, false, sat}, narrowing[r]);
            check_float((float_float){&formats[F64], &formats[F64], r, true, false, sat}, integral[r]);
            check_float((float_float){&formats[F16], &formats[F16], r, true, false, sat}, integral[r]);
            if (sat) continue;
            check_float((float_float){&formats[BF16], &formats[F32], r, false, false, false}, narrowing[r]);
            check_float((float_float){&formats[BF16], &formats[F64], r, false, false, false}, narrowing[r]);
            check_float((float_float){&formats[BF16], &formats[F16], r, false, false, false}, narrowing[r]);
            check_float((float_float){&formats[F16], &formats[BF16], r, false, false, false}, narrowing[r]);
            check_float((float_float){&formats[BF16], &formats[BF16], r, true, false, false}, integral[r]);
        }
        check_float((float_float){&formats[F64], &formats[F32], 0, false, ftz, sat}, "");
        check_float((float_float){&formats[F32], &formats[F32], 0, false, ftz, sat}, "");
        check_float((float_float){&formats[F32], &formats[F16], 0, false, ftz, sat}, "");
        if (ftz) continue;
        check_float((float_float){&formats[F64], &formats[F16], 0, false, false, sat}, "");
        check_float((float_float){&formats[F16], &formats[F16], 0, false, false, sat}, "");
        check_float((float_float){&formats[F32], &formats[BF16], 0, false, false, sat}, "");
    }
}

// ---- half.h itself ----

static void test_half(void **state) {
    (void)state;
    for (uint32_t h = 0; h < 0x10000; h++) {
        float f = hw_half_to_float((uint16_t)h);
        if (is_nan_of(&formats[F16], h)) {
            assert_int_equal(hw_float_bits(f), HW_FLOAT_NAN);
            continue;
        }
        assert_true((long double)f == decode(&formats[F16], h));
        for (int r = 0; r < 4; r++) assert_int_equal(hw_float_to_half(f, (hw_round)r), h);
    }
    for (int k = 0; k < 200000; k++) {
        uint64_t x = float_input(&formats[k & 1 ? F32 : F64]);
        double d = k & 1 ? (double)hw_bits_float((uint32_t)x) : hw_bits_double(x);
        // f16 and bf16 lie far below what floats reach in 1 of 8 draws; here they are the point.
        if (k & 2) d = ldexp(d, (int)(random_64() % 40) - 30);
        if (isnan(d)) continue;
        for (int r = 0; r < 4; r++) {
            assert_int_equal(hw_double_to_half(d, (hw_round)r), encode(&formats[F16], d, r));
            assert_int_equal(hw_double_to_bfloat(d, (hw_round)r), encode(&formats[BF16], d, r));
            assert_int_equal(hw_float_bits(hw_double_to_float(d, (hw_round)r)), encode(&formats[F32], d, r));
            if ((double)(float)d != d) continue;
            assert_int_equal(hw_float_to_half((float)d, (hw_round)r), encode(&formats[F16], d, r));
            assert_int_equal(hw_float_to_bfloat((float)d, (hw_round)r), encode(&formats[BF16], d, r));
        }
    }
}

// ---- pairs ----

// Halves of a packed result, the first source above; .relu and .satfinite.
static void test_packed(void **state) {
    (void)state;
    static const char *const mods[] = {"", ".relu", ".satfinite", ".satfinite.relu"};
    char name[64];
    for (int k = 0; k < 16; k++)
        for (int level = 0; level < n_int_levels; level++) {
            const format *to = &formats[k & 1 ? BF16 : F16];
            int rounding = k >> 1 & 1, mod = k >> 2;
            int_bench t;
            uint64_t x[32][2];
            bench_start(&t, 0xfffff7ffu);
            for (int i = 0; i < 32; i++)
                for (int s = 0; s < 2; s++)
                    set_lane(&t, s ? SLOT_B : SLOT_A, 32, i, x[i][s] = float_input(&formats[F32]));
            set_lane(&t, SLOT_D, 32, 11, 0x1234567);
            snprintf(name, sizeof name, "cvt.%s%s.%sx2.f32", roundings[rounding], mods[mod], to->name);
            bench_run(&t, level, name);
            for (int i = 0; i < 32; i++) {
                uint64_t want = 0;
                for (int s = 0; s < 2; s++) {
                    long double v = decode(&formats[F32], x[i][s]), largest = k & 1 ? 0x1.fep127L : 65504.0L;
                    if (mod & 1 && !(v > 0) && !isnan(v)) v = 0;
                    if (mod & 2 && fabsl(v) > largest) v = copysignl(largest, v);
                    want = want << 16 | (isnan(v) ? 0x7fff : encode(to, v, rounding));
                }
                if (i == 11) want = 0x1234567;
                if (get_lane(&t, SLOT_D, 32, i) != want)
                    fail_msg("%s (%s) of %llx %llx: %llx, not %llx", name, int_levels[level]->name,
                             (unsigned long long)x[i][0], (unsigned long long)x[i][1],
                             (unsigned long long)get_lane(&t, SLOT_D, 32, i), (unsigned long long)want);
            }
        }
}

// Every code of the 8-bit floats, there and back.
static void test_eight_bits(void **state) {
    (void)state;
    static const char *const names[] = {"e4m3x2", "e5m2x2"};
    char name[64];
    for (int k = 0; k < 2; k++)
        for (int level = 0; level < n_int_levels; level++)
            for (int first = 0; first < 256; first += 32) {
                int_bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++)
                    set_lane(&t, SLOT_A, 16, i, (uint64_t)((first + i) << 8 | (255 - first - i)));
                snprintf(name, sizeof name, "cvt.rn.f16x2.%s", names[k]);
                bench_run(&t, level, name);
                format eight = k ? (format){"e5m2", 8, 2, 15} : (format){"e4m3", 8, 3, 7};
                for (int i = 0; i < 32; i++) {
                    uint64_t halves = get_lane(&t, SLOT_D, 32, i);
                    for (int s = 0; s < 2; s++) {
                        uint64_t code = (uint64_t)(s ? 255 - first - i : first + i) & 255;
                        uint64_t half = s ? halves & 0xffff : halves >> 16;
                        bool is_nan = k ? (code & 0x7f) > 0x7c : (code & 0x7f) == 0x7f;
                        // e4m3 has no infinities: its largest exponent holds numbers.
                        long double v = decode(&eight, code);
                        if (!k && (code & 0x78) == 0x78)
                            v = (code & 0x80 ? -1 : 1) * (long double)(256 + 32 * (code & 7));
                        if (is_nan) assert_int_equal(half, 0x7fff);
                        else assert_int_equal(half, encode(&formats[F16], v, 0));
                    }
                    set_lane(&t, SLOT_A, 32, i, halves);
                }
                snprintf(name, sizeof name, "cvt.rn.satfinite.%s.f16x2", names[k]);
                bench_run(&t, level, name);
                for (int i = 0; i < 32; i++) {
                    uint64_t codes = get_lane(&t, SLOT_D, 16, i);
                    for (int s = 0; s < 2; s++) {
                        uint64_t code = (uint64_t)(s ? 255 - first - i : first + i) & 255;
                        uint64_t got = s ? codes & 255 : codes >> 8;
                        bool is_nan = k ? (code & 0x7f) > 0x7c : (code & 0x7f) == 0x7f;
                        if (k && (code & 0x7f) == 0x7c) code--;     // infinity becomes the largest number
                        assert_int_equal(got, is_nan ? 0x7f : code);
                    }
                }
            }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_integers), cmocka_unit_test(test_widths),  cmocka_unit_test(test_to_float),
        cmocka_unit_test(test_to_integer), cmocka_unit_test(test_floats), cmocka_unit_test(test_half),
        cmocka_unit_test(test_packed), cmocka_unit_test(test_eight_bits),
    };
    return cmocka_run_group_tests(tests, find_int_levels, NULL);
}
