// Products by OpenBLAS: straight where it takes the matrices as they lie; else in pieces, which are copied in the type
// of the sums, multiplied, and added to C.
#include "op/matmul/cpu/matmul_blas.h"

#include <limits.h>
#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "base/alloc.h"
#include "base/integers.h"
#include "op/matmul/cpu/blas.h"
#include "op/common/family.h"
#include "op/tune/cpu.h"

// A piece of each matrix is at most so many rows and columns: large enough that copying it costs little beside the
// multiplications, small enough for caches.

static bool is_f64(DLDataType type) { return type.code == kDLFloat && type.bits == 64; }

// ---- Straight -------------------------------------------------------------------------------------------------------

static bool takes_matrix(const hw_matrix *matrix, uint64_t rows, uint64_t cols) {
    const uint64_t width = matrix->transposed ? rows : cols;
    return matrix->ld >= (int64_t)(width ? width : 1) && matrix->ld <= INT_MAX;
}

static bool is_straight(const hw_product *p) {
    const bool is_plain = p->precision == HW_PRECISION_FP32 || p->precision == HW_PRECISION_FP64;
    return is_plain && takes_matrix(&p->a, p->m, p->k) &&
           takes_matrix(&p->b, p->k, p->n) && takes_matrix(&p->c, p->m, p->n);
}

static int blas_order_of(const hw_matrix *matrix) { return matrix->transposed ? HW_BLAS_TRANSPOSED : HW_BLAS_AS_IS; }

static void multiply_straight(const hw_blas *blas, const hw_product *p, const void *a, const void *b, void *c) {
    const int m = (int)p->m, n = (int)p->n, k = (int)p->k;
    const int lda = (int)p->a.ld, ldb = (int)p->b.ld, ldc = (int)p->c.ld;
    if (is_f64(p->input))
        blas->dgemm(HW_BLAS_ROW_MAJOR, blas_order_of(&p->a), blas_order_of(&p->b), m, n, k, p->alpha, a, lda, b, ldb,
                    p->beta, c, ldc);
    else
        blas->sgemm(HW_BLAS_ROW_MAJOR, blas_order_of(&p->a), blas_order_of(&p->b), m, n, k, (float)p->alpha, a, lda, b,
                    ldb, (float)p->beta, c, ldc);
}

// ---- In pieces ------------------------------------------------------------------------------------------------------

