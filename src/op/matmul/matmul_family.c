// The family of matrix products: C = A B of row-major matrices, the problem that the rungs of kernels/matmul solve, and
// what each kernel is given.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "op/matmul/cpu/matmul_blas.h"
#include "op/matmul/cpu/matmul_integers.h"
#include "op/common/family.h"
#include "op/matmul/matmul_plan.h"
#include "op/matmul/tensor_plan.h"

// The sizes, and the arrays in the order of plans.
enum { M, N, K };
enum { A = HW_PRODUCT_A, B = HW_PRODUCT_B, C = HW_PRODUCT_C, SCRATCH = HW_PRODUCT_SCRATCH };

static uint32_t elem_bytes(const hw_problem *problem) { return problem->dtype.bits / 8; }

// What ladder.def says of a rung beside what all families have.
typedef enum sums_of { PLAIN, COMPENSATED, TENSOR } sums_of;
typedef struct shape {
    uint32_t depth, shared_elems;
    bool words;
    sums_of sums;
} shape;
static const shape *shape_of_rung(const hw_rung *rung);
static bool is_integer(DLDataType type) { return type.code == kDLInt || type.code == kDLUInt; }

// The type of C, which has room for sums of small integers.
static DLDataType out_type(const hw_problem *problem) {
    const DLDataType type = problem->dtype;
    return is_integer(type) && type.bits < 32 ? (DLDataType){type.code, 32, 1} : type;
}
static uint32_t out_bytes(const hw_problem *problem) { return out_type(problem).bits / 8; }

// ---- The problem ----------------------------------------------------------------------------------------------------

// Room for the parts of sums where k is cut: a copy of C's tiles for every so many steps.
static uint64_t scratch_bytes(const hw_problem *problem) {
    enum { LARGEST_TILE = 256, STEPS = 32 };
    const double most = 64 << 20, rows = (double)problem->size[M] + LARGEST_TILE;
    const double cols = (double)problem->size[N] + LARGEST_TILE;
    if (is_integer(problem->dtype)) return 0;   // whose k is not cut
    const double bytes = rows * cols * elem_bytes(problem) * ((double)problem->size[K] / STEPS + 1);
    return (uint64_t)(bytes < most ? bytes : most);
}

static hw_status describe_matmul(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t most = INT32_MAX, m = problem->size[M], n = problem->size[N], k = problem->size[K];
    const uint64_t most_elems = (uint64_t)1 << 40;
    if (m > most || n > most || k > most || m * k > most_elems || k * n > most_elems || m * n > most_elems)
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 "x%" PRIu64 "x%" PRIu64 " is more than 2^31 rows or columns, "
                           "or 2^40 elements", m, n, k);
    const uint64_t a = m * k * elem_bytes(problem), b = k * n * elem_bytes(problem), c = m * n * out_bytes(problem);
    *work = (hw_work){.arrays = {[A] = {"A", .bytes = a}, [B] = {"B", .bytes = b},
                                 [C] = {"C", .bytes = c, .is_output = true},
                                 [SCRATCH] = {"scratch", scratch_bytes(problem), .is_scratch = true}},
                      .n_arrays = HW_PRODUCT_ARRAYS, .bytes_moved = (double)(a + b + c),
                      .operations = 2.0 * (double)m * (double)n * (double)k,
                      .operation = is_integer(problem->dtype) ? "op" : "flop"};
    return HW_OK;
}

// Whole numbers up to so much, whose sums of k products 31 bits hold: no element wraps, and doubles are exact.
static int64_t most_integer(uint64_t k) { return k <= 1 << 17 ? 100 : 1; }

static void fill_integers(const hw_problem *problem, void *array, uint64_t elems, uint64_t seed) {
    const uint64_t most = (uint64_t)most_integer(problem->size[K]);
    const bool is_signed = problem->dtype.code == kDLInt;
    for (uint64_t i = 0; i < elems; i++) {
        seed = seed * 6364136223846793005u + 1442695040888963407u;
        const int64_t value = (int64_t)((seed >> 33) % (is_signed ? 2 * most + 1 : most + 1));
        hw_dtype_set(problem->dtype, array, i, (double)(is_signed ? value - (int64_t)most : value));
    }
}

