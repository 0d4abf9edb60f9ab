// The kinds and their data, by the code that bench/kernels has them from.
#include "problem.h"

#include <stdlib.h>
#include <string.h>

#include "../../kernels/plain.h"
#include "../../kernels/sizes.h"

// name, is_square, block_x, block_y, per_thread, table, random, has_rows, is_words, more, fewer
static const kind kinds[] = {
    {"transpose_naive", true, 32, 8, 1, 0, 0, false, false, 1, 1},
    {"transpose_tile", true, 32, 8, 4, 0, 0, false, false, 1, 1},
    {"matmul_tiled", true, TILE, TILE, 1, 0, 0, false, false, 1, 1},
    {"bodies_shared", false, BLOCK, 1, 4, 0, 0, false, false, 1, 1},
    {"mandelbrot_f32", true, TILE, TILE, 1, 0, 0, false, false, 1, 1},
    {"mandelbrot", true, TILE, TILE, 1, 0, 0, false, false, 1, 1},
    {"black_scholes", true, BLOCK, 1, 1, 0, 0, false, false, 1, 1},
    {"reduce_shuffle", false, BLOCK, 1, 1, 0, 0, false, false, 1, 32},
    {"hash", true, BLOCK, 1, 1, 0, 0, false, true, 1, 1},
    {"constant", true, BLOCK, 1, 1, 0, 0, false, false, 1, 1},
    {"stencil_columns", true, 32, 8, 1, 0, 0, false, false, PLANES, 1},
    {"bitonic", false, BLOCK, 1, 2, 0, 1, false, true, 1, 1},
    {"histogram_shared", false, BLOCK, 1, 1, 0, PER_THREAD, false, true, 1, 1},
    {"histogram_global", false, BLOCK, 1, 1, 0, PER_THREAD, false, true, 1, 1},
    {"gather_words", false, BLOCK, 1, 1, 1 << 24, 1, false, false, 1, 1},
    {"sparse_rows", false, BLOCK, 1, 1, 1 << 16, 1, true, false, 1, 1},
    {"breadth_first", false, BLOCK, 1, 1, 0, 1, true, true, 1, 1},
    {"local_array", false, BLOCK, 1, 1, 0, 0, false, false, 1, 1},
    {"half2_chains", true, BLOCK, 1, 1, 0, 0, false, false, 1, 1},
    {"product_f16", true, TILE, TILE, 1, 0, 0, false, false, 1, 1},
    {"texture_linear", true, BLOCK, 1, 1, 0, 0, false, false, 1, 1},
    {"few_lanes", false, BLOCK, 1, 1, 0, 0, false, true, 1, 1},
};

static void fail(const char *program, const char *why) {
    fprintf(stderr, "%s: %s\n", program, why);
    exit(2);
}

// One where there are none, which OpenCL's buffers need.
static void *zeros(size_t count, size_t size) {
    void *memory = calloc(count ? count : 1, size);
    if (!memory) fail("kinds", "out of memory");
    return memory;
}

static const kind *kind_of(const char *name) {
    for (size_t i = 0; i < sizeof kinds / sizeof *kinds; i++)
        if (!strcmp(name, kinds[i].name)) return &kinds[i];
    return NULL;
}

static void fill(problem *p) {
    fill_numbers(p->in, p->in_count);
    fill_numbers(p->factors, p->factor_count);
    fill_random(p->random, p->random_count);
    if (p->row_count) fill_rows(p->rows, p->columns, p->random, p->n);
    for (size_t i = 0; i < p->in_count; i++) p->second[i] = p->in[p->in_count - 1 - i];
}

problem problem_of(int argc, char **argv, int *launches) {
    const kind *kind = argc == 4 ? kind_of(argv[1]) : NULL;
    problem p = {.kind = kind, .n = kind ? atoi(argv[2]) : 0};
    *launches = kind ? atoi(argv[3]) : 0;
    if (p.n < 1 || *launches < 1) fail(argv[0], "wrong arguments; they are NAME SIZE LAUNCHES");
    p.elements = kind->is_square ? p.n * p.n : p.n;
    p.table = kind->table ? kind->table : p.elements;
    p.result_count = (size_t)p.elements * (size_t)kind->more;
    p.in_count = p.result_count > (size_t)p.table ? p.result_count : (size_t)p.table;
    p.factor_count = FACTORS;
    p.random_count = (size_t)p.n * (size_t)kind->random;
    p.row_count = kind->has_rows ? (size_t)p.n + 1 : 0;
    p.column_count = kind->has_rows ? (size_t)p.n * 31 : 0;
    p.in = zeros(p.in_count, sizeof *p.in), p.second = zeros(p.in_count, sizeof *p.second);
    p.factors = zeros(p.factor_count, sizeof *p.factors), p.out = zeros(p.result_count, sizeof *p.out);
    p.random = zeros(p.random_count, sizeof *p.random), p.words = zeros(p.result_count, sizeof *p.words);
    p.rows = zeros(p.row_count, sizeof *p.rows), p.columns = zeros(p.column_count, sizeof *p.columns);
    fill(&p);
    return p;
}

void print_result(const problem *p) {
    if (p->kind->is_words) print_words(p->words, p->result_count);
    else print_floats(p->out, p->result_count / (size_t)p->kind->fewer);
}
