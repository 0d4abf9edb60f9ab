// setp, set, slct and testp of floats: every comparison of every type on all pairs of edge values, combined with a
// predicate in every way, against the definition of the comparison.
#include "float_bodies.h"

static level_here levels[3];
static int n_levels;

// Which of less, equal, greater, unordered make the comparison true: bits 0 to 3.
static const struct comparison {
    const char *word;
    unsigned holds;
} comparisons[] = {{"eq", 2}, {"ne", 5}, {"lt", 1}, {"le", 3}, {"gt", 4}, {"ge", 6}, {"equ", 10},
                   {"neu", 13}, {"ltu", 9}, {"leu", 11}, {"gtu", 12}, {"geu", 14}, {"num", 7}, {"nan", 8}};
enum { COMPARISONS = sizeof comparisons / sizeof *comparisons };

enum { EDGES = 16 };
static uint64_t edge(const format *f, int k) {
    uint64_t one = (uint64_t)f->bias << (f->precision - 1), infinity = infinity_of(f), sign = sign_of(f);
    const uint64_t edges[EDGES] = {0, sign, 1, sign | 1, ((uint64_t)1 << (f->precision - 1)) - 1,
                                   (uint64_t)1 << (f->precision - 1), one, sign | one, one + 1, infinity - 1,
                                   infinity, sign | infinity, infinity | 1, sign | (infinity + 1), one * 5 / 4,
                                   sign | 2};
    return edges[k];
}

static bool compare(const format *f, unsigned holds, bool ftz, uint64_t a, uint64_t b) {
    if (ftz) a = flush_bits(f, a), b = flush_bits(f, b);
    double x = value_of(f, a), y = value_of(f, b);
    return holds >> (x < y ? 0 : x == y ? 1 : x > y ? 2 : 3) & 1;
}

static bool combine(int sub, bool cmp, bool p) {
    return sub == 0 ? cmp : sub == 1 ? cmp && p : sub == 2 ? cmp || p : cmp != p;
}

static const struct float_type {
    const char *name;
    const format *f;
    int parts;
    bool has_ftz;
    const char *set_types;       // destinations of set
} float_types[] = {{"f32", &F32, 1, true, "u32 s32 f32"},           {"f64", &F64, 1, false, "u32 s32 f32"},
                   {"f16", &F16, 1, true, "u16 s16 u32 s32 f16"},   {"bf16", &BF16, 1, false, "u16 s16 u32 s32 bf16"},
                   {"f16x2", &F16, 2, true, "u32 s32 f16x2"},       {"bf16x2", &BF16, 2, false, "u32 s32 bf16x2"}};

// The operands of warp k: all pairs of edges, one after the other.
static void fill_pairs(bench *t, const struct float_type *type, int k, uint64_t in[64][2]) {
    for (int i = 0; i < 32 * type->parts; i++) {
        int n = (k * 32 * type->parts + i) % (EDGES * EDGES);
        set_lane(t, AT_A, type->f->bytes, i, in[i][0] = edge(type->f, n / EDGES));
        set_lane(t, AT_B, type->f->bytes, i, in[i][1] = edge(type->f, n % EDGES));
    }
}

static void check_setp(int level, const struct float_type *type, bool ftz, const struct comparison *c) {
    char name[64];
    snprintf(name, sizeof name, "setp.%s%s.%s", ftz ? "ftz." : "", c->word, type->name);
    hw_body body = find_body(levels[level], name);
    for (int k = 0; k < EDGES * EDGES / 32; k++)
        for (int combination = 0; combination < 4; combination++) {
            uint64_t in[64][2];
            bench t;
            bench_start(&t, 0xffffffffu);
            fill_pairs(&t, type, k, in);
            bool negate = k & 1, has_second = k & 2;
            uint32_t p = 0x9c3a55f0u ^ (uint32_t)k * 0x01010101u, second_before = 0x12345678;
            set_lane(&t, AT_P, 4, 0, p);
            set_lane(&t, AT_E, 4, 0, second_before);
            t.insts[0].d = AT_D_PRED;
            t.insts[0].combination = (uint8_t)combination;
            t.insts[0].flags = negate ? HW_INST_NEGATE_P : 0;
            if (combination) t.insts[0].p = AT_P;
            if (has_second) t.insts[0].e = AT_E;
            bench_run(&t, body);
            uint32_t first = (uint32_t)get_lane(&t, AT_D_PRED, 4, 0), second = (uint32_t)get_lane(&t, AT_E, 4, 0);
            if (!has_second) assert_int_equal(second, second_before);
            for (int i = 0; i < 32; i++) {
                bool q = (p >> i & 1) != negate;
                uint64_t *low = in[i * type->parts], *high = in[i * type->parts + type->parts - 1];
                bool cmp = compare(type->f, c->holds, ftz, low[0], low[1]);
                bool other = type->parts == 2 ? compare(type->f, c->holds, ftz, high[0], high[1]) : !cmp;
                if ((first >> i & 1) != combine(combination, cmp, q) ||
                    (has_second && (second >> i & 1) != combine(combination, other, q)))
                    fail_msg("%s level %d combination %d: %llx %llx", name, level, combination,
                             (unsigned long long)low[0], (unsigned long long)low[1]);
            }
        }
}

