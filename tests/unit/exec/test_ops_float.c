// Floating-point arithmetic bodies: every rounding, flushing and saturation against references that round by integer
// arithmetic; and what holds for every body: lanes that are off, destinations that are sources, equal levels.
#include "float_bodies.h"

static level_here levels[3];
static int n_levels;

static const uint32_t f32_edges[] = {
    0x00000000, 0x80000000, 0x00000001, 0x80000001, 0x007fffff, 0x807fffff, 0x00800000, 0x80800000, 0x00800001,
    0x3f800000, 0xbf800000, 0x3f800001, 0x3f7fffff, 0x40000000, 0x40400000, 0x34000000, 0x33800000, 0x33800001,
    0x7f7fffff, 0xff7fffff, 0x7f800000, 0xff800000, 0x7fc00000, 0xffc12345, 0x7f800001, 0x7fffffff, 0x4b800000,
    0x1f800000, 0x5f000000, 0x20000000, 0x9f123456, 0x3eaaaaab};
static const uint64_t f64_edges[] = {
    0, 1ull << 63, 1, 0x8000000000000001, 0x000fffffffffffff, 0x0010000000000000, 0x8010000000000000,
    0x3ff0000000000000, 0xbff0000000000000, 0x3ff0000000000001, 0x3fefffffffffffff, 0x4000000000000000,
    0x7fefffffffffffff, 0xffefffffffffffff, 0x7ff0000000000000, 0xfff0000000000000, 0x3ca0000000000000,
    0x3ca0000000000001, 0x1ff0000000000000, 0x5fe0000000000000, 0x2000000000000000, 0x3fd5555555555555};
static const uint16_t f16_edges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x03ff, 0x83ff, 0x0400, 0x8400, 0x3c00, 0xbc00,
                                     0x3c01, 0x3bff, 0x4000, 0x7bff, 0xfbff, 0x7c00, 0xfc00, 0x7e00, 0xfd01, 0x7c01,
                                     0x1400, 0x1001, 0x6400, 0x2e66};
static const uint16_t bf16_edges[] = {0x0000, 0x8000, 0x0001, 0x8001, 0x007f, 0x0080, 0x8080, 0x3f80, 0xbf80, 0x3f81,
                                      0x3f7f, 0x4000, 0x7f7f, 0xff7f, 0x7f80, 0xff80, 0x7fc0, 0xffc1, 0x7f81, 0x1f80,
                                      0x2000, 0x5f12, 0x0042, 0x3b80};

static uint64_t edge_count(const format *f) { return f == &F32 ? 32 : f == &F64 ? 22 : 24; }

// The operand number `which` of an instruction with so many, in the nth lane of a test: first all combinations of
// edges, then random ones of many kinds.
static uint64_t operand(const format *f, uint64_t n, int which, int operands, uint64_t *random) {
    uint64_t count = edge_count(f), combinations = 1, place = 1;
    for (int k = 0; k < operands; k++) combinations *= count;
    for (int k = 0; k < which; k++) place *= count;
    if (n < combinations) {
        uint64_t index = n / place % count;
        return f == &F32 ? f32_edges[index] : f == &F64 ? f64_edges[index] : f == &F16 ? f16_edges[index]
                                                                                       : bf16_edges[index];
    }
    uint64_t bits = next_random(random) & (sign_of(f) * 2 - 1);
    if (n % 3 == 0) return bits;                                          // any exponent
    // Close to 1, so that sums overlap; or sparse, so that ties happen.
    uint64_t one = (uint64_t)f->bias << (f->precision - 1);
    uint64_t near_one = (one & infinity_of(f)) ^ (bits & (sign_of(f) | ((1ull << (f->precision + 1)) - 1)));
    return n % 3 == 1 ? near_one : near_one & ~(((uint64_t)1 << (f->precision / 2)) - 1);
}

static int operand_count(operation op) { return op == FMA ? 3 : op == RCP || op == SQRT ? 1 : 2; }

