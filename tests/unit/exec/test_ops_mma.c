// mma at every level against what an H200 gave: tests/data/h200_mma.txt holds a hash of each case's results, recorded
// by tests/h200/record_mma.cu with the operands of matrix_cases.h.
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <cmocka.h>
#include <math.h>

#include "exec/ops/level.h"
#include "isa/matrix.h"
#include "matrix_cases.h"

static const hw_level *levels[3];
static int n_levels;

static int find_levels(void **state) {
    const hw_level *level;
    (void)state;
    for (size_t i = 0; (level = hw_level_at(i)); i++)
        if (hw_level_runs_here(level)) levels[n_levels++] = level;
    return 0;
}

// ---- operands into registers, as the PTX ISA's tables say ----

enum { REGISTERS = 32, LANE_BYTES = 8 };

typedef struct bench {
    hw_state state;
    _Alignas(64) char frame[REGISTERS][32 * LANE_BYTES];
    hw_slot slots[REGISTERS];
    hw_inst inst;
    int n;
} bench;

static void put(bench *t, int reg, int lane, int shift, uint64_t value, bool is_64) {
    if (is_64) ((uint64_t *)t->frame[reg])[lane] = value;
    else ((uint32_t *)t->frame[reg])[lane] |= (uint32_t)value << shift;
}

// Element `e` of a lane's part of a, b or c: its row and column.
static void place_of(const matrix_config *config, char matrix, int lane, int e, int *row, int *col) {
    int group = lane / 4, in_group = lane % 4;
    int per = config->type == CASE_INT8 ? 4 : config->type == CASE_F16 || config->type == CASE_BF16 ? 2 : 1;
    int part = e / per, tall = config->m == 16;
    switch (matrix) {
    case 'a':
        *row = group + (tall && part % 2 ? 8 : 0);
        *col = in_group * per + e % per + (tall ? part / 2 : part) * 4 * per;
        break;
    case 'b':
        *row = in_group * per + e % per + part * 4 * per;
        *col = group;
        break;
    default:
        *row = group + e / 2 * 8;
        *col = 2 * in_group + e % 2;
    }
}

// Registers that a matrix takes, or their results put by row.
static int move_matrix(bench *t, const matrix_config *config, char matrix, int first, uint64_t *cells, bool is_read) {
    int rows = matrix == 'b' ? config->k : config->m, cols = matrix == 'a' ? config->k : config->n;
    int bits = matrix == 'c' ? config->result_bits : config->type == CASE_INT8 ? 8 : config->type < CASE_TF32 ? 16
             : config->type == CASE_TF32 ? 32 : 64;
    int elements = rows * cols / 32, per = bits < 32 ? 32 / bits : 1;
    for (int e = 0; e < elements; e++)
        for (int lane = 0; lane < 32; lane++) {
            int row, col, reg = first + e / per, shift = e % per * bits;
            place_of(config, matrix, lane, e, &row, &col);
            uint64_t *cell = &cells[row * cols + col];
            if (!is_read) put(t, reg, lane, shift, *cell, bits == 64);
            else if (bits == 64) *cell = ((uint64_t *)t->frame[reg])[lane];
            else *cell = ((uint32_t *)t->frame[reg])[lane] >> shift & (bits == 32 ? ~0u : (1u << bits) - 1);
        }
    return elements / per;
}

static hw_body body_of(const hw_level *level, const char *name) {
    hw_body_id id = hw_body_find(name);
    if (!id) fail_msg("no body is named %s", name);
    return hw_level_forms(level, id)->body;
}

