// Bodies of integer arithmetic, logic, bits and comparisons against scalar C written from the PTX ISA.
#include "int_bodies.h"

typedef struct type {
    const char *name;
    unsigned bits;
    bool is_signed;
} type;
static const type types[] = {{"s16", 16, true}, {"u16", 16, false}, {"s32", 32, true}, {"u32", 32, false},
                             {"s64", 64, true}, {"u64", 64, false}, {"b16", 16, false}, {"b32", 32, false},
                             {"b64", 64, false}};

typedef __int128 wide;
static wide value_of(const type *t, uint64_t x) {
    unsigned unused = 64 - t->bits;
    return t->is_signed ? (wide)((int64_t)(x << unused) >> unused) : (wide)(x & low_bits(t->bits));
}
static wide lowest(const type *t) { return t->is_signed ? -((wide)1 << (t->bits - 1)) : 0; }
static wide highest(const type *t) { return t->is_signed ? ((wide)1 << (t->bits - 1)) - 1 : ((wide)1 << t->bits) - 1; }
static wide clamp(const type *t, wide v) { return v < lowest(t) ? lowest(t) : v > highest(t) ? highest(t) : v; }

#define REF(name, expression)                                       \
    static uint64_t name(const void *context, const uint64_t *x) {  \
        const type *t = context;                                    \
        wide a = value_of(t, x[0]);                                 \
        (void)a;                                                    \
        return (uint64_t)(expression);                              \
    }
#define VB value_of(t, x[1])
#define VC value_of(t, x[2])

// ---- arithmetic ----

REF(ref_add, a + VB)
REF(ref_sub, a - VB)
REF(ref_add_sat, clamp(t, a + VB))
REF(ref_sub_sat, clamp(t, a - VB))
static wide product(const type *t, const uint64_t *x) {    // of 64-bit unsigned values it wraps at 2^128, as bits do
    return (wide)((unsigned __int128)value_of(t, x[0]) * (unsigned __int128)value_of(t, x[1]));
}
static wide high(const type *t, const uint64_t *x) {
    return t->is_signed ? product(t, x) >> t->bits : (wide)((unsigned __int128)product(t, x) >> t->bits);
}
REF(ref_mul_lo, product(t, x))
REF(ref_mul_hi, high(t, x))
REF(ref_mad_lo, product(t, x) + x[2])
REF(ref_mad_hi, high(t, x) + x[2])
REF(ref_mad_hi_sat, clamp(t, high(t, x) + VC))
static wide product24(const type *t, const uint64_t *x) {
    type narrow = {"24", 24, t->is_signed};
    return value_of(&narrow, x[0]) * value_of(&narrow, x[1]);
}
REF(ref_mul24_lo, product24(t, x))
REF(ref_mul24_hi, product24(t, x) >> 16)
REF(ref_mad24_lo, product24(t, x) + x[2])
REF(ref_mad24_hi, (product24(t, x) >> 16) + x[2])
REF(ref_mad24_hi_sat, clamp(t, (wide)(int32_t)(product24(t, x) >> 16) + VC))
REF(ref_sad, VC + (a > VB ? a - VB : VB - a))
REF(ref_div, VB == 0 ? (wide)-1 : a / VB)
REF(ref_rem, VB == 0 ? (wide)-1 : a % VB)
REF(ref_abs, a < 0 ? -a : a)
REF(ref_neg, -a)
REF(ref_min, a < VB ? a : VB)
REF(ref_max, a > VB ? a : VB)
REF(ref_min_relu, (a < VB ? a : VB) < 0 ? 0 : a < VB ? a : VB)
REF(ref_max_relu, (a > VB ? a : VB) < 0 ? 0 : a > VB ? a : VB)

// ---- bits ----