static uint64_t saturate(const format *f, uint64_t bits) {
    uint64_t one = (uint64_t)f->bias << (f->precision - 1);
    return is_nan_bits(f, bits) || bits & sign_of(f) ? 0 : bits > one ? one : bits;
}

typedef struct flavour {
    rounding mode;
    bool ftz, sat, relu;
} flavour;

// What one lane (or half) should be.
static uint64_t reference(const format *f, operation op, flavour v, const uint64_t *in) {
    uint64_t x[3] = {in[0], in[1], in[2]};
    if (v.ftz) for (int k = 0; k < 3; k++) x[k] = flush_bits(f, x[k]);
    uint64_t bits;
    if (f == &F64) {
        double r = operate(op, value_of(f, x[0]), value_of(f, x[1]), value_of(f, x[2]), rounding_modes[v.mode]);
        memcpy(&bits, &r, 8);
        return r != r ? f->nan : bits;
    }
    bits = expected_bits(f, op, x, v.mode);
    if (v.sat) bits = saturate(f, bits);
    if (v.relu && !is_nan_bits(f, bits) && bits & sign_of(f)) bits = 0;
    return v.ftz ? flush_bits(f, bits) : bits;
}

// Runs one instruction at every level on all combinations of edges, and on rounds more warps. parts: 2 for packed
// pairs.
static void check_arithmetic(const char *name, const format *f, operation op, flavour v, int parts, int rounds) {
    int lanes = 32 * parts, operands = operand_count(op);
    uint64_t combinations = 1;
    for (int k = 0; k < operands; k++) combinations *= edge_count(f);
    rounds += (int)(combinations / (uint64_t)lanes) + 1;
    for (int level = 0; level < n_levels; level++) {
        hw_body body = find_body(levels[level], name);
        uint64_t random = 12345, n = 0;
        bench t;
        bench_start(&t, 0xffffffffu);
        for (int round = 0; round < rounds; round++, n += (uint64_t)lanes) {
            uint64_t in[64][3];
            for (int i = 0; i < lanes; i++)
                for (int k = 0; k < 3; k++) {
                    in[i][k] = operand(f, n + (uint64_t)i, k, operands, &random);
                    if (k < operands) set_lane(&t, AT_A + 256 * k, f->bytes, i, in[i][k]);
                }
            bench_run(&t, body);
            for (int i = 0; i < lanes; i++) {
                uint64_t got = get_lane(&t, AT_D, f->bytes, i), want = reference(f, op, v, in[i]);
                if (f == &F64 && is_nan_bits(f, want) && is_nan_bits(f, got)) continue;   // see nan_results
                if (got != want)
                    fail_msg("%s level %d: a %llx b %llx c %llx gives %llx, not %llx", name, level,
                             (unsigned long long)in[i][0], (unsigned long long)in[i][1], (unsigned long long)in[i][2],
                             (unsigned long long)got, (unsigned long long)want);
            }
        }
        assert_int_equal(fegetround(), FE_TONEAREST);
    }
}

static const char *op_words[] = {"add", "sub", "mul", "fma", "div", "rcp", "sqrt"};

static void f32_arithmetic(void **state) {
    (void)state;
    for (operation op = ADD; op <= SQRT; op++)
        for (rounding mode = RN; mode <= RP; mode++)
            for (int ftz = 0; ftz < 2; ftz++)
                for (int sat = 0; sat < (op <= FMA ? 2 : 1); sat++) {
                    char name[64];
                    bool named = mode != RN || op > FMA;
                    snprintf(name, sizeof name, "%s%s%s%s%s.f32", op_words[op], named ? "." : "",
                             named ? rounding_words[mode] : "", ftz ? ".ftz" : "", sat ? ".sat" : "");
                    flavour v = {.mode = mode, .ftz = ftz, .sat = sat};
                    check_arithmetic(name, &F32, op, v, 1, 300);
                    if (op != FMA) continue;
                    memcpy(name, "mad", 3);
                    check_arithmetic(name, &F32, op, v, 1, 1);
                }
}