static void run_case(bench *t, int level, const matrix_config *config, int index, uint32_t mask, uint64_t *d) {
    uint64_t a[MATRIX_CELLS], b[MATRIX_CELLS], c[MATRIX_CELLS];
    static const char *const bodies[] = {"mma.f32.f16", "mma.f32.bf16", "mma.f32.tf32", "mma.f64.f64", "mma.s32.x8"};
    bool is_half = config->type == CASE_F16 && config->result_bits == 16;
    memset(t, 0, sizeof *t);
    make_matrix_case(config, index, a, b, c);
    hw_set_base(&t->state.warp, HW_BASE_FRAME, t->frame[0]);
    levels[level]->set_mask(&t->state.warp, mask);
    t->state.live = mask;
    t->state.warp.slots = t->slots;
    for (int r = 0; r < REGISTERS; r++) t->slots[r] = (hw_slot)(r * 32 * LANE_BYTES);
    // d first, where c would be read from after it has been written, if a body were to.
    int n_d = config->m * config->n * config->result_bits / (config->result_bits == 64 ? 2048 : 1024);
    int at = n_d;
    at += move_matrix(t, config, 'a', at, a, false);
    at += move_matrix(t, config, 'b', at, b, false);
    move_matrix(t, config, 'c', 0, c, false);
    for (int r = 0; r < n_d; r++) t->slots[at + r] = t->slots[r];
    t->inst.imm = HW_MATRIX_IMM(config->m, config->n, config->k, 0);
    if (strstr(config->name, "sat")) t->inst.choices |= HW_MATRIX_SATURATE;
    if (strstr(config->name, "u8")) t->inst.choices |= HW_MATRIX_A_UNSIGNED;
    const char *name = is_half ? "mma.f16.f16" : bodies[config->type];
    assert_ptr_equal(body_of(levels[level], name)(&t->state.warp, &t->inst), &t->inst + 1);
    move_matrix(t, config, 'c', 0, d, true);
}

static void test_as_recorded(void **state) {
    (void)state;
    FILE *file = fopen(HW_SOURCE_DIR "/tests/data/h200_mma.txt", "r");
    static bench t;
    char word[64];
    assert_non_null(file);
    for (int k = 0; k < MATRIX_CONFIGS; k++) {
        const matrix_config *config = &matrix_configs[k];
        assert_int_equal(fscanf(file, "%63s", word), 1);
        assert_string_equal(word, config->name);
        for (int index = 0; index < config->cases; index++) {
            uint64_t d[MATRIX_CELLS];
            unsigned recorded;
            assert_int_equal(fscanf(file, "%8x", &recorded), 1);
            for (int level = 0; level < n_levels; level++) {
                run_case(&t, level, config, index, 0xffffffffu, d);
                if (hash_results(d, config->m * config->n) != recorded)
                    fail_msg("%s, case %d, level %d: not what an H200 gives", config->name, index, level);
            }
        }
    }
    fclose(file);
}

// Lanes that have exited keep what they had; the others get what they get with them.
static void test_exited_lanes(void **state) {
    (void)state;
    static bench t;
    uint64_t all[MATRIX_CELLS], some[MATRIX_CELLS], c[MATRIX_CELLS], unused[MATRIX_CELLS];
    for (int level = 0; level < n_levels; level++) {
        run_case(&t, level, &matrix_configs[0], 0, 0xffffffffu, all);
        run_case(&t, level, &matrix_configs[0], 0, 0x0000ffffu, some);
        make_matrix_case(&matrix_configs[0], 0, unused, unused + 256, c);
        for (int row = 0; row < 16; row++)
            for (int col = 0; col < 8; col++) {
                bool is_on = row % 8 < 4;
                assert_int_equal(some[row * 8 + col], is_on ? all[row * 8 + col] : c[row * 8 + col]);
            }
    }
}