REF(ref_popc, (__builtin_popcountll(x[0])))
static uint64_t ref_clz(const void *context, const uint64_t *x) {
    const type *t = context;
    unsigned n = 0;
    while (n < t->bits && !(x[0] >> (t->bits - 1 - n) & 1)) n++;
    return n;
}
static uint64_t ref_bfind(const void *context, const uint64_t *x) {
    const type *t = context;
    uint64_t bits = value_of(t, x[0]) < 0 ? ~x[0] & low_bits(t->bits) : x[0];
    for (int i = (int)t->bits - 1; i >= 0; i--)
        if (bits >> i & 1) return (uint64_t)i;
    return 0xffffffff;
}
static uint64_t ref_bfind_shiftamt(const void *context, const uint64_t *x) {
    uint64_t found = ref_bfind(context, x);
    return found == 0xffffffff ? found : ((const type *)context)->bits - 1 - found;
}
static uint64_t ref_brev(const void *context, const uint64_t *x) {
    const type *t = context;
    uint64_t d = 0;
    for (unsigned i = 0; i < t->bits; i++) d |= (x[0] >> i & 1) << (t->bits - 1 - i);
    return d;
}
// PTX ISA, bfe: the pseudo-code. Positions and lengths beyond a byte count in 64 bits only.
static uint64_t ref_bfe(const void *context, const uint64_t *x) {
    const type *t = context;
    uint64_t keep = t->bits == 32 ? 0xff : 0xffffffff, pos = x[1] & keep, len = x[2] & keep, msb = t->bits - 1, d = 0;
    uint64_t last = pos + len - 1 < msb ? pos + len - 1 : msb;
    uint64_t sign = !t->is_signed || len == 0 ? 0 : x[0] >> last & 1;
    for (uint64_t i = 0; i <= msb; i++) d |= (i < len && pos + i <= msb ? x[0] >> (pos + i) & 1 : sign) << i;
    return d;
}
static uint64_t ref_bfi(const void *context, const uint64_t *x) {
    const type *t = context;
    uint64_t keep = t->bits == 32 ? 0xff : 0xffffffff, pos = x[2] & keep, len = x[3] & keep, f = x[1];
    for (uint64_t i = 0; i < len && pos + i < t->bits; i++)
        f = (f & ~((uint64_t)1 << (pos + i))) | (x[0] >> i & 1) << (pos + i);
    return f;
}
static uint64_t ref_fns(const void *context, const uint64_t *x) {
    (void)context;
    int32_t offset = (int32_t)x[2];
    if (offset == INT32_MIN) return 0;
    if (offset == 0) return x[1] < 32 && x[0] >> x[1] & 1 ? x[1] : 0xffffffff;
    int64_t pos = (int64_t)x[1], count = (offset < 0 ? -(int64_t)offset : offset) - 1;
    for (; pos >= 0 && pos < 32; pos += offset > 0 ? 1 : -1)
        if (x[0] >> pos & 1 && count-- == 0) return (uint64_t)pos;
    return 0xffffffff;
}
// PTX ISA, bmsk and szext: the pseudo-code. context: is the mode clamp?
static const bool clamps = true, wraps = false;
static uint64_t ref_bmsk(const void *context, const uint64_t *x) {
    bool clamp_mode = *(const bool *)context;
    uint32_t d = 0;
    uint64_t first = clamp_mode ? x[0] : x[0] & 31, length = clamp_mode ? x[1] : x[1] & 31;
    for (uint64_t i = 0; i < 32; i++) d |= (uint32_t)(i >= first && i - first < length) << i;
    return d;
}
typedef struct szext_mode {
    bool clamps, is_signed;
} szext_mode;
static uint64_t ref_szext(const void *context, const uint64_t *x) {
    const szext_mode *mode = context;
    uint32_t n = (uint32_t)x[1] & 31;
    if (mode->clamps && x[1] >= 32) return x[0];
    uint32_t mask = ~0u << n, kept = (uint32_t)x[0] & ~mask;
    return mode->is_signed && n && x[0] >> (n - 1) & 1 ? kept | mask : kept;
}

// ---- logic ----

REF(ref_and, x[0] & x[1])
REF(ref_or, x[0] | x[1])
REF(ref_xor, x[0] ^ x[1])
REF(ref_not, ~x[0])
REF(ref_cnot, x[0] == 0)
REF(ref_shl, x[1] >= t->bits ? 0 : x[0] << x[1])
REF(ref_shr, a >> (x[1] >= t->bits ? t->bits : x[1]))
REF(ref_slct, (int32_t)x[2] >= 0 ? x[0] : x[1])

