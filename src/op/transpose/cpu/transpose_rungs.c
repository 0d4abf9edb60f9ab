// The processor's ladder of transposes: each rung adds one idea to the one above it. A row of 8192 f32 is 32 KiB, so
// that a column of such a matrix lies in one set of the first-level cache, and in as many pages as it has elements.
//
// Measured with 8192x8192 f32 on two cores of a 2.5 GHz Xeon (Cascade Lake), GB/s read and written (bench/cpu): copy
// 20.5, rows and columns 0.4, block 1.8, registers 3.2, stream 5.5, threads 11.4, best 13. Only copy and the last two
// use both cores.
#include "op/transpose/cpu/transpose_rungs.h"

#include <stdatomic.h>
#include <string.h>

#include "base/integers.h"
#include "op/transpose/cpu/tile.h"
#include "op/transpose/cpu/transpose.h"

typedef struct matrix {
    const char *in;
    char *out;
    uint64_t rows, cols;   // of in
    uint32_t elem;         // bytes
    const hw_tile_level *level;
} matrix;

static matrix matrix_of(const hw_problem *problem, void *const *arrays) {
    uint32_t bits = (uint32_t)problem->dtype.bits * problem->dtype.lanes;
    return (matrix){arrays[0], arrays[1], problem->size[0], problem->size[1], bits / 8, hw_tile_level_best()};
}

// One element; `elem` a constant at every use, so that it is one load and one store.
#define MOVE(m, row, col, elem)                                                                                        \
    memcpy((m)->out + ((col) * (m)->rows + (row)) * (elem), (m)->in + ((row) * (m)->cols + (col)) * (elem), elem)

// Does the loop, which moves one element at (row, col), with the size of the element known.
#define FOR_ELEMENT(m, LOOP)                                                                                           \
    switch ((m)->elem) {                                                                                               \
        case 1: LOOP(m, 1); break;                                                                                     \
        case 2: LOOP(m, 2); break;                                                                                     \
        case 4: LOOP(m, 4); break;                                                                                     \
        case 8: LOOP(m, 8); break;                                                                                     \
        default: LOOP(m, 16); break;                                                                                   \
    }

// ---- 0: the bound ----

typedef struct copy_job {
    matrix m;
    uint32_t n;
} copy_job;

static void copy_share_of_in(void *context, uint32_t index) {
    const copy_job *j = context;
    uint64_t bytes = j->m.rows * j->m.cols * j->m.elem, lines = bytes / 64;
    uint64_t first = lines * index / j->n * 64, end = index + 1 == j->n ? bytes : lines * (index + 1) / j->n * 64;
    memcpy(j->m.out + first, j->m.in + first, end - first);
}

static hw_status copy_in(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                         hw_diag *diag) {
    (void)diag;
    copy_job j = {matrix_of(problem, arrays), n_threads};
    if (j.m.rows && j.m.cols) hw_pool_run(pool, n_threads, copy_share_of_in, &j);
    return HW_OK;
}

// ---- 10, 11: the definition ----

#define BY_ROWS(m, elem)                                                                                               \
    for (uint64_t row = 0; row < (m)->rows; row++)                                                                     \
        for (uint64_t col = 0; col < (m)->cols; col++) MOVE(m, row, col, elem)
#define BY_COLUMNS(m, elem)                                                                                            \
    for (uint64_t col = 0; col < (m)->cols; col++)                                                                     \
        for (uint64_t row = 0; row < (m)->rows; row++) MOVE(m, row, col, elem)

static hw_status transpose_by_rows(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                   hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    matrix m = matrix_of(problem, arrays);
    FOR_ELEMENT(&m, BY_ROWS);
    return HW_OK;
}

static hw_status transpose_by_columns(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                      hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    matrix m = matrix_of(problem, arrays);
    FOR_ELEMENT(&m, BY_COLUMNS);
    return HW_OK;
}

// ---- 20: blocks that the cache holds ----

enum { BLOCK = 32 };

#define IN_BLOCKS(m, elem)                                                                                             \
    for (uint64_t row0 = 0; row0 < (m)->rows; row0 += BLOCK)                                                           \
        for (uint64_t col0 = 0; col0 < (m)->cols; col0 += BLOCK)                                                       \
            for (uint64_t row = row0; row < hw_least(row0 + BLOCK, (m)->rows); row++)                                  \
                for (uint64_t col = col0; col < hw_least(col0 + BLOCK, (m)->cols); col++) MOVE(m, row, col, elem)

static hw_status transpose_in_blocks(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                     hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    matrix m = matrix_of(problem, arrays);
    FOR_ELEMENT(&m, IN_BLOCKS);
    return HW_OK;
}

// ---- 30: the same blocks, transposed in vector registers ----