// The layouts of wmma's fragments, which nobody documents: tests/data/h200_wmma_layouts.txt.
static void test_layouts(void **state) {
    (void)state;
    FILE *file = fopen(HW_SOURCE_DIR "/tests/data/h200_wmma_layouts.txt", "r");
    char line[256], type_name[16], role;
    int n = 0;
    assert_non_null(file);
    while (fgets(line, sizeof line, file)) {
        unsigned m, k_n, k, elements, bits[18];
        int used = 0;
        if (line[0] == '#') continue;
        assert_int_equal(sscanf(line, "m%un%uk%u %15s %c %u%n", &m, &k_n, &k, type_name, &role, &elements, &used), 6);
        for (int i = 0; i < 18; i++) {
            int more = 0;
            assert_int_equal(sscanf(line + used, "%u%n", &bits[i], &more), 1);
            used += more;
        }
        hw_matrix_shape shape = {(uint8_t)m, (uint8_t)k_n, (uint8_t)k};
        hw_fragment f = hw_matrix_fragment(role, hw_type_find(type_name, strlen(type_name)), &shape, true);
        bool is_same = f.elements == elements;
        for (int i = 0; i < 5; i++) is_same &= f.lane_row[i] == bits[i] && f.lane_col[i] == bits[5 + i];
        for (int i = 0; i < 4; i++) is_same &= f.element_row[i] == bits[10 + i] && f.element_col[i] == bits[14 + i];
        if (!is_same) fail_msg("%s", line);
        n++;
    }
    fclose(file);
    assert_int_equal(n, 33);
}

// ---- all shapes against sums of integers ----

// Any shape, with operands and results where hw_matrix_fragment says.
typedef struct any_product {
    const char *body;
    hw_type factor, result;
    hw_matrix_shape shape;
    bool is_wmma;
} any_product;

static int move_fragment(bench *t, const any_product *p, char role, int first, uint32_t *cells, bool is_read) {
    hw_fragment f = hw_matrix_fragment(role, role == 'c' ? p->result : p->factor, &p->shape, p->is_wmma);
    int cols = role == 'a' ? p->shape.k : p->shape.n, per = f.bits < 32 ? 32 / f.bits : 1;
    for (int e = 0; e < f.elements; e++)
        for (int lane = 0; lane < 32; lane++) {
            int row = 0, col = 0, reg = first + e / per, shift = e % per * f.bits;
            for (int bit = 0; bit < 5; bit++)
                if (lane >> bit & 1) row += f.lane_row[bit], col += f.lane_col[bit];
            for (int bit = 0; bit < 4; bit++)
                if (e >> bit & 1) row += f.element_row[bit], col += f.element_col[bit];
            uint32_t *cell = &cells[row * cols + col];
            if (!is_read) put(t, reg, lane, shift, *cell, false);
            else *cell = ((uint32_t *)t->frame[reg])[lane] >> shift & (f.bits == 32 ? ~0u : (1u << f.bits) - 1);
        }
    return (int)hw_fragment_registers(&f);
}

static case_format format_of(hw_type type) {
    return type == HW_T_F16 ? (case_format){5, 10} : type == HW_T_BF16 ? (case_format){8, 7}
         : type == HW_T_TF32 ? (case_format){8, 10} : (case_format){8, 23};
}

typedef struct apart {
    int64_t significand;
    int exponent;                  // of its place before the point
} apart;

static apart take_number(uint32_t bits, case_format f) {
    int exponent = (int)(bits >> f.fraction_bits) & ((1 << f.exponent_bits) - 1);
    int64_t significand = bits & ((1u << f.fraction_bits) - 1);
    if (exponent) significand |= (int64_t)1 << f.fraction_bits;
    if (bits >> (f.exponent_bits + f.fraction_bits) & 1) significand = -significand;
    return (apart){significand, (exponent ? exponent : 1) - ((1 << (f.exponent_bits - 1)) - 1)};
}

// significand * 2^shift, cut towards zero.
static int64_t cut(int64_t significand, int shift) {
    int64_t magnitude = significand < 0 ? -significand : significand;
    if (!significand) return 0;
    magnitude = shift >= 0 ? magnitude << shift : shift < -62 ? 0 : magnitude >> -shift;
    return significand < 0 ? -magnitude : magnitude;
}