typedef struct lane_case {
    const char *op, *types, *operands;    // operands: width of d and sources: t the type's, W twice, I 32 bits
    int_reference reference;
} lane_case;
static const lane_case lane_cases[] = {
    {"add", "s16 u16 s32 u32 s64 u64", "ttt", ref_add}, {"sub", "s16 u16 s32 u32 s64 u64", "ttt", ref_sub},
    {"add.sat", "s32", "ttt", ref_add_sat}, {"sub.sat", "s32", "ttt", ref_sub_sat},
    {"mul.lo", "s16 u16 s32 u32 s64 u64", "ttt", ref_mul_lo}, {"mul.hi", "s16 u16 s32 u32 s64 u64", "ttt", ref_mul_hi},
    {"mul.wide", "s16 u16 s32 u32", "Wtt", ref_mul_lo}, {"mad.lo", "s16 u16 s32 u32 s64 u64", "tttt", ref_mad_lo},
    {"mad.hi", "s16 u16 s32 u32 s64 u64", "tttt", ref_mad_hi}, {"mad.sat.hi", "s32", "tttt", ref_mad_hi_sat},
    {"mad.wide", "s16 u16 s32 u32", "WttW", ref_mad_lo}, {"mul24.lo", "s32 u32", "ttt", ref_mul24_lo},
    {"mul24.hi", "s32 u32", "ttt", ref_mul24_hi}, {"mad24.lo", "s32 u32", "tttt", ref_mad24_lo},
    {"mad24.hi", "s32 u32", "tttt", ref_mad24_hi}, {"mad24.sat.hi", "s32", "tttt", ref_mad24_hi_sat},
    {"sad", "s16 u16 s32 u32 s64 u64", "tttt", ref_sad}, {"div", "s16 u16 s32 u32 s64 u64", "ttt", ref_div},
    {"rem", "s16 u16 s32 u32 s64 u64", "ttt", ref_rem}, {"abs", "s16 s32 s64", "tt", ref_abs},
    {"neg", "s16 s32 s64", "tt", ref_neg}, {"min", "s16 u16 s32 u32 s64 u64", "ttt", ref_min},
    {"max", "s16 u16 s32 u32 s64 u64", "ttt", ref_max}, {"min.relu", "s32", "ttt", ref_min_relu},
    {"max.relu", "s32", "ttt", ref_max_relu}, {"popc", "b32 b64", "It", ref_popc}, {"clz", "b32 b64", "It", ref_clz},
    {"bfind", "s32 u32 s64 u64", "It", ref_bfind}, {"bfind.shiftamt", "s32 u32 s64 u64", "It", ref_bfind_shiftamt},
    {"brev", "b32 b64", "tt", ref_brev}, {"bfe", "s32 u32 s64 u64", "ttII", ref_bfe},
    {"bfi", "b32 b64", "tttII", ref_bfi}, {"fns", "b32", "tttt", ref_fns},
    {"and", "b16 b32 b64", "ttt", ref_and}, {"or", "b16 b32 b64", "ttt", ref_or},
    {"xor", "b16 b32 b64", "ttt", ref_xor},
    {"not", "b16 b32 b64", "tt", ref_not}, {"cnot", "b16 b32 b64", "tt", ref_cnot},
    {"shl", "b16 b32 b64", "ttI", ref_shl}, {"shr", "s16 u16 s32 u32 s64 u64 b32", "ttI", ref_shr},
    {"slct", "b16.s32 b32.s32 b64.s32", "tttI", ref_slct},
};

static const type *type_named(const char *name) {
    for (size_t k = 0; k < sizeof types / sizeof *types; k++)
        if (!strncmp(types[k].name, name, 3)) return &types[k];
    return NULL;
}

static void test_lanes(void **state) {
    (void)state;
    for (size_t c = 0; c < sizeof lane_cases / sizeof *lane_cases; c++) {
        const lane_case *lane = &lane_cases[c];
        char list[64], name[64], *rest = list;
        snprintf(list, sizeof list, "%s", lane->types);
        for (char *word; (word = strtok_r(rest, " ", &rest));) {
            const type *t = type_named(word);
            unsigned bits[5];
            int n = (int)strlen(lane->operands);
            for (int k = 0; k < n; k++)
                bits[k] = lane->operands[k] == 't' ? t->bits : lane->operands[k] == 'W' ? 2 * t->bits : 32;
            snprintf(name, sizeof name, "%s.%s", lane->op, word);
            check_body(name, bits, n - 1, lane->reference, t, NULL);
        }
    }
}

