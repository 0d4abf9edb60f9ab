// What a matrix product should be, and how far a rung's may be from it.
#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "base/alloc.h"
#include "op/matmul/matmul_family.h"

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

void hw_matmul_reference_row(const hw_problem *problem, void *const *arrays, uint64_t i) {
    const uint64_t n = problem->size[N], k = problem->size[K];
    for (uint64_t col = 0; col < n; col += PIECE) {
        const uint64_t cols = n - col < PIECE ? n - col : PIECE;
        double sums[PIECE] = {0};
        for (uint64_t p = 0; p < k; p++)
            add_row_of_b(problem, arrays[B], p, col, cols, get_number(problem->dtype, arrays[A], i * k + p), sums);
        for (uint64_t j = 0; j < cols; j++)
            hw_dtype_set(hw_matmul_out_type(problem), arrays[C], i * n + col + j, sums[j]);
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
        hw_dtype_set(hw_matmul_out_type(problem), arrays[C], i * n + line_at(line, n), sums[line]);
}

void hw_matmul_reference(const hw_problem *problem, void *const *arrays) {
    const uint64_t m = problem->size[M];
    for (uint64_t i = 0; i < m; i++) {
        if (!is_sampled(problem) || is_line(i, m)) hw_matmul_reference_row(problem, arrays, i);
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
    const hw_matmul_sums rounding = hw_matmul_rung_shape(rung)->sums;
    b->per_length = rounding == COMPENSATED ? 4 * sums : (8 + 2 * sqrt(k)) * sums;
    if (rounding == TENSOR && bits == 32) b->per_length += 2.01 * 0x1p-11;   // both factors rounded to tf32
    if (hw_matmul_is_integer(problem->dtype)) {   // exact
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
    const double wanted = get_number(hw_matmul_out_type(problem), expected, index),
                 is = get_number(hw_matmul_out_type(problem), got, index);
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
        const double value = get_number(hw_matmul_out_type(problem), got, i * n + j);
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

void hw_matmul_compare(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
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