// What ops_mma.c says of one element: c and k finite products, summed at once.
static uint32_t sum_of(const apart *a, const apart *b, int k, apart c, case_format f, case_format of_c) {
    int largest = c.significand ? c.exponent : -1000, low_bits = 2 * f.fraction_bits;
    for (int j = 0; j < k; j++)
        if (a[j].significand && b[j].significand && a[j].exponent + b[j].exponent > largest)
            largest = a[j].exponent + b[j].exponent;
    int64_t sum = cut(c.significand, 25 - of_c.fraction_bits - largest + c.exponent);
    for (int j = 0; j < k; j++)
        sum += cut(a[j].significand * b[j].significand, 25 - low_bits - largest + a[j].exponent + b[j].exponent);
    double value = ldexp((double)sum, largest - 25), magnitude = fabs(value);
    if (sum == 0) return 0;
    // Digits from the last place of the result's format on, rounded or cut; a sum of more than that is infinite.
    int exponent = ilogb(magnitude), bias = (1 << (of_c.exponent_bits - 1)) - 1, is_half = of_c.exponent_bits == 5;
    if (exponent < 1 - bias) exponent = 1 - bias;
    double digits = ldexp(magnitude, of_c.fraction_bits - exponent);
    uint32_t whole = (uint32_t)(is_half ? nearbyint(digits) : floor(digits)), hidden = 1u << of_c.fraction_bits;
    uint32_t bits = whole < hidden ? whole : ((uint32_t)(exponent + bias) << of_c.fraction_bits) + (whole - hidden);
    uint32_t infinity = ((1u << of_c.exponent_bits) - 1) << of_c.fraction_bits;
    if (bits > infinity || exponent > bias) bits = infinity;
    return is_half && !bits ? 0 : bits | (value < 0 ? infinity + hidden : 0);
}

// Factors of both signs or one, all nearly 2 or of many exponents, so that sums come close to 32 bits and beyond.
static void fill_factors(uint32_t *cells, int n, case_format f, int kind, uint64_t *state) {
    int spread = f.exponent_bits == 5 ? 28 : kind & 4 ? 200 : 60, sign_at = f.exponent_bits + f.fraction_bits;
    int unused = f.exponent_bits + f.fraction_bits == 18 ? 13 : 0, bias = (1 << (f.exponent_bits - 1)) - 1;
    for (int i = 0; i < n; i++) {
        uint64_t x = case_random(state);
        uint32_t fraction = (uint32_t)(x >> 32) & ((1u << f.fraction_bits) - 1), exponent = (uint32_t)bias;
        if (kind & 1) fraction |= (1u << f.fraction_bits) - 1 - ((uint32_t)x & 3);
        else exponent = (uint32_t)(bias - spread / 2 + (int)(x % (uint64_t)spread));
        uint32_t sign = kind & 2 ? (uint32_t)(x >> 20) & 1 : 0;
        cells[i] = (sign << sign_at | exponent << f.fraction_bits | fraction) << unused;
        if ((x >> 21 & 15) == 0) cells[i] = 0;
    }
}

