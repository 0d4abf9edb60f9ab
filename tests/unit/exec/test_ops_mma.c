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

enum { REGISTERS = 24, LANE_BYTES = 8 };

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
    hw_set_mask(&t->state.warp, mask);
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
    if (strstr(config->name, "sat")) t->inst.sub |= HW_MATRIX_SATURATE;
    if (strstr(config->name, "u8")) t->inst.sub |= HW_MATRIX_A_UNSIGNED;
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

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_as_recorded), cmocka_unit_test(test_exited_lanes),
                                       cmocka_unit_test(test_layouts)};
    return cmocka_run_group_tests(tests, find_levels, NULL);
}