static float float_of_bits(uint32_t bits) {
    float value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static uint32_t bits_of_float(float value) {
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    return bits;
}

// Exact: the exponent is moved to its new place, and a multiplication by a power of two mends its bias, subnormal
// numbers included.
static float float_of_half(uint16_t half) {
    uint32_t bits = (uint32_t)(half & 0x7fff) << 13;
    if (bits >= 0x0f800000) bits |= 0x7f800000;   // infinite, or NaN
    else bits = bits_of_float(float_of_bits(bits) * 0x1p112f);
    return float_of_bits(bits | (uint32_t)(half & 0x8000) << 16);
}

// Rounds to the nearest tf32, ties away from zero, as cvt.rna.tf32 does.
static float round_tf32(float value) {
    uint32_t bits = bits_of_float(value);
    return (bits & 0x7f800000) == 0x7f800000 ? value : float_of_bits((bits + 0x1000) & ~(uint32_t)0x1fff);
}

// Rounds to the nearest bf16, ties to even.
static float round_bf16(float value) {
    uint32_t bits = bits_of_float(value);
    if ((bits & 0x7f800000) == 0x7f800000) return value;
    return float_of_bits((bits + 0x7fff + (bits >> 16 & 1)) & 0xffff0000);
}

typedef struct source {
    const char *data;
    int64_t down, across;   // elements from one row, and column, to the next
} source;

static source source_of_pieces(const hw_matrix *matrix, const void *data) {
    return (source){data, matrix->transposed ? 1 : matrix->ld, matrix->transposed ? matrix->ld : 1};
}

// to[rows][cols] = from[row ..., col ...], converted by `value_of` from elements of `type`.
#define COPY_PIECE(type, value_of)                                                                                     \
    for (uint64_t i = 0; i < rows; i++) {                                                                              \
        const type *line = (const type *)from->data + (int64_t)(row + i) * from->down + (int64_t)col * from->across;   \
        for (uint64_t j = 0; j < cols; j++) to[i * cols + j] = value_of(line[(int64_t)j * from->across]);              \
    }

static float bfloat_of(uint16_t bits) { return float_of_bits((uint32_t)bits << 16); }
static float same_float(float value) { return value; }

static void copy_floats(const hw_product *p, const source *from, uint64_t row, uint64_t rows, uint64_t col,
                        uint64_t cols, float *to) {
    if (p->input.code == kDLBfloat) {
        COPY_PIECE(uint16_t, bfloat_of)
    } else if (p->input.bits == 16) {
        COPY_PIECE(uint16_t, float_of_half)
    } else if (p->precision == HW_PRECISION_TF32) {
        COPY_PIECE(float, round_tf32)
    } else if (p->precision == HW_PRECISION_BF16) {
        COPY_PIECE(float, round_bf16)
    } else {
        COPY_PIECE(float, same_float)
    }
}

static void copy_doubles(const source *from, uint64_t row, uint64_t rows, uint64_t col, uint64_t cols, double *to) {
    COPY_PIECE(double, )
}

typedef struct pieces {
    const hw_blas *blas;
    const hw_product *p;
    source a, b;
    char *c;
    void *a_piece, *b_piece, *sums;
} pieces;

// sums[rows][cols] += A[row ..., inner ...] B[inner ..., col ...]
static void multiply_piece(const pieces *w, uint64_t row, uint64_t rows, uint64_t col, uint64_t cols, uint64_t inner,
                           uint64_t depth) {
    const int m = (int)rows, n = (int)cols, k = (int)depth;
    if (is_f64(w->p->input)) {
        copy_doubles(&w->a, row, rows, inner, depth, w->a_piece);
        copy_doubles(&w->b, inner, depth, col, cols, w->b_piece);
        w->blas->dgemm(HW_BLAS_ROW_MAJOR, HW_BLAS_AS_IS, HW_BLAS_AS_IS, m, n, k, 1, w->a_piece, k, w->b_piece, n,
                       inner ? 1 : 0, w->sums, n);
    } else {
        copy_floats(w->p, &w->a, row, rows, inner, depth, w->a_piece);
        copy_floats(w->p, &w->b, inner, depth, col, cols, w->b_piece);
        w->blas->sgemm(HW_BLAS_ROW_MAJOR, HW_BLAS_AS_IS, HW_BLAS_AS_IS, m, n, k, 1, w->a_piece, k, w->b_piece, n,
                       inner ? 1 : 0, w->sums, n);
    }
}

// C[row ..., col ...] = alpha sums + beta C, in the type of the sums, rounded to C's.
static void finish_piece(const pieces *w, uint64_t row, uint64_t rows, uint64_t col, uint64_t cols) {
    const hw_product *p = w->p;
    const bool in_double = is_f64(p->input), is_narrow = p->output.bits == 16;
    for (uint64_t i = 0; i < rows; i++) {
        char *line = w->c + ((int64_t)(row + i) * p->c.ld + (int64_t)col) * (p->output.bits / 8);
        for (uint64_t j = 0; j < cols; j++) {
            if (in_double) {
                double *at = (double *)line + j, sum = p->k ? p->alpha * ((double *)w->sums)[i * cols + j] : 0;
                *at = p->beta ? sum + p->beta * *at : sum;
                continue;
            }
            float sum = p->k ? (float)p->alpha * ((float *)w->sums)[i * cols + j] : 0;
            if (!is_narrow) {
                float *at = (float *)line + j;
                *at = p->beta ? sum + (float)p->beta * *at : sum;
            } else {
                if (p->beta) sum += (float)p->beta * (float)hw_dtype_get(p->output, line, j);
                hw_dtype_set(p->output, line, j, sum);
            }
        }
    }
}

static void multiply_in_pieces(const pieces *w) {
    const hw_product *p = w->p;
    for (uint64_t row = 0; row < p->m; row += HW_CPU_BLAS_PIECE) {
        for (uint64_t col = 0; col < p->n; col += HW_CPU_BLAS_PIECE) {
            const uint64_t rows = hw_least(HW_CPU_BLAS_PIECE, p->m - row),
                           cols = hw_least(HW_CPU_BLAS_PIECE, p->n - col);
            for (uint64_t inner = 0; inner < p->k; inner += HW_CPU_BLAS_PIECE)
                multiply_piece(w, row, rows, col, cols, inner, hw_least(HW_CPU_BLAS_PIECE, p->k - inner));
            finish_piece(w, row, rows, col, cols);
        }
    }
}

static hw_status open_pieces(pieces *w, hw_diag *diag) {
    const hw_product *p = w->p;
    const size_t bytes = is_f64(p->input) ? sizeof(double) : sizeof(float);
    const uint64_t rows = hw_least(p->m, HW_CPU_BLAS_PIECE), cols = hw_least(p->n, HW_CPU_BLAS_PIECE),
                   depth = hw_least(p->k, HW_CPU_BLAS_PIECE);
    w->a_piece = hw_malloc(bytes * (rows * depth + 1));
    w->b_piece = hw_malloc(bytes * (depth * cols + 1));
    w->sums = hw_malloc(bytes * (rows * cols + 1));
    return w->a_piece && w->b_piece && w->sums ? HW_OK : hw_diag_no_memory(diag);
}

static void close_pieces(pieces *w) {
    hw_free(w->a_piece);
    hw_free(w->b_piece);
    hw_free(w->sums);
}

// ---- All batches ----------------------------------------------------------------------------------------------------

static void multiply_all(const hw_product *p, pieces *w, const char *a, const char *b, char *c) {
    const int64_t input_bytes = p->input.bits / 8, output_bytes = p->output.bits / 8;
    uint64_t batches = 1;
    for (uint32_t k = 0; k < p->n_batch_axes; k++) batches *= p->batch[k];
    for (uint64_t batch = 0; batch < batches; batch++) {
        int64_t at[3] = {0};
        uint64_t rest = batch;
        for (uint32_t k = p->n_batch_axes; k-- > 0; rest /= p->batch[k]) {
            const int64_t index = (int64_t)(rest % p->batch[k]);
            at[0] += index * p->a.batch_stride[k];
            at[1] += index * p->b.batch_stride[k];
            at[2] += index * p->c.batch_stride[k];
        }
        if (is_straight(p)) {
            multiply_straight(w->blas, p, a + at[0] * input_bytes, b + at[1] * input_bytes, c + at[2] * output_bytes);
        } else {
            w->a = source_of_pieces(&p->a, a + at[0] * input_bytes);
            w->b = source_of_pieces(&p->b, b + at[1] * input_bytes);
            w->c = c + at[2] * output_bytes;
            multiply_in_pieces(w);
        }
    }
}

hw_status hw_cpu_matmul(const hw_product *p, const void *a, const void *b, void *c, uint32_t n_threads, hw_diag *diag) {
    pieces w = {.p = p};
    hw_status status = hw_blas_open(&w.blas, diag);
    if (!status && !is_straight(p)) status = open_pieces(&w, diag);
    if (!status) {
        hw_blas_lock();
        w.blas->set_threads((int)n_threads);
        multiply_all(p, &w, a, b, c);
        hw_blas_unlock();
    }
    close_pieces(&w);
    return status;
}

char *hw_cpu_matmul_explain(const hw_product *p, char *text, size_t text_bytes) {
    const char *type = is_f64(p->input) ? "dgemm" : "sgemm";
    if (is_straight(p)) snprintf(text, text_bytes, "OpenBLAS: cblas_%s\n", type);
    else
        snprintf(text, text_bytes, "OpenBLAS: cblas_%s, on pieces of up to %d x %d that are copied in its type\n", type,
                 HW_CPU_BLAS_PIECE, HW_CPU_BLAS_PIECE);
    return text;
}