// ---- packed, permuted, dotted ----

static const unsigned three_32[] = {32, 32, 32, 32};

static uint64_t by_halves(const uint64_t *x, const char *half_type, int_reference reference) {
    const type *t = type_named(half_type);
    uint64_t low[] = {x[0] & 0xffff, x[1] & 0xffff}, high_half[] = {x[0] >> 16, x[1] >> 16};
    return (reference(t, low) & 0xffff) | (reference(t, high_half) & 0xffff) << 16;
}
#define HALVES(name, half_type, reference) \
    static uint64_t name(const void *context, const uint64_t *x) {   \
        (void)context;                                               \
        return by_halves(x, half_type, reference);                   \
    }
HALVES(ref_add_pair, "u16", ref_add)
HALVES(ref_min_s_pair, "s16", ref_min)
HALVES(ref_max_s_pair, "s16", ref_max)
HALVES(ref_min_u_pair, "u16", ref_min)
HALVES(ref_max_u_pair, "u16", ref_max)
HALVES(ref_min_relu_pair, "s16", ref_min_relu)
HALVES(ref_max_relu_pair, "s16", ref_max_relu)

static void test_pairs(void **state) {
    (void)state;
    check_body("add.s16x2", three_32, 2, ref_add_pair, NULL, NULL);
    check_body("min.s16x2", three_32, 2, ref_min_s_pair, NULL, NULL);
    check_body("max.s16x2", three_32, 2, ref_max_s_pair, NULL, NULL);
    check_body("min.u16x2", three_32, 2, ref_min_u_pair, NULL, NULL);
    check_body("max.u16x2", three_32, 2, ref_max_u_pair, NULL, NULL);
    check_body("min.relu.s16x2", three_32, 2, ref_min_relu_pair, NULL, NULL);
    check_body("max.relu.s16x2", three_32, 2, ref_max_relu_pair, NULL, NULL);
}

// The selectors of prmt's modes, from the table in the PTX ISA: bytes b3 b2 b1 b0 for c & 3 = 0 to 3.
static const uint16_t mode_selectors[7][4] = {{0}, {0x3210, 0x4321, 0x5432, 0x6543}, {0x5670, 0x6701, 0x7012, 0x0123},
                                              {0x0000, 0x1111, 0x2222, 0x3333}, {0x3210, 0x3211, 0x3222, 0x3333},
                                              {0x0000, 0x1110, 0x2210, 0x3210}, {0x1010, 0x3232, 0x1010, 0x3232}};
static uint64_t ref_prmt(const void *context, const uint64_t *x) {
    int mode = *(const int *)context;
    uint64_t selector = mode ? mode_selectors[mode][x[2] & 3] : x[2], all = x[0] | x[1] << 32, d = 0;
    for (int k = 0; k < 4; k++) {
        uint64_t nibble = selector >> 4 * k & 15, byte = all >> 8 * (nibble & 7) & 0xff;
        if (nibble & 8) byte = byte & 0x80 ? 0xff : 0;
        d |= byte << 8 * k;
    }
    return d;
}
// A selector in the launch's constants takes another way than one in a register.
static void test_prmt(void **state) {
    (void)state;
    static const char *const bodies[] = {"prmt.b32",     "prmt.f4e.b32", "prmt.b4e.b32", "prmt.rc8.b32",
                                         "prmt.ecl.b32", "prmt.ecr.b32", "prmt.rc16.b32"};
    for (int mode = 0; mode < 7; mode++) check_body(bodies[mode], three_32, 3, ref_prmt, &mode, NULL);
    for (int level = 0; level < n_int_levels; level++) {
        for (int round = 0; round < 200; round++) {
            int_bench t;
            int mode = 0;
            bench_start(&t, round & 1 ? 0x0ff0ff0fu : 0xffffffffu);
            uint64_t selector = random_64() & (round & 2 ? 0xffff : 0x7777), x[32][3];
            for (int i = 0; i < 32; i++) {
                for (int k = 0; k < 2; k++)
                    set_lane(&t, k ? SLOT_B : SLOT_A, 32, i, x[i][k] = random_64() & 0xffffffff);
                set_lane(&t, SLOT_C, 32, i, x[i][2] = selector);
            }
            t.insts[0].c |= HW_BASE_LAUNCH;
            bench_run(&t, level, "prmt.b32");
            for (int i = 0; i < 32; i++)
                if (t.warp.mask >> i & 1) assert_int_equal(get_lane(&t, SLOT_D, 32, i), ref_prmt(&mode, x[i]));
        }
    }
}