// Two floats in a 64-bit lane: each is what the scalar instruction makes of it.
static void f32_pairs(void **state) {
    (void)state;
    for (operation op = ADD; op <= FMA; op++)
        for (rounding mode = RN; mode <= RP; mode++)
            for (int ftz = 0; ftz < 2; ftz++) {
                char name[64];
                snprintf(name, sizeof name, "%s%s%s%s.f32x2", op_words[op], mode == RN ? "" : ".",
                         mode == RN ? "" : rounding_words[mode], ftz ? ".ftz" : "");
                check_arithmetic(name, &F32, op, (flavour){.mode = mode, .ftz = ftz}, 2, 300);
            }
}

static void f64_arithmetic(void **state) {
    (void)state;
    for (operation op = ADD; op <= SQRT; op++)
        for (rounding mode = RN; mode <= RP; mode++) {
            char name[64];
            bool named = mode != RN || op > FMA;
            snprintf(name, sizeof name, "%s%s%s.f64", op_words[op], named ? "." : "",
                     named ? rounding_words[mode] : "");
            check_arithmetic(name, &F64, op, (flavour){.mode = mode}, 1, 300);
            if (op != FMA) continue;
            memcpy(name, "mad", 3);
            check_arithmetic(name, &F64, op, (flavour){.mode = mode}, 1, 1);
        }
}

static void half_arithmetic(void **state) {
    (void)state;
    static const char *const words[] = {"", ".ftz", ".sat", ".ftz.sat", ".relu", ".ftz.relu"};
    for (operation op = ADD; op <= FMA; op++)
        for (int kind = 0; kind < (op == FMA ? 6 : 4); kind++)
            for (int pairs = 0; pairs < 2; pairs++) {
                char name[64];
                snprintf(name, sizeof name, "%s%s.f16%s", op_words[op], words[kind], pairs ? "x2" : "");
                flavour v = {.ftz = kind & 1, .sat = kind / 2 == 1, .relu = kind / 2 == 2};
                check_arithmetic(name, &F16, op, v, pairs + 1, 800);
                if (kind != 0 && kind != 4) continue;
                snprintf(name, sizeof name, "%s%s.bf16%s", op_words[op], words[kind], pairs ? "x2" : "");
                check_arithmetic(name, &BF16, op, v, pairs + 1, 800);
            }
}

// ---- min, max, neg, abs, copysign ----

static uint64_t pick(const format *f, bool max, bool nan, uint64_t a, uint64_t b) {
    bool a_nan = is_nan_bits(f, a), b_nan = is_nan_bits(f, b);
    uint64_t canonical = f == &F64 ? a : f->nan;
    if (a_nan && b_nan) return canonical;
    if (a_nan || b_nan) return nan ? canonical : a_nan ? b : a;
    double va = value_of(f, a), vb = value_of(f, b);
    if (va == vb) return max == !(a & sign_of(f)) ? a : b;
    return (va < vb) == max ? b : a;
}

static void check_extremes(const char *type, const format *f, int parts, bool with_ftz, bool with_nan) {
    for (int which = 0; which < 16; which++) {
        bool max = which & 1, ftz = which & 2, nan = which & 4, xorsign = which & 8;
        if ((ftz && !with_ftz) || ((nan || xorsign) && !with_nan)) continue;
        char name[64];
        snprintf(name, sizeof name, "%s%s%s%s.%s", max ? "max" : "min", ftz ? ".ftz" : "", nan ? ".NaN" : "",
                 xorsign ? ".xorsign.abs" : "", type);
        for (int level = 0; level < n_levels; level++) {
            hw_body body = find_body(levels[level], name);
            uint64_t random = 7, n = 0;
            bench t;
            bench_start(&t, 0xffffffffu);
            for (int round = 0; round < 100; round++) {
                uint64_t in[64][2];
                for (int i = 0; i < 32 * parts; i++, n++)
                    for (int k = 0; k < 2; k++)
                        set_lane(&t, AT_A + 256 * k, f->bytes, i, in[i][k] = operand(f, n, k, 2, &random));
                bench_run(&t, body);
                for (int i = 0; i < 32 * parts; i++) {
                    uint64_t a = in[i][0], b = in[i][1], sign = (a ^ b) & sign_of(f);
                    if (ftz) a = flush_bits(f, a), b = flush_bits(f, b);
                    if (xorsign) a &= ~sign_of(f), b &= ~sign_of(f);
                    uint64_t want = pick(f, max, nan, a, b);
                    if (xorsign && !is_nan_bits(f, want)) want |= sign;
                    uint64_t got = get_lane(&t, AT_D, f->bytes, i);
                    if (got != want)
                        fail_msg("%s level %d: %llx %llx gives %llx, not %llx", name, level,
                                 (unsigned long long)in[i][0], (unsigned long long)in[i][1], (unsigned long long)got,
                                 (unsigned long long)want);
                }
            }
        }
    }
}