// Numbers between -1 and 1, of both signs and without pattern, that the type holds exactly.
static void fill_one(DLDataType dtype, void *array, uint64_t elems, uint64_t seed) {
    const double steps = dtype.bits >= 32 ? 1 << 23 : dtype.code == kDLBfloat ? 1 << 7 : 1 << 10;
    uint64_t state = seed;
    for (uint64_t i = 0; i < elems; i++) {
        state = state * 6364136223846793005u + 1442695040888963407u;
        const double whole = (double)(state >> 33) / (double)(1u << 31) * 2 * steps;   // 0 to 2 steps
        hw_dtype_set(dtype, array, i, (floor(whole) - steps) / steps);
    }
}

static void fill_matmul(const hw_problem *problem, void *const *arrays) {
    const uint64_t elems[] = {problem->size[M] * problem->size[K], problem->size[K] * problem->size[N]};
    for (uint32_t x = 0; x < 2; x++) {
        if (is_integer(problem->dtype)) fill_integers(problem, arrays[x ? B : A], elems[x], 1 + x);
        else fill_one(problem->dtype, arrays[x ? B : A], elems[x], 1 + x);
    }
}

// ---- The reference --------------------------------------------------------------------------------------------------

// Sums are taken in double, in the order of k. That takes minutes for large matrices: past MOST_PRODUCTS only LINES
// whole rows and as many whole columns are made, spread over C, so that every tile of a LINES-th of C's height or width
// has one of each; for the other elements compare_row checks the sum of each row, with signs.
enum { LINES = 24, PIECE = 512 };
static const double MOST_PRODUCTS = 2147483648.0;

static bool is_sampled(const hw_problem *problem) {
    return (double)problem->size[M] * (double)problem->size[N] * (double)problem->size[K] > MOST_PRODUCTS;
}

// The lines of an axis, ascending, at different places within tiles, the last one at the end. Of a short axis all.
static uint64_t line_at(uint64_t line, uint64_t extent) {
    if (extent <= LINES) return line;
    return line == LINES - 1 ? extent - 1 : line * extent / LINES + line * 7 % (extent / LINES);
}

static uint64_t sampled_lines(uint64_t extent) { return extent < LINES ? extent : LINES; }

static bool is_line(uint64_t index, uint64_t extent) {
    for (uint64_t line = 0; line < sampled_lines(extent); line++)
        if (line_at(line, extent) == index) return true;
    return false;
}

static double get_number(DLDataType dtype, const void *array, uint64_t index) {
    if (dtype.code == kDLFloat && dtype.bits == 32) return ((const float *)array)[index];
    return hw_dtype_get(dtype, array, index);
}

// sums[j] += factor * B[p][col + j]
static void add_row_of_b(const hw_problem *problem, const void *b, uint64_t p, uint64_t col, uint64_t cols,
                         double factor, double *sums) {
    const uint64_t first = p * problem->size[N] + col;
    if (problem->dtype.code == kDLFloat && problem->dtype.bits == 32) {
        const float *line = (const float *)b + first;
        for (uint64_t j = 0; j < cols; j++) sums[j] += factor * line[j];
    } else {
        for (uint64_t j = 0; j < cols; j++) sums[j] += factor * hw_dtype_get(problem->dtype, b, first + j);
    }
}

static void make_row(const hw_problem *problem, void *const *arrays, uint64_t i) {
    const uint64_t n = problem->size[N], k = problem->size[K];
    for (uint64_t col = 0; col < n; col += PIECE) {
        const uint64_t cols = n - col < PIECE ? n - col : PIECE;
        double sums[PIECE] = {0};
        for (uint64_t p = 0; p < k; p++)
            add_row_of_b(problem, arrays[B], p, col, cols, get_number(problem->dtype, arrays[A], i * k + p), sums);
        for (uint64_t j = 0; j < cols; j++) hw_dtype_set(out_type(problem), arrays[C], i * n + col + j, sums[j]);
    }
}