static uint64_t ref_lop3(const void *context, const uint64_t *x) {
    int table = *(const int *)context;
    uint64_t d = 0;
    for (int i = 0; i < 32; i++)
        d |= (uint64_t)(table >> ((x[0] >> i & 1) * 4 + (x[1] >> i & 1) * 2 + (x[2] >> i & 1)) & 1) << i;
    return d;
}
static void set_table(hw_inst *inst, const void *context) { inst->imm = *(const int *)context; }

static void test_lop3(void **state) {
    (void)state;
    for (int table = 0; table < 256; table++) check_body("lop3.b32", three_32, 3, ref_lop3, &table, set_table);
}

static uint64_t ref_shf(const void *context, const uint64_t *x) {
    const char *mode = context;
    uint64_t both = x[1] << 32 | x[0], n = mode[1] == 'w' ? x[2] & 31 : x[2] > 32 ? 32 : x[2];
    if (mode[0] == 'r') return both >> n;
    return n ? x[1] << n | x[0] >> (32 - n) : x[1];
}
static uint64_t ref_dp4a(const void *context, const uint64_t *x) {
    const char *signs = context;
    int64_t d = (int64_t)x[2];
    for (int k = 0; k < 4; k++) {
        uint64_t a = x[0] >> 8 * k & 0xff, b = x[1] >> 8 * k & 0xff;
        d += (signs[0] == 's' ? (int8_t)a : (int)a) * (signs[1] == 's' ? (int8_t)b : (int)b);
    }
    return (uint64_t)d;
}
static uint64_t ref_dp2a(const void *context, const uint64_t *x) {
    const char *signs = context;
    int64_t d = (int64_t)x[2];
    for (int k = 0; k < 2; k++) {
        uint64_t a = x[0] >> 16 * k & 0xffff, b = x[1] >> (8 * k + (signs[2] == 'h' ? 16 : 0)) & 0xff;
        d += (int64_t)(signs[0] == 's' ? (int16_t)a : (int)a) * (signs[1] == 's' ? (int8_t)b : (int)b);
    }
    return (uint64_t)d;
}

static void test_others(void **state) {
    (void)state;
    check_body("shf.l.wrap.b32", three_32, 3, ref_shf, "lw", NULL);
    check_body("shf.l.clamp.b32", three_32, 3, ref_shf, "lc", NULL);
    check_body("shf.r.wrap.b32", three_32, 3, ref_shf, "rw", NULL);
    check_body("shf.r.clamp.b32", three_32, 3, ref_shf, "rc", NULL);
    check_body("dp4a.u32.u32", three_32, 3, ref_dp4a, "uu", NULL);
    check_body("dp4a.s32.u32", three_32, 3, ref_dp4a, "su", NULL);
    check_body("dp4a.u32.s32", three_32, 3, ref_dp4a, "us", NULL);
    check_body("dp4a.s32.s32", three_32, 3, ref_dp4a, "ss", NULL);
    check_body("dp2a.lo.u32.u32", three_32, 3, ref_dp2a, "uul", NULL);
    check_body("dp2a.lo.s32.u32", three_32, 3, ref_dp2a, "sul", NULL);
    check_body("dp2a.lo.u32.s32", three_32, 3, ref_dp2a, "usl", NULL);
    check_body("dp2a.lo.s32.s32", three_32, 3, ref_dp2a, "ssl", NULL);
    check_body("dp2a.hi.u32.u32", three_32, 3, ref_dp2a, "uuh", NULL);
    check_body("dp2a.hi.s32.u32", three_32, 3, ref_dp2a, "suh", NULL);
    check_body("dp2a.hi.u32.s32", three_32, 3, ref_dp2a, "ush", NULL);
    check_body("dp2a.hi.s32.s32", three_32, 3, ref_dp2a, "ssh", NULL);
    check_body("bmsk.clamp.b32", three_32, 2, ref_bmsk, &clamps, NULL);
    check_body("bmsk.wrap.b32", three_32, 2, ref_bmsk, &wraps, NULL);
    check_body("szext.clamp.u32", three_32, 2, ref_szext, &(szext_mode){true, false}, NULL);
    check_body("szext.clamp.s32", three_32, 2, ref_szext, &(szext_mode){true, true}, NULL);
    check_body("szext.wrap.u32", three_32, 2, ref_szext, &(szext_mode){false, false}, NULL);
    check_body("szext.wrap.s32", three_32, 2, ref_szext, &(szext_mode){false, true}, NULL);
}