static void extremes(void **state) {
    (void)state;
    check_extremes("f32", &F32, 1, true, true);
    check_extremes("f64", &F64, 1, false, false);
    check_extremes("f16", &F16, 1, true, true);
    check_extremes("f16x2", &F16, 2, true, true);
    check_extremes("bf16", &BF16, 1, false, true);
    check_extremes("bf16x2", &BF16, 2, false, true);
}

// One lane of a unary body, or of a binary one, at a level.
static uint64_t one(int level, const char *name, int bytes, uint64_t a, uint64_t b, uint64_t c) {
    bench t;
    bench_start(&t, 1);
    set_lane(&t, AT_A, bytes, 0, a);
    set_lane(&t, AT_B, bytes, 0, b);
    set_lane(&t, AT_C, bytes, 0, c);
    bench_run(&t, find_body(levels[level], name));
    return get_lane(&t, AT_D, bytes, 0);
}

static void signs(void **state) {
    (void)state;
    static const struct {
        const char *name;
        int bytes;
        uint64_t a, b, want;
    } cases[] = {
        {"neg.f32", 4, 0x00000000, 0, 0x80000000},         {"neg.f32", 4, 0x80000001, 0, 0x00000001},
        {"neg.ftz.f32", 4, 0x80000001, 0, 0x00000000},     {"neg.ftz.f32", 4, 0x3f800000, 0, 0xbf800000},
        {"neg.f32", 4, 0xffc00001, 0, 0x7fffffff},         {"abs.f32", 4, 0xff800000, 0, 0x7f800000},
        {"abs.f32", 4, 0xffc00001, 0, 0x7fffffff},         {"abs.ftz.f32", 4, 0x807fffff, 0, 0},
        {"copysign.f32", 4, 0x80000000, 0x3f800000, 0xbf800000},
        {"copysign.f32", 4, 0x40000000, 0xff800000, 0x7f800000},
        {"copysign.f64", 8, 1ull << 63, 0x3ff0000000000000, 0xbff0000000000000},
        {"neg.f64", 8, 0x3ff0000000000000, 0, 0xbff0000000000000},
        {"neg.f64", 8, 0x7ff8000000000001, 0, 0x7ff8000000000001},
        {"abs.f64", 8, 0x8000000000000001, 0, 1},          {"abs.f64", 8, 0xfff8000000000001, 0, 0xfff8000000000001},
        {"neg.f16", 2, 0x0001, 0, 0x8001},                 {"neg.ftz.f16", 2, 0x0001, 0, 0x8000},
        {"neg.f16", 2, 0xfe00, 0, 0x7fff},                 {"abs.f16", 2, 0xbc00, 0, 0x3c00},
        {"abs.ftz.f16", 2, 0x83ff, 0, 0},                  {"neg.f16x2", 4, 0x3c008000, 0, 0xbc000000},
        {"neg.ftz.f16x2", 4, 0x03ffbc00, 0, 0x80003c00},   {"abs.f16x2", 4, 0xfe00bc00, 0, 0x7fff3c00},
        {"abs.ftz.f16x2", 4, 0x80018400, 0, 0x00000400},   {"neg.bf16", 2, 0x0001, 0, 0x8001},
        {"neg.bf16", 2, 0x7f81, 0, 0x7fff},                {"abs.bf16", 2, 0xff80, 0, 0x7f80},
        {"neg.bf16x2", 4, 0x3f80bf80, 0, 0xbf803f80},      {"abs.bf16x2", 4, 0xbf80ffff, 0, 0x3f807fff},
    };
    for (int level = 0; level < n_levels; level++)
        for (size_t k = 0; k < sizeof cases / sizeof *cases; k++) {
            uint64_t got = one(level, cases[k].name, cases[k].bytes, cases[k].a, cases[k].b, 0);
            if (got != cases[k].want)
                fail_msg("%s level %d: %llx gives %llx", cases[k].name, level, (unsigned long long)cases[k].a,
                         (unsigned long long)got);
        }
}