// Row i of the sampled columns.
static void make_samples(const hw_problem *problem, void *const *arrays, uint64_t i) {
    const uint64_t n = problem->size[N], k = problem->size[K];
    double sums[LINES] = {0};
    for (uint64_t p = 0; p < k; p++) {
        const double factor = get_number(problem->dtype, arrays[A], i * k + p);
        for (uint64_t line = 0; line < sampled_lines(n); line++)
            sums[line] += factor * get_number(problem->dtype, arrays[B], p * n + line_at(line, n));
    }
    for (uint64_t line = 0; line < sampled_lines(n); line++)
        hw_dtype_set(out_type(problem), arrays[C], i * n + line_at(line, n), sums[line]);
}

static void reference_matmul(const hw_problem *problem, void *const *arrays) {
    const uint64_t m = problem->size[M];
    for (uint64_t i = 0; i < m; i++) {
        if (!is_sampled(problem) || is_line(i, m)) make_row(problem, arrays, i);
        else make_samples(problem, arrays, i);
    }
}

// ---- Comparing ------------------------------------------------------------------------------------------------------

// What a comparison needs beside the arrays: the lengths of A's rows and B's columns, whose product is at least the sum
// of |a| |b| of an element; and B's rows, added up with signs.
typedef struct bounds {
    double *a_length, *b_length, *b_sum;   // m, n, k
    double per_length, per_value;          // an element's tolerance, of the product of lengths, and of its own size
    double differences, elements;          // sums of squares over the elements that were compared
} bounds;

static double sign_of(uint64_t col) { return (col * 0x9e3779b97f4a7c15u) >> 63 ? -1 : 1; }

// Half of the distance between neighbours: of sums, of inputs that are rounded, of elements.
static void choose_tolerance(const hw_problem *problem, const hw_rung *rung, bounds *b) {
    const uint8_t bits = problem->dtype.bits;
    const double sums = bits == 64 ? DBL_EPSILON / 2 : FLT_EPSILON / 2, k = (double)problem->size[K];
    const double elements = bits == 64 ? DBL_EPSILON / 2 : bits == 32 ? FLT_EPSILON / 2
                          : problem->dtype.code == kDLBfloat ? 0x1p-9 : 0x1p-11;
    // Roundings of k sums of numbers of both signs mostly cancel out; a compensated sum has none that grow with k.
    const sums_of rounding = shape_of_rung(rung)->sums;
    b->per_length = rounding == COMPENSATED ? 4 * sums : (8 + 2 * sqrt(k)) * sums;
    if (rounding == TENSOR && bits == 32) b->per_length += 2.01 * 0x1p-11;   // both factors rounded to tf32
    if (is_integer(problem->dtype)) {   // exact
        b->per_length = b->per_value = 0;
        return;
    }
    b->per_value = 2.02 * elements;   // the result and the reference are rounded, perhaps to two sides
}

static void measure_bounds(const hw_problem *problem, void *const *arrays, bounds *b) {
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    for (uint64_t i = 0; i < m; i++) {
        double squares = 0;
        for (uint64_t p = 0; p < k; p++) {
            const double value = get_number(problem->dtype, arrays[A], i * k + p);
            squares += value * value;
        }
        b->a_length[i] = sqrt(squares);
    }
    for (uint64_t p = 0; p < k; p++) {
        for (uint64_t j = 0; j < n; j++) {
            const double value = get_number(problem->dtype, arrays[B], p * n + j);
            b->b_length[j] += value * value;
            b->b_sum[p] += sign_of(j) * value;
        }
    }
    for (uint64_t j = 0; j < n; j++) b->b_length[j] = sqrt(b->b_length[j]);
}