// ---- comparisons ----

typedef struct comparison {
    const char *op;
    const type *t;
    int kind;         // of result: 0 a predicate, 1 all ones, 2 1.0f
} comparison;
static bool holds(const char *op, wide a, wide b) {
    if (!strcmp(op, "eq")) return a == b;
    if (!strcmp(op, "ne")) return a != b;
    if (!strcmp(op, "lt") || !strcmp(op, "lo")) return a < b;
    if (!strcmp(op, "le") || !strcmp(op, "ls")) return a <= b;
    if (!strcmp(op, "gt") || !strcmp(op, "hi")) return a > b;
    return a >= b;
}
static uint64_t ref_compare(const void *context, const uint64_t *x) {
    const comparison *c = context;
    bool yes = holds(c->op, value_of(c->t, x[0]), value_of(c->t, x[1]));
    return c->kind == 0 ? yes : !yes ? 0 : c->kind == 1 ? 0xffffffff : 0x3f800000;
}

static void test_compare(void **state) {
    (void)state;
    static const char *const ops[] = {"eq", "ne", "lt", "le", "gt", "ge", "lo", "ls", "hi", "hs"};
    char name[64];
    for (size_t k = 0; k < sizeof types / sizeof *types; k++) {
        const type *t = &types[k];
        int n_ops = t->name[0] == 'b' ? 2 : t->name[0] == 's' ? 6 : 10;
        for (int o = 0; o < n_ops; o++) {
            comparison c = {ops[o], t, 0};
            snprintf(name, sizeof name, "setp.%s.%s", ops[o], t->name);
            check_body(name, (unsigned[]){1, t->bits, t->bits}, 2, ref_compare, &c, NULL);
            if (o >= 6) continue;
            for (c.kind = 1; c.kind < 4; c.kind++) {
                static const char *const results[] = {"", "u32", "f32", "s32"};
                comparison as = {ops[o], t, c.kind == 2 ? 2 : 1};
                snprintf(name, sizeof name, "set.%s.%s.%s", ops[o], results[c.kind], t->name);
                check_body(name, (unsigned[]){32, t->bits, t->bits}, 2, ref_compare, &as, NULL);
            }
        }
    }
}

static uint32_t combine(uint8_t combination, uint32_t holds, uint32_t with) {
    switch ((hw_combination)combination) {
    case HW_COMBINE_AND: return holds & with;
    case HW_COMBINE_OR: return holds | with;
    case HW_COMBINE_XOR: return holds ^ with;
    default: return holds;
    }
}