static hw_status transpose_in_registers(const hw_problem *problem, void *const *arrays, hw_pool *pool,
                                        uint32_t n_threads, hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    matrix m = matrix_of(problem, arrays);
    ptrdiff_t in_pitch = (ptrdiff_t)(m.cols * m.elem), out_pitch = (ptrdiff_t)(m.rows * m.elem);
    for (uint64_t row = 0; row < m.rows; row += BLOCK)
        for (uint64_t col = 0; col < m.cols; col += BLOCK)
            m.level->transpose[__builtin_ctz(m.elem)](m.in + (row * m.cols + col) * m.elem, in_pitch,
                                                      m.out + (col * m.rows + row) * m.elem, out_pitch,
                                                      hw_least(BLOCK, m.rows - row), hw_least(BLOCK, m.cols - col));
    return HW_OK;
}

// ---- 40, 50: through a buffer, from which whole lines go past the cache ----

enum { STRIP_ROWS_BYTES = 512, STRIP_COLS_BYTES = 128, STRIP_PITCH = STRIP_ROWS_BYTES + 64 };

// Transposes a strip: as many rows as make STRIP_ROWS_BYTES of a row of out, and as many columns as make
// STRIP_COLS_BYTES of a row of in.
static void stream_strip(const matrix *m, uint64_t row, uint64_t col) {
    _Alignas(64) char buffer[STRIP_COLS_BYTES * STRIP_PITCH];
    uint64_t rows = hw_least(STRIP_ROWS_BYTES / m->elem, m->rows - row);
    uint64_t cols = hw_least(STRIP_COLS_BYTES / m->elem, m->cols - col);
    m->level->transpose[__builtin_ctz(m->elem)](m->in + (row * m->cols + col) * m->elem, (ptrdiff_t)(m->cols * m->elem),
                                                buffer, STRIP_PITCH, rows, cols);
    for (uint64_t c = 0; c < cols; c++)
        m->level->stream(m->out + ((col + c) * m->rows + row) * m->elem, buffer + c * STRIP_PITCH, rows * m->elem);
}

static void stream_rows(const matrix *m, uint64_t row) {
    for (uint64_t col = 0; col < m->cols; col += STRIP_COLS_BYTES / m->elem) stream_strip(m, row, col);
}

static hw_status transpose_streamed(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                    hw_diag *diag) {
    (void)pool, (void)n_threads, (void)diag;
    matrix m = matrix_of(problem, arrays);
    for (uint64_t row = 0; row < m.rows; row += STRIP_ROWS_BYTES / m.elem) stream_rows(&m, row);
    hw_tile_fence();
    return HW_OK;
}

typedef struct strip_job {
    matrix m;
    _Atomic uint64_t next_row;
} strip_job;

static void take_strips(void *context, uint32_t index) {
    strip_job *j = context;
    uint64_t step = STRIP_ROWS_BYTES / j->m.elem, row;
    (void)index;
    while ((row = atomic_fetch_add(&j->next_row, step)) < j->m.rows) stream_rows(&j->m, row);
    hw_tile_fence();
}

static hw_status transpose_in_threads(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                                      hw_diag *diag) {
    (void)diag;
    strip_job j = {.m = matrix_of(problem, arrays)};
    hw_pool_run(pool, n_threads, take_strips, &j);
    return HW_OK;
}

// ---- 90: the operation ----

static hw_status transpose_by_operation(const hw_problem *problem, void *const *arrays, hw_pool *pool,
                                        uint32_t n_threads, hw_diag *diag) {
    matrix m = matrix_of(problem, arrays);
    hw_permutation p = {.rank = 2, .elem_bytes = m.elem, .elems = m.rows * m.cols, .n = {m.cols, m.rows},
                        .in_stride = {1, (int64_t)m.cols}, .out_stride = {(int64_t)m.rows, 1},
                        .in = m.in, .out = m.out};
    hw_permutation_merge(&p);
    return hw_cpu_transpose(&p, pool, n_threads, diag);
}

#define RUNG(number_, name_, base_, idea_, native_) \
    {.number = number_, .name = name_, .builds_on = base_, .idea = idea_, .native = native_}

const hw_rung hw_cpu_transpose_rungs[HW_CPU_TRANSPOSE_RUNGS] = {
    {.number = 0, .name = "copy", .idea = "memcpy on all threads", .native = copy_in, .is_copy = true},
    RUNG(10, "rows", "-", "reads rows, writes columns", transpose_by_rows),
    RUNG(11, "columns", "rows", "reads columns, writes rows", transpose_by_columns),
    RUNG(20, "block", "columns", "blocks that the cache holds", transpose_in_blocks),
    RUNG(30, "registers", "block", "blocks transposed in vector registers", transpose_in_registers),
    RUNG(40, "stream", "registers", "whole lines past the cache", transpose_streamed),
    RUNG(50, "threads", "stream", "strips shared by all threads", transpose_in_threads),
    RUNG(90, "best", "threads", "boxes by shape, fetched ahead", transpose_by_operation),
};