static void note_wrong(hw_verdict *verdict, uint64_t index, double error) {
    if (verdict->right || !(error <= verdict->worst_error)) {
        verdict->worst_error = error;
        verdict->worst_index = index;
    }
    verdict->right = false;
    verdict->n_wrong++;
}

static void compare_element(const hw_problem *problem, bounds *b, const void *expected, const void *got,
                            uint64_t i, uint64_t j, hw_verdict *verdict) {
    const uint64_t n = problem->size[N], index = i * n + j;
    const double wanted = get_number(out_type(problem), expected, index),
                 is = get_number(out_type(problem), got, index);
    const double error = fabs(is - wanted);
    const double most = b->per_length * b->a_length[i] * b->b_length[j] + b->per_value * fabs(wanted);
    b->differences += error * error;
    b->elements += wanted * wanted;
    if (error <= most) return;   // false for a NaN
    const bool is_worst = verdict->right || !(error <= verdict->worst_error);
    note_wrong(verdict, index, error);
    if (is_worst)
        snprintf(verdict->text, sizeof verdict->text, "element (%" PRIu64 ", %" PRIu64 ") is %.9g, not %.9g", i, j, is,
                 wanted);
}

// The sum of row i with signs, which is A's row times B's sums: an element that is off by more than the tolerance of a
// whole row is found, wherever it is.
static void compare_row(const hw_problem *problem, void *const *arrays, const bounds *b, const void *got, uint64_t i,
                        hw_verdict *verdict) {
    const uint64_t n = problem->size[N], k = problem->size[K];
    double wanted = 0, is = 0, squares = 0;
    for (uint64_t p = 0; p < k; p++) wanted += get_number(problem->dtype, arrays[A], i * k + p) * b->b_sum[p];
    for (uint64_t j = 0; j < n; j++) {
        const double value = get_number(out_type(problem), got, i * n + j);
        const double most = b->per_length * b->a_length[i] * b->b_length[j] + b->per_value * fabs(value);
        is += sign_of(j) * value;
        squares += most * most;
    }
    const double error = fabs(is - wanted);
    if (error <= 4 * sqrt(squares)) return;
    const bool is_first = verdict->right;
    note_wrong(verdict, i * n, error);
    if (is_first)
        snprintf(verdict->text, sizeof verdict->text, "row %" PRIu64 " adds up to %.9g with signs, not %.9g", i, is,
                 wanted);
}

static void compare_elements(const hw_problem *problem, void *const *arrays, bounds *b, uint32_t array,
                             const void *got, hw_verdict *verdict) {
    const uint64_t m = problem->size[M], n = problem->size[N];
    const bool sampled = is_sampled(problem);
    for (uint64_t i = 0; i < m; i++) {
        if (!sampled || is_line(i, m)) {
            for (uint64_t j = 0; j < n; j++) compare_element(problem, b, arrays[array], got, i, j, verdict);
        } else {
            for (uint64_t line = 0; line < sampled_lines(n); line++)
                compare_element(problem, b, arrays[array], got, i, line_at(line, n), verdict);
            compare_row(problem, arrays, b, got, i, verdict);
        }
    }
}

static void compare_matmul(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                           const void *got, hw_verdict *verdict) {
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    bounds b = {.a_length = hw_calloc(m + n + k + 1, sizeof(double))};
    *verdict = (hw_verdict){.right = true};
    if (!b.a_length) {
        verdict->right = false;
        snprintf(verdict->text, sizeof verdict->text, "there is no memory to compare it in");
        return;
    }
    b.b_length = b.a_length + m;
    b.b_sum = b.b_length + n;
    choose_tolerance(problem, rung, &b);
    measure_bounds(problem, arrays, &b);
    compare_elements(problem, arrays, &b, array, got, verdict);
    verdict->has_error = b.elements > 0 && isfinite(b.differences);
    if (verdict->has_error) verdict->error = sqrt(b.differences / b.elements);
    hw_free(b.a_length);
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_status check_float_rung(const hw_rung *rung, const hw_problem *problem, const uint32_t asked[2],
                                  hw_diag *diag) {
    const bool is_own = (!asked[0] && !asked[1]) || (asked[0] == rung->block[0] && asked[1] == rung->block[1]);
    if (problem->dtype.code != kDLFloat || problem->dtype.bits < 32)
        return hw_diag_set(diag, HW_USAGE, "%s is written for f32 and f64", rung->name);
    if (!is_own)
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %ux%u", rung->name, rung->block[0],
                           rung->block[1]);
    return HW_OK;
}