static void check_product(const any_product *p, int kind, int level) {
    static bench t;
    uint64_t state = (uint64_t)kind * 31 + p->shape.m * 7u + p->factor;
    uint32_t a[MATRIX_CELLS], b[MATRIX_CELLS], c[MATRIX_CELLS], d[MATRIX_CELLS];
    int m = p->shape.m, n = p->shape.n, k = p->shape.k, at;
    case_format f = format_of(p->factor), of_c = format_of(p->result);
    int unused = p->factor == HW_T_TF32 ? 13 : 0, block = p->factor == HW_T_TF32 && p->is_wmma ? 4 : k;
    memset(&t, 0, sizeof t);
    fill_factors(a, m * k, f, kind, &state);
    fill_factors(b, k * n, f, kind, &state);
    fill_factors(c, m * n, of_c, kind, &state);
    hw_set_base(&t.state.warp, HW_BASE_FRAME, t.frame[0]);
    levels[0]->set_mask(&t.state.warp, ~0u);
    t.state.live = ~0u;
    t.state.warp.slots = t.slots;
    for (int r = 0; r < REGISTERS; r++) t.slots[r] = (hw_slot)(r * 32 * LANE_BYTES);
    at = (int)(m * n / 32 * hw_type_bits(p->result) / 32);
    at = move_fragment(&t, p, 'a', at, a, false) + at;
    at = move_fragment(&t, p, 'b', at, b, false) + at;
    move_fragment(&t, p, 'c', at, c, false);
    t.inst.imm = HW_MATRIX_IMM(m, n, k, p->is_wmma);
    assert_ptr_equal(body_of(levels[level], p->body)(&t.state.warp, &t.inst), &t.inst + 1);
    move_fragment(&t, p, 'c', 0, d, true);
    for (int row = 0; row < m; row++)
        for (int col = 0; col < n; col++) {
            apart x[16], y[16];
            uint32_t sum = c[row * n + col];
            for (int j = 0; j < k; j++) {
                x[j] = take_number(a[row * k + j] >> unused, f);
                y[j] = take_number(b[j * n + col] >> unused, f);
            }
            for (int j = 0; j < k && (sum & 0x7fffffff) != 0x7f800000; j += block)
                sum = sum_of(x + j, y + j, block, take_number(sum, of_c), f, of_c);
            if (d[row * n + col] != sum)
                fail_msg("%s m%dn%dk%d, kind %d, level %d: row %d, column %d is %x, not %x", p->body, m, n, k, kind,
                         level, row, col, d[row * n + col], sum);
        }
}

static void test_sums(void **state) {
    (void)state;
    static const any_product products[] = {
        {"mma.f32.f16", HW_T_F16, HW_T_F32, {16, 16, 16}, true},
        {"mma.f32.f16", HW_T_F16, HW_T_F32, {32, 8, 16}, true},
        {"mma.f32.f16", HW_T_F16, HW_T_F32, {8, 32, 16}, true},
        {"mma.f32.f16", HW_T_F16, HW_T_F32, {16, 8, 8}, false},
        {"mma.f16.f16", HW_T_F16, HW_T_F16, {16, 16, 16}, true},
        {"mma.f16.f16", HW_T_F16, HW_T_F16, {32, 8, 16}, true},
        {"mma.f16.f16", HW_T_F16, HW_T_F16, {8, 32, 16}, true},
        {"mma.f16.f16", HW_T_F16, HW_T_F16, {16, 8, 16}, false},
        {"mma.f32.bf16", HW_T_BF16, HW_T_F32, {16, 16, 16}, true},
        {"mma.f32.bf16", HW_T_BF16, HW_T_F32, {32, 8, 16}, true},
        {"mma.f32.bf16", HW_T_BF16, HW_T_F32, {8, 32, 16}, true},
        {"mma.f32.bf16", HW_T_BF16, HW_T_F32, {16, 8, 8}, false},
        {"mma.f32.tf32", HW_T_TF32, HW_T_F32, {16, 16, 8}, true},
        {"mma.f32.tf32", HW_T_TF32, HW_T_F32, {16, 8, 8}, false},
        {"mma.f32.tf32", HW_T_TF32, HW_T_F32, {16, 8, 4}, false},
    };
    for (size_t i = 0; i < sizeof products / sizeof *products; i++)
        for (int kind = 0; kind < 200; kind++)
            for (int level = 0; level < n_levels; level++) check_product(&products[i], kind, level);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_recorded), cmocka_unit_test(test_exited_lanes),
                                       cmocka_unit_test(test_layouts), cmocka_unit_test(test_sums)};
    return cmocka_run_group_tests(tests, find_levels, NULL);
}