// NaN: f32 and narrower make the canonical one; f64 keeps a payload and otherwise makes 0xfff8000000000000.
static void nan_results(void **state) {
    (void)state;
    const uint64_t inf = 0x7ff0000000000000, payload = 0x7ff8000000001234, signaling = 0xfff0000000000001;
    for (int level = 0; level < n_levels; level++) {
        assert_int_equal(one(level, "add.f64", 8, inf, inf | 1ull << 63, 0), F64.nan);
        assert_int_equal(one(level, "mul.f64", 8, inf, 0, 0), F64.nan);
        assert_int_equal(one(level, "sqrt.rn.f64", 8, 0xbff0000000000000, 0, 0), F64.nan);
        assert_int_equal(one(level, "fma.f64", 8, inf, 0x3ff0000000000000, inf | 1ull << 63), F64.nan);
        assert_int_equal(one(level, "add.f64", 8, payload, 0, 0), payload);
        assert_int_equal(one(level, "mul.rz.f64", 8, 0, payload, 0), payload);
        assert_int_equal(one(level, "fma.f64", 8, 0, 0, payload), payload);
        assert_int_equal(one(level, "add.f64", 8, signaling, 0, 0), signaling | 0x0008000000000000);
        assert_int_equal(one(level, "add.f32", 4, 0x7f800000, 0xff800000, 0), 0x7fffffff);
        assert_int_equal(one(level, "add.f32", 4, 0xffc12345, 0, 0), 0x7fffffff);
        assert_int_equal(one(level, "add.f16", 2, 0x7c00, 0xfc00, 0), 0x7fff);
        assert_int_equal(one(level, "fma.bf16", 2, 0x7f80, 0, 0xffc1), 0x7fff);
    }
}

// ---- what holds for every body ----

// Bytes of a lane of the destination, 0: it is a predicate.
static int destination_bytes(const char *name) {
    static const struct { const char *word; int bytes; } types[] = {
        {".f32x2", 8}, {".f16x2", 4}, {".bf16x2", 4}, {".f16", 2}, {".bf16", 2}, {".u16", 2}, {".s16", 2}, {".b16", 2},
        {".f32", 4}, {".u32", 4}, {".s32", 4}, {".b32", 4}, {".f64", 8}, {".u64", 8}, {".s64", 8}, {".b64", 8}};
    if (!strncmp(name, "setp", 4) || !strncmp(name, "testp", 5)) return 0;
    const char *first = NULL;
    int bytes = 0;
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const char *at = strstr(name, types[k].word);
        if (at && (!first || at < first)) first = at, bytes = types[k].bytes;
    }
    return bytes;
}

static void fill_random(bench *t, uint64_t *random) {
    for (int k = 0; k < FRAME_BYTES; k += 8) {
        uint64_t bits = next_random(random);
        memcpy(t->frame + k, &bits, 8);
    }
}