// (c, a, b, m, n, k), the indices as wide as the largest number that a kernel computes needs.
static void give_matmul_params(const hw_problem *problem, bool is_wide, hw_plan *plan, hw_plan_launch *launch) {
    static const int arrays[] = {C, A, B};
    for (int i = 0; i < 3; i++) launch->params[launch->n_params++] = (hw_plan_param){.array = arrays[i]};
    for (int i = 0; i < 3; i++) {
        int32_t narrow = (int32_t)problem->size[i];
        launch->params[launch->n_params++] = (hw_plan_param){
            .array = -1, .offset = is_wide ? hw_plan_value(plan, &problem->size[i], sizeof problem->size[i])
                                           : hw_plan_value(plan, &narrow, sizeof narrow)};
    }
    if (is_wide) hw_plan_define(plan, launch, "INDEX_BITS", 64);
}

static bool is_wide(const hw_problem *problem, uint64_t tile_rows, uint64_t tile_cols, uint64_t depth) {
    const uint64_t m = (hw_divide_up(problem->size[M], tile_rows) + 1) * tile_rows;
    const uint64_t n = (hw_divide_up(problem->size[N], tile_cols) + 1) * tile_cols;
    const uint64_t k = problem->size[K] + 4 * depth + 1;
    return m * k > INT32_MAX || k * n > INT32_MAX || m * n > INT32_MAX;
}

// A grid of tiles over C, as tile_row() and tile_col() of kernels/common/grid.cuh number them.
static void lay_matmul_grid(uint64_t tile_rows, uint64_t tile_cols, hw_plan_launch *launch) {
    enum { MOST_GRID_ROWS = 65535 };
    const uint64_t layers = hw_divide_up(tile_rows, MOST_GRID_ROWS);
    launch->grid[0] = (uint32_t)tile_cols;
    launch->grid[1] = layers ? (uint32_t)hw_divide_up(tile_rows, layers) : 0;
    launch->grid[2] = (uint32_t)layers;
}

static hw_status plan_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    (void)device;
    hw_status status = check_float_rung(rung, problem, asked, diag);
    if (status) return status;
    const shape *s = shape_of_rung(rung);
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K], word = 16 / elem_bytes(problem);
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = rung->file;
    launch->function = rung->kernel;
    hw_plan_define(plan, launch, "ELEMENT_BYTES", elem_bytes(problem));
    hw_plan_define(plan, launch, "TILE_ROWS", rung->tile[1]);
    hw_plan_define(plan, launch, "TILE_COLS", rung->tile[0]);
    if (s->depth) hw_plan_define(plan, launch, "TILE_DEPTH", s->depth);
    if (s->words) hw_plan_define(plan, launch, "WORDS", n % word == 0 && k % word == 0);
    launch->block[0] = rung->block[0];
    launch->block[1] = rung->block[1];
    launch->block[2] = 1;
    lay_matmul_grid(hw_divide_up(m, rung->tile[1]), hw_divide_up(n, rung->tile[0]), launch);
    give_matmul_params(problem, is_wide(problem, rung->tile[1], rung->tile[0], s->depth), plan, launch);
    return HW_OK;
}

