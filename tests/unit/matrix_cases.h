// Operands of mma for tests: the same on the machine that recorded what an H200 gives (tests/h200/record_mma.cu).
#ifndef HW_TESTS_MATRIX_CASES_H
#define HW_TESTS_MATRIX_CASES_H

#include <stdint.h>

typedef enum case_type { CASE_F16, CASE_BF16, CASE_TF32, CASE_F64, CASE_INT8 } case_type;

typedef struct case_format {
    int exponent_bits, fraction_bits;
} case_format;

typedef struct matrix_config {
    const char *name;
    case_type type;
    int result_bits, m, n, k, cases;
} matrix_config;

static const matrix_config matrix_configs[] = {
    {"f32.f16.k16", CASE_F16, 32, 16, 8, 16, 800},   {"f32.f16.k8", CASE_F16, 32, 16, 8, 8, 480},
    {"f16.f16.k16", CASE_F16, 16, 16, 8, 16, 480},   {"f16.f16.k8", CASE_F16, 16, 16, 8, 8, 240},
    {"f32.bf16.k16", CASE_BF16, 32, 16, 8, 16, 800}, {"f32.bf16.k8", CASE_BF16, 32, 16, 8, 8, 480},
    {"f32.tf32.k8", CASE_TF32, 32, 16, 8, 8, 800},   {"f32.tf32.k4", CASE_TF32, 32, 16, 8, 4, 480},
    {"f64.m8k4", CASE_F64, 64, 8, 8, 4, 160},        {"f64.k4", CASE_F64, 64, 16, 8, 4, 80},
    {"f64.k8", CASE_F64, 64, 16, 8, 8, 80},          {"f64.k16", CASE_F64, 64, 16, 8, 16, 160},
    {"s32.s8.k16", CASE_INT8, 32, 16, 8, 16, 80},    {"s32.s8.k32", CASE_INT8, 32, 16, 8, 32, 80},
    {"s32.s8.k32.sat", CASE_INT8, 32, 16, 8, 32, 80}, {"s32.u8.s8.k32.sat", CASE_INT8, 32, 16, 8, 32, 80},
    {"s32.s8.m8k16", CASE_INT8, 32, 8, 8, 16, 80},
};
enum { MATRIX_CONFIGS = sizeof matrix_configs / sizeof *matrix_configs, MATRIX_CELLS = 512 };

static inline uint64_t case_random(uint64_t *state) {
    uint64_t z = *state += 0x9e3779b97f4a7c15ull;
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9ull;
    z = (z ^ z >> 27) * 0x94d049bb133111ebull;
    return z ^ z >> 31;
}

// A float with an exponent from lowest to highest: often with few bits, sometimes a power of two.
static inline uint64_t case_float(uint64_t *state, case_format f, int lowest, int highest) {
    int bias = (1 << (f.exponent_bits - 1)) - 1;
    uint64_t x = case_random(state);
    int e = lowest + (int)((x >> 8) % (uint64_t)(highest - lowest + 1)) + bias;
    if (e < 0) e = 0;
    if (e > 2 * bias) e = 2 * bias;
    uint64_t m = case_random(state) & (((uint64_t)1 << f.fraction_bits) - 1);
    if (x & 2) m &= case_random(state);
    if ((x & 0x3c) == 0) m = 0;
    return (x & 1) << (f.exponent_bits + f.fraction_bits) | (uint64_t)e << f.fraction_bits | m;
}

static inline void case_integers(const matrix_config *config, int mode, uint64_t *state, uint64_t *a, uint64_t *b,
                                 uint64_t *c) {
    for (int i = 0; i < config->m * config->k; i++)
        a[i] = mode & 1 ? case_random(state) & 255 : case_random(state) & 1 ? 127 : 128;
    for (int i = 0; i < config->k * config->n; i++)
        b[i] = mode & 2 ? case_random(state) & 255 : case_random(state) & 1 ? 127 : 128;
    for (int i = 0; i < config->m * config->n; i++) {
        if (mode & 4) c[i] = (uint32_t)case_random(state);
        else if (case_random(state) & 1) c[i] = 0x7fffffff - (case_random(state) & 0xffff);
        else c[i] = 0x80000000u + (case_random(state) & 0xffff);
    }
}

// Ranges of exponents: of the factors, and of c.
typedef struct case_ranges {
    int lowest, highest, c_lowest, c_highest;
} case_ranges;