static void check_set(int level, const struct float_type *type, bool ftz, const struct comparison *c, const char *to) {
    char name[64];
    snprintf(name, sizeof name, "set.%s%s.%s.%s", ftz ? "ftz." : "", c->word, to, type->name);
    hw_body body = find_body(levels[level], name);
    bool is_bf16 = !strncmp(to, "bf16", 4), is_f16 = !strncmp(to, "f16", 3), is_f32 = !strcmp(to, "f32");
    int bits = type->parts == 2 || strstr(to, "16") ? 16 : 32;
    uint64_t one = is_bf16 ? 0x3f80 : is_f16 ? 0x3c00 : is_f32 ? 0x3f800000 : bits == 16 ? 0xffff : 0xffffffff;
    for (int k = 0; k < EDGES * EDGES / 32; k++) {
        uint64_t in[64][2];
        uint32_t p = 0x0ff05a3cu;
        int combination = k % 4;
        bench t;
        bench_start(&t, 0xffffffffu);
        fill_pairs(&t, type, k, in);
        set_lane(&t, AT_P, 4, 0, p);
        t.insts[0].combination = (uint8_t)combination;
        if (combination) t.insts[0].p = AT_P;
        bench_run(&t, body);
        for (int i = 0; i < 32 * type->parts; i++) {
            bool cmp = compare(type->f, c->holds, ftz, in[i][0], in[i][1]);
            bool holds = combine(combination, cmp, p >> (i / type->parts) & 1);
            if (get_lane(&t, AT_D, bits / 8, i) != (holds ? one : 0))
                fail_msg("%s level %d: %llx %llx gives %llx", name, level, (unsigned long long)in[i][0],
                         (unsigned long long)in[i][1], (unsigned long long)get_lane(&t, AT_D, bits / 8, i));
        }
    }
}

static void setp_and_set(void **state) {
    (void)state;
    for (int level = 0; level < n_levels; level++)
        for (size_t t = 0; t < sizeof float_types / sizeof *float_types; t++)
            for (int ftz = 0; ftz <= float_types[t].has_ftz; ftz++)
                for (int c = 0; c < COMPARISONS; c++) {
                    check_setp(level, &float_types[t], ftz, &comparisons[c]);
                    char words[64], *rest, *to;
                    snprintf(words, sizeof words, "%s", float_types[t].set_types);
                    for (to = strtok_r(words, " ", &rest); to; to = strtok_r(NULL, " ", &rest))
                        check_set(level, &float_types[t], ftz, &comparisons[c], to);
                }
}

static void slct(void **state) {
    (void)state;
    static const struct { const char *name; int bytes; } types[] = {
        {"b16", 2}, {"u16", 2}, {"s16", 2}, {"b32", 4}, {"u32", 4}, {"s32", 4}, {"f32", 4},
        {"b64", 8}, {"u64", 8}, {"s64", 8}, {"f64", 8}};
    for (int level = 0; level < n_levels; level++)
        for (size_t k = 0; k < sizeof types / sizeof *types; k++)
            for (int ftz = 0; ftz < 2; ftz++) {
                char name[64];
                snprintf(name, sizeof name, "slct.%s%s.f32", ftz ? "ftz." : "", types[k].name);
                bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++) {
                    set_lane(&t, AT_A, types[k].bytes, i, 0x1122334455667788u + (uint64_t)i);
                    set_lane(&t, AT_B, types[k].bytes, i, 0x8877665544332211u + (uint64_t)i);
                    set_lane(&t, AT_C, 4, i, edge(&F32, i % EDGES));
                }
                bench_run(&t, find_body(levels[level], name));
                for (int i = 0; i < 32; i++) {
                    double c = value_of(&F32, ftz ? flush_bits(&F32, edge(&F32, i % EDGES)) : edge(&F32, i % EDGES));
                    assert_int_equal(get_lane(&t, AT_D, types[k].bytes, i),
                                     get_lane(&t, c >= 0 ? AT_A : AT_B, types[k].bytes, i));
                }
            }
}

static void testp(void **state) {
    (void)state;
    static const char *const words[] = {"finite", "infinite", "number", "notanumber", "normal", "subnormal"};
    const format *formats[] = {&F32, &F64};
    for (int level = 0; level < n_levels; level++)
        for (int type = 0; type < 2; type++)
            for (int word = 0; word < 6; word++) {
                const format *f = formats[type];
                char name[64];
                snprintf(name, sizeof name, "testp.%s.f%d", words[word], 8 * f->bytes);
                bench t;
                bench_start(&t, 0xffffffffu);
                for (int i = 0; i < 32; i++) set_lane(&t, AT_A, f->bytes, i, edge(f, i % EDGES));
                t.insts[0].d = AT_D_PRED;
                bench_run(&t, find_body(levels[level], name));
                for (int i = 0; i < 32; i++) {
                    double x = value_of(f, edge(f, i % EDGES));
                    bool subnormal = x != 0 && fabs(x) < (f == &F32 ? 0x1p-126 : 0x1p-1022);
                    bool want[] = {isfinite(x), isinf(x), !isnan(x), isnan(x), isfinite(x) && !subnormal, subnormal};
                    assert_int_equal(get_lane(&t, AT_D_PRED, 4, 0) >> i & 1, want[word]);
                }
            }
}

int main(void) {
    n_levels = levels_here(levels);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(setp_and_set),
        cmocka_unit_test(slct),
        cmocka_unit_test(testp),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