// Kernels without guards: every tile is whole.
static hw_status plan_whole_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                  const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    static const char names[] = {'m', 'n', 'k'};
    for (int i = 0; i < 3; i++)
        if (problem->size[i] % rung->tile[0])
            return hw_diag_set(diag, HW_USAGE, "%s takes multiples of %u, which %c = %" PRIu64 " is not", rung->name,
                               rung->tile[0], names[i], problem->size[i]);
    return plan_tiles(rung, problem, device, asked, plan, diag);
}

// Three stages of a tile of A, whose rows are followed by a word that is never used, and one of B.
static hw_status plan_async(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    enum { STAGES = 3, WORD_BYTES = 16, DEPTH_WORDS = 4, ASYNC_CC = 80 };
    if (device->cc < ASYNC_CC)
        return hw_diag_set(diag, HW_USAGE, "%s takes GPUs from compute capability 8.0, and %s has %d.%d", rung->name,
                           device->name, device->cc / 10, device->cc % 10);
    hw_status status = plan_tiles(rung, problem, device, asked, plan, diag);
    if (status) return status;
    const uint32_t a_bytes = rung->tile[1] * (DEPTH_WORDS + 1) * WORD_BYTES;
    const uint32_t b_bytes = rung->tile[0] * DEPTH_WORDS * WORD_BYTES;
    plan->launches[0].dynamic_shared_bytes = STAGES * (a_bytes + b_bytes);
    hw_plan_define(plan, &plan->launches[0], "TILE_DEPTH", DEPTH_WORDS * WORD_BYTES / elem_bytes(problem));
    return HW_OK;
}

// The problem as hw_matmul would see it, its arrays aligned as devices allocate memory.
static hw_product product_of(const hw_problem *problem) {
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    hw_product p;
    memset(&p, 0, sizeof p);   // padding too: it may be part of a key
    p.m = m;
    p.n = n;
    p.k = k;
    p.a.ld = (int64_t)k;
    p.b.ld = p.c.ld = (int64_t)n;
    const uint64_t a_bytes = 16 | k * elem_bytes(problem), b_bytes = 16 | n * elem_bytes(problem);
    const uint64_t c_bytes = 16 | n * out_bytes(problem);
    p.a.align_bytes = (uint32_t)(a_bytes & -a_bytes);
    p.b.align_bytes = (uint32_t)(b_bytes & -b_bytes);
    p.c.align_bytes = (uint32_t)(c_bytes & -c_bytes);
    p.input = problem->dtype;
    p.output = out_type(problem);
    p.precision = is_integer(problem->dtype) ? HW_PRECISION_OF_TYPE
                : problem->dtype.bits == 64 ? HW_PRECISION_FP64
                : problem->dtype.bits == 32 ? HW_PRECISION_FP32 : HW_PRECISION_OF_TYPE;
    p.alpha = 1;
    return p;
}

// What hw_matmul does.
static hw_status plan_best(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = product_of(problem);
    hw_matmul_plan made;
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    memset(plan, 0, sizeof *plan);
    if (!p.m || !p.n) return HW_OK;
    hw_status status = hw_matmul_plan_make(&p, device, &made, diag);
    if (status) return status;
    if (made.scratch_bytes > scratch_bytes(problem))
        return hw_diag_set(diag, HW_USAGE, "%s wants %" PRIu64 " bytes of scratch memory, and gets %" PRIu64,
                           rung->name, made.scratch_bytes, scratch_bytes(problem));
    *plan = made.plan;
    return HW_OK;
}

// f32 is rounded to tf32.
static hw_status plan_tensor(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    hw_product p = product_of(problem);
    hw_tensor_core_choice choice;
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    if (p.precision == HW_PRECISION_FP32) p.precision = HW_PRECISION_TF32;
    memset(plan, 0, sizeof *plan);
    if (!p.m || !p.n) return HW_OK;
    if (device->cc < HW_TENSOR_CORE_CC || is_integer(p.input) || (p.k && !hw_tensor_core_takes(&p, device)))
        return hw_diag_set(diag, HW_USAGE, "%s has no instructions for this type on %s", rung->name, device->name);
    hw_tensor_core_choose(&p, device, &choice);
    hw_tensor_core_plan_launch(&p, &choice, plan);
    return HW_OK;
}