// A warp with some lanes off does to the others what a full one does, and touches nothing else, also when d is a, b or
// c.
static void check_masks(const hw_level *level, hw_body_id id) {
    const char *name = hw_body_name(id);
    hw_body body = hw_level_forms(level, id)->body;
    uint64_t random = 99;
    int bytes = destination_bytes(name);
    bool slct_other_width = !strncmp(name, "slct", 4) && bytes != 4;    // its c is a float: never d's register
    for (int round = 0; round < 12; round++) {
        uint32_t mask = round < 6 ? (uint32_t)next_random(&random) | 1 : 0xffffffffu;
        bench whole, part;
        bench_start(&whole, 0xffffffffu);
        bench_start(&part, mask);
        fill_random(&whole, &random);
        if (bytes == 0) part.insts[0].d = whole.insts[0].d = AT_D_PRED, part.insts[0].e = whole.insts[0].e = AT_E;
        else part.insts[0].d = (hw_slot[]){AT_D, AT_A, AT_B, AT_C}[round % (slct_other_width ? 3 : 4)];
        if (!strncmp(name, "set", 3)) {
            part.insts[0].p = whole.insts[0].p = AT_P;
            part.insts[0].combination = whole.insts[0].combination = (uint8_t)(round % 4);
        }
        memcpy(part.frame, whole.frame, FRAME_BYTES);
        bench before = part;
        bench_run(&whole, body);
        bench_run(&part, body);
        for (int i = 0; i < 32 && bytes; i++)
            if (mask >> i & 1) {
                assert_int_equal(get_lane(&part, (int)part.insts[0].d, bytes, i), get_lane(&whole, AT_D, bytes, i));
                set_lane(&before, (int)part.insts[0].d, bytes, i, get_lane(&whole, AT_D, bytes, i));
            }
        for (int slot = AT_E; bytes == 0 && slot; slot = slot == AT_E ? AT_D_PRED : 0) {
            uint32_t was = (uint32_t)get_lane(&before, slot, 4, 0), all = (uint32_t)get_lane(&whole, slot, 4, 0);
            set_lane(&before, slot, 4, 0, (was & ~mask) | (all & mask));
        }
        if (memcmp(before.frame, part.frame, FRAME_BYTES)) fail_msg("%s writes where it must not", name);
    }
}

static void masks_and_aliases(void **state) {
    (void)state;
    for (int level = 0; level < n_levels; level++)
        for (int k = 0; k < FLOAT_GROUP_COUNT; k++)
            for (uint32_t n = hw_body_count_of(float_groups[k]); n--;)
                check_masks(levels[level], (hw_body_id)(hw_body_first(float_groups[k]) + n));
}

static void check_levels(hw_body_id id, uint64_t *random) {
    const char *name = hw_body_name(id);
    for (int round = 0; round < 20; round++) {
        bench first, other;
        bench_start(&first, 0xffffffffu);
        fill_random(&first, random);
        if (destination_bytes(name) == 0) first.insts[0].d = AT_D_PRED, first.insts[0].e = AT_E;
        for (int level = 1; level < n_levels; level++) {
            bench_start(&other, 0xffffffffu);
            memcpy(other.frame, first.frame, FRAME_BYTES);
            other.insts[0] = first.insts[0];
            bench base = first;
            hw_set_base(&base.warp, HW_BASE_FRAME, base.frame);
            const hw_inst *next = hw_level_forms(levels[0], id)->body(&base.warp, &base.insts[0]);
            assert_ptr_equal(next, &base.insts[1]);
            bench_run(&other, hw_level_forms(levels[level], id)->body);
            if (memcmp(base.frame, other.frame, FRAME_BYTES)) fail_msg("%s differs at level %d", name, level);
        }
    }
}

// The same bits at every level.
static void levels_agree(void **state) {
    (void)state;
    uint64_t random = 5;
    for (int k = 0; k < FLOAT_GROUP_COUNT; k++)
        for (uint32_t n = 0; n < hw_body_count_of(float_groups[k]); n++)
            check_levels((hw_body_id)(hw_body_first(float_groups[k]) + n), &random);
}

int main(void) {
    n_levels = levels_here(levels);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(f32_arithmetic), cmocka_unit_test(f32_pairs),         cmocka_unit_test(f64_arithmetic),
        cmocka_unit_test(half_arithmetic),
        cmocka_unit_test(extremes),       cmocka_unit_test(signs),             cmocka_unit_test(nan_results),
        cmocka_unit_test(masks_and_aliases), cmocka_unit_test(levels_agree),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