// Both destinations, all combinations, a complemented predicate, a destination that is the predicate combined.
static void test_combine(void **state) {
    (void)state;
    for (int level = 0; level < n_int_levels; level++) {
        for (int round = 0; round < 256; round++) {
            int_bench t;
            uint32_t mask = test_masks[round % TEST_MASKS], p = (uint32_t)random_64(), first = (uint32_t)random_64();
            uint32_t second = (uint32_t)random_64(), less = 0;
            bench_start(&t, mask);
            bool sets = round & 32;
            hw_inst *in = &t.insts[0];
            in->combination = round & 3;
            in->flags = round & 4 ? HW_INST_NEGATE_P : 0;
            in->p = SLOT_P;
            in->e = sets || round & 8 ? HW_NO_SLOT : SLOT_E;
            if (round & 16 && !sets) in->d = SLOT_P, first = p;
            if (round & 64 && !sets && in->e != HW_NO_SLOT) in->d = HW_NO_SLOT;
            memcpy(t.frame + SLOT_P, &p, 4);
            memcpy(t.frame + SLOT_E, &second, 4);
            if (!sets && in->d != HW_NO_SLOT) memcpy(t.frame + in->d, &first, 4);
            for (int i = 0; i < 32; i++) {
                int32_t a = (int32_t)int_input(32), b = (int32_t)int_input(32);
                set_lane(&t, SLOT_A, 32, i, (uint32_t)a);
                set_lane(&t, SLOT_B, 32, i, (uint32_t)b);
                less |= (uint32_t)(a < b) << i;
                if (sets) set_lane(&t, SLOT_D, 32, i, 7);
            }
            bench_run(&t, level, sets ? "set.lt.u32.s32" : "setp.lt.s32");
            uint32_t q = round & 4 ? ~p : p;
            uint32_t want = combine(in->combination, less, q), want2 = combine(in->combination, ~less, q);
            uint32_t got;
            if (sets) {
                for (int i = 0; i < 32; i++)
                    assert_int_equal(get_lane(&t, SLOT_D, 32, i),
                                     !(mask >> i & 1) ? 7 : want >> i & 1 ? 0xffffffff : 0);
                continue;
            }
            if (in->d != HW_NO_SLOT) {
                memcpy(&got, t.frame + in->d, 4);
                assert_int_equal(got, (want & mask) | (first & ~mask));
            }
            memcpy(&got, t.frame + SLOT_E, 4);
            assert_int_equal(got, in->e == HW_NO_SLOT ? second : (want2 & mask) | (second & ~mask));
        }
    }
}

static uint64_t ref_selp(const void *context, const uint64_t *x) {
    return x[2] ^ *(const uint64_t *)context ? x[0] : x[1];
}
static void set_selector(hw_inst *inst, const void *context) {
    inst->p = SLOT_C;
    inst->flags = *(const uint64_t *)context ? HW_INST_NEGATE_P : 0;
}
static void test_selp(void **state) {
    (void)state;
    for (uint64_t negated = 0; negated < 2; negated++) {
        check_body("selp.b16", (unsigned[]){16, 16, 16, 1}, 3, ref_selp, &negated, set_selector);
        check_body("selp.b32", (unsigned[]){32, 32, 32, 1}, 3, ref_selp, &negated, set_selector);
        check_body("selp.b64", (unsigned[]){64, 64, 64, 1}, 3, ref_selp, &negated, set_selector);
    }
}

// Each name stands for one number, and every level has a body for each.
static void test_tables(void **state) {
    (void)state;
    for (uint32_t id = 1; id < hw_body_count(); id++) {
        const hw_body_info *info = hw_body_info_of((hw_body_id)id);
        assert_int_equal(hw_body_find(info->name), id);
        assert_true(id >= hw_body_first((hw_body_group)info->group));
        assert_true(id < hw_body_first((hw_body_group)info->group) + hw_body_count_of((hw_body_group)info->group));
        for (int level = 0; info->group >= HW_BODIES_OF_LANES && level < n_int_levels; level++)
            assert_non_null(hw_level_forms(int_levels[level], (hw_body_id)id)->body);
    }
    assert_int_equal(hw_body_find("add.u7"), HW_BODY_NONE);
    assert_string_equal(hw_body_name((hw_body_id)hw_body_count()), "?");
    assert_string_equal(hw_body_name(HW_BODY_COPY_WAIT), "cp.async.wait");    // the last that has a constant
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tables), cmocka_unit_test(test_lanes), cmocka_unit_test(test_pairs),
        cmocka_unit_test(test_prmt), cmocka_unit_test(test_lop3), cmocka_unit_test(test_others),
        cmocka_unit_test(test_compare), cmocka_unit_test(test_combine), cmocka_unit_test(test_selp),
    };
    return cmocka_run_group_tests(tests, find_int_levels, NULL);
}