// What the rungs for integers ask of their problem; HW_USAGE where it is another.
static hw_status check_integers(const hw_rung *rung, const hw_problem *problem, const uint32_t asked[2], hw_plan *plan,
                                hw_diag *diag) {
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s has blocks of its own", rung->name);
    if (!is_integer(problem->dtype)) return hw_diag_set(diag, HW_USAGE, "%s is for integers", rung->name);
    memset(plan, 0, sizeof *plan);
    return HW_OK;
}

static hw_status plan_plain(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = product_of(problem);
    hw_status status = check_integers(rung, problem, asked, plan, diag);
    (void)device;
    if (!status && p.m && p.n) hw_product_plan_plain(&p, plan);
    return status;
}

static hw_status plan_dp4a(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = product_of(problem);
    hw_status status = check_integers(rung, problem, asked, plan, diag);
    if (status || !p.m || !p.n) return status;
    if (p.k && !hw_product_dp4a_takes(&p, device))
        return hw_diag_set(diag, HW_USAGE, "%s has no instruction for this type on %s", rung->name, device->name);
    hw_product_plan_dp4a(&p, plan);
    return HW_OK;
}

// ---- What the rungs are, in numbers ---------------------------------------------------------------------------------

enum { LOADS, OPERATIONS, INTENSITY, SHARED_BYTES, BLOCKS, ROOF };

// A number that the first launch is specialised by; 0: it has none of that name.
static double number_of(const hw_plan *plan, const char *name) {
    const hw_plan_launch *launch = &plan->launches[0];
    const size_t length = strlen(name);
    for (uint32_t d = 0; d < launch->n_defines; d++) {
        const char *text = plan->bytes + launch->defines[d];
        if (!strncmp(text, name, length) && text[length] == '=') return atof(text + length + 1);
    }
    return 0;
}

// Seed 001's analysis: what a block loads and computes in a phase, and the rate that memory then allows. Without phases
// every multiply-add loads its two factors, in one step of k.
static void tell_intensity(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const hw_plan *plan, uint32_t resident_blocks, double numbers[HW_FAMILY_FACTS]) {
    if (!plan->n_launches) return;
    const double rows = number_of(plan, "TILE_ROWS"), cols = number_of(plan, "TILE_COLS"), bytes = elem_bytes(problem);
    const double phase = number_of(plan, "TILE_DEPTH"), depth = phase ? phase : 1;
    if (!rows || !cols) return;
    numbers[LOADS] = phase ? (rows + cols) * depth : 2 * rows * cols;
    numbers[OPERATIONS] = 2 * rows * cols * depth;
    numbers[INTENSITY] = numbers[OPERATIONS] / (numbers[LOADS] * bytes);
    numbers[SHARED_BYTES] = plan->launches[0].dynamic_shared_bytes + shape_of_rung(rung)->shared_elems * bytes;
    if (resident_blocks) numbers[BLOCKS] = resident_blocks;
    // The peak of tensor cores and of integers is not known, and 16-bit floats have no other kernel with tiles.
    const bool on_tensor_cores = !strcmp(plan->launches[0].function, "product_tensor");
    const double memory = numbers[INTENSITY] * device->memory_gbs / 1e3;
    const double peak = problem->dtype.bits == 64 ? device->fp64_tflops : device->fp32_tflops;
    const bool has_peak = !on_tensor_cores && !is_integer(problem->dtype) && peak > 0;
    if (has_peak && memory > 0) numbers[ROOF] = memory < peak ? memory : peak;
}

// ---- The processor --------------------------------------------------------------------------------------------------

typedef struct row_job {
    const hw_problem *problem;
    void *const *arrays;
    uint32_t n_threads;
} row_job;