static inline case_ranges case_exponents(int mode, int exponent_bits) {
    bool is_small = exponent_bits == 5;
    int bias = (1 << (exponent_bits - 1)) - 1;
    switch (mode) {
    case 1: return is_small ? (case_ranges){-15, 15, -30, 15} : (case_ranges){-20, 20, -40, 20};
    case 2: return (case_ranges){-8, 8, -24, 16};
    case 5: return is_small ? (case_ranges){-bias - 2, -bias + 4, -28, -20} : (case_ranges){-75, -55, -140, -115};
    case 6: return is_small ? (case_ranges){5, 15, 20, 34} : (case_ranges){50, 66, 100, 127};
    default: return (case_ranges){-3, 0, -4, 2};
    }
}

// Operands by row, one in each cell. Modes: 0 near 1, 1 wide exponents, 2 and 3 few products, 4 products that nearly
// cancel, 5 small to denormal, 6 large to overflow, 7 random bits, infinities and NaN.
static inline void make_matrix_case(const matrix_config *config, int index, uint64_t *a, uint64_t *b, uint64_t *c) {
    static const case_format formats[] = {{5, 10}, {8, 7}, {8, 10}, {11, 52}};
    int m = config->m, n = config->n, k = config->k, mode = index % 8;
    uint64_t seed = 0x1234567ull * (uint64_t)(index + 1) + (uint64_t)config->type * 77777 + (uint64_t)k * 991 +
                    (uint64_t)config->result_bits * 31;
    uint64_t *state = &seed;
    if (config->type == CASE_INT8) {
        case_integers(config, mode, state, a, b, c);
        return;
    }
    case_format f = formats[config->type];
    case_format g = {8, 23};
    if (config->result_bits != 32) g = formats[config->result_bits == 16 ? 0 : 3];
    int unused = config->type == CASE_TF32 ? 13 : 0, sign = f.exponent_bits + f.fraction_bits;
    case_ranges r = case_exponents(mode, f.exponent_bits);
    for (int i = 0; i < m * k; i++) a[i] = case_float(state, f, r.lowest, r.highest) << unused;
    for (int i = 0; i < k * n; i++) b[i] = case_float(state, f, r.lowest, r.highest) << unused;
    for (int i = 0; i < m * n; i++) c[i] = case_float(state, g, r.c_lowest, r.c_highest);
    if (mode == 2 || mode == 3)
        for (int i = 0; i < m; i++) {
            uint64_t keep = 0;
            int kept = 1 + (int)(case_random(state) % 4);
            for (int j = 0; j < kept; j++) keep |= (uint64_t)1 << case_random(state) % (uint64_t)k;
            for (int j = 0; j < k; j++)
                if (!(keep >> j & 1)) a[i * k + j] = 0;
        }
    if (mode == 3 || index % 16 == 0)
        for (int i = 0; i < m * n; i++)
            if (case_random(state) & 1) c[i] = 0;
    for (int j = 0; mode == 4 && j + 1 < k; j += 2) {
        int other = (int)(case_random(state) % (uint64_t)k);
        if (other == j) other = j + 1;
        for (int i = 0; i < m; i++) a[i * k + other] = a[i * k + j] ^ (uint64_t)1 << (sign + unused);
        for (int i = 0; i < n; i++) b[other * n + i] = b[j * n + i] ^ (case_random(state) & 3) << unused;
    }
    for (int i = 0; mode == 7 && i < m * k; i++)
        if ((case_random(state) & 15) == 0) a[i] = (case_random(state) & (((uint64_t)2 << sign) - 1)) << unused;
    for (int i = 0; index % 16 == 7 && i < k * n; i++) {
        if (case_random(state) & 63) continue;
        uint64_t infinity = (((uint64_t)1 << f.exponent_bits) - 1) << f.fraction_bits;
        const uint64_t choices[] = {infinity, infinity | (uint64_t)1 << sign, infinity | 1, (uint64_t)1 << sign};
        b[i] = choices[case_random(state) & 3] << unused;
    }
    for (int i = 0; index % 32 == 23 && i < m * n; i++) {
        if (case_random(state) & 7) continue;
        uint64_t infinity = (((uint64_t)1 << g.exponent_bits) - 1) << g.fraction_bits;
        uint64_t negative = (uint64_t)1 << (g.exponent_bits + g.fraction_bits);
        const uint64_t choices[] = {infinity, infinity | negative, infinity | 5, negative};
        c[i] = choices[case_random(state) & 3];
    }
    if (config->type == CASE_TF32 && (index / 8) & 1) {
        for (int i = 0; i < m * k; i++) a[i] |= case_random(state) & 0x1fff;
        for (int i = 0; i < k * n; i++) b[i] |= case_random(state) & 0x1fff;
    }
}

// Of the results of one case, by row.
static inline uint32_t hash_results(const uint64_t *d, int count) {
    uint32_t hash = 2166136261u;
    for (int i = 0; i < count; i++)
        for (int byte = 0; byte < 8; byte++) hash = (hash ^ (uint32_t)(d[i] >> 8 * byte & 255)) * 16777619u;
    return hash;
}

#endif