static void take_product_rows(void *context, uint32_t index) {
    const row_job *j = context;
    for (uint64_t i = index; i < j->problem->size[M]; i += j->n_threads) make_row(j->problem, j->arrays, i);
}

static hw_status by_rows(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                         hw_diag *diag) {
    row_job job = {problem, arrays, n_threads};
    (void)diag;
    hw_pool_run(pool, n_threads, take_product_rows, &job);
    return HW_OK;
}

static hw_status by_blas(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                         hw_diag *diag) {
    const hw_product p = product_of(problem);
    (void)pool;
    if (is_integer(problem->dtype)) return hw_diag_set(diag, HW_USAGE, "OpenBLAS has no products of integers");
    if (!p.m || !p.n) return HW_OK;
    return hw_cpu_matmul(&p, arrays[A], arrays[B], arrays[C], n_threads, diag);
}

static hw_status by_blocks(const hw_problem *problem, void *const *arrays, hw_pool *pool, uint32_t n_threads,
                           hw_diag *diag) {
    const hw_product p = product_of(problem);
    if (!is_integer(problem->dtype)) return hw_diag_set(diag, HW_USAGE, "blocks are for integers");
    if (!p.m || !p.n) return HW_OK;
    return hw_cpu_matmul_integers(&p, arrays[A], arrays[B], arrays[C], pool, n_threads, diag);
}

static const hw_rung cpu_rungs[] = {
    {.number = 10, .name = "rows", .idea = "rows of sums in double", .native = by_rows},
    {.number = 90, .name = "blas", .builds_on = "rows", .idea = "OpenBLAS", .native = by_blas, .limit = "floats"},
    {.number = 95, .name = "blocks", .builds_on = "rows", .idea = "integers in blocks", .native = by_blocks,
     .limit = "integers"},
};

// ---- The family -----------------------------------------------------------------------------------------------------

#define PAIR(a, b) {a, b}
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, rung_block, rung_tile, rung_depth, rung_shared, \
                rung_words, rung_sums, planner, rung_idea, rung_limit)                                                \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,           \
     .block = PAIR rung_block, .tile = PAIR rung_tile, .plan = planner, .idea = rung_idea, .limit = rung_limit},
static const hw_rung rungs[] = {
#include "kernels/matmul/ladder.def"
};
#undef HW_RUNG

static const shape *shape_of_rung(const hw_rung *rung) {
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, rung_block, rung_tile, rung_depth, rung_shared, \
                rung_words, rung_sums, planner, rung_idea, rung_limit)                                                \
    {rung_depth, rung_shared, rung_words, rung_sums},
    static const shape shapes[] = {
#include "kernels/matmul/ladder.def"
    };
#undef HW_RUNG
    static const shape none;
    for (size_t i = 0; i < sizeof rungs / sizeof rungs[0]; i++)
        if (rungs[i].number == rung->number) return &shapes[i];
    return &none;
}

const hw_family hw_family_matmul = {
    .name = "matmul",
    .does = "C = A B",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .cpu_rungs = cpu_rungs,
    .n_cpu_rungs = sizeof cpu_rungs / sizeof cpu_rungs[0],
    .size_names = {"m", "n", "k"},
    .default_size = {4096, 4096, 4096},
    .default_sim_size = {512, 512, 512},
    .large_sim_size = {1024, 1024, 1024},
    .default_cpu_size = {768, 768, 768},
    .dtypes = "f32 f64 f16 bf16 i8 i16 i32 i64 u8 u16 u32 u64",
    .describe = describe_matmul,
    .fill = fill_matmul,
    .reference = reference_matmul,
    .fact_names = {[LOADS] = "loads per tile", [OPERATIONS] = "flop per tile", [INTENSITY] = "flop per byte",
                   [SHARED_BYTES] = "shared bytes", [BLOCKS] = "resident blocks", [ROOF] = "roof TFLOP/s"},
    .facts = tell_intensity,
    .compare = compare_matmul,
};
