// The inner loops of one instruction-set level. The file that includes this has defined
//
//   VEC                    bytes of a vector
//   LEVEL                  the table's name
//   WIDEN_F32(from)        a vector of f64 from f32; not defined: left to the compiler
//   WIDEN_F16(to, from)    widens WIDEN_F16_TERMS numbers; not defined: done in integers
//
// Loops over integers are left to the compiler's vectoriser. Sums of floats, whose order makes the bits, have vectors
// of their own: LANES of f32 and half as many of f64 at every level, which are added in pairs at the end. This file is
// compiled without contraction of products and sums (cmake/core.cmake).
#include <math.h>
#include <string.h>

#include "op/reduce/cpu/fold.h"

#define INLINE static inline __attribute__((always_inline))
#define UNROLL _Pragma("GCC unroll 16")
enum { LANE_BYTES = 128, VECTORS = LANE_BYTES / VEC };

// Terms as they lie in memory.
#define MEMORY __attribute__((aligned(1), may_alias))
typedef int8_t MEMORY i8;
typedef int16_t MEMORY i16;
typedef int32_t MEMORY i32;
typedef int64_t MEMORY i64;
typedef uint8_t MEMORY u8;
typedef uint16_t MEMORY u16;
typedef uint32_t MEMORY u32;
typedef uint64_t MEMORY u64;
typedef float MEMORY f32;
typedef double MEMORY f64;

typedef float vector_f32 __attribute__((vector_size(VEC)));
typedef double vector_f64 __attribute__((vector_size(VEC)));
typedef int64_t vector_i64 __attribute__((vector_size(VEC)));
typedef float narrow_f32 __attribute__((vector_size(VEC / 2)));   // as many as there are f64 in a vector

// ---- Runs: sums -----------------------------------------------------------------------------------------------------

// The runs of a call, one after the other: `terms` are those of run r.
#define EACH_RUN for (size_t r = 0; r < n_runs; r++, terms = (const char *)terms + pitch)

// Integers, in an accumulator that holds HW_FOLD_BLOCK of them.
#define RUN_INTEGER(NAME, TYPE, SUM, MEMBER, START, STEP)                                                              \
    static void NAME(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {           \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            SUM sum = START;                                                                                           \
            for (size_t k = 0; k < n; k++) sum = STEP(sum, (SUM)x[k]);                                                 \
            results[r].MEMBER = sum;                                                                                   \
        }                                                                                                              \
    }

#define ADD(a, b) ((a) + (b))
#define MULTIPLY(a, b) ((a) * (b))
#define ADD_SQUARE(a, b) ((a) + (b) * (b))

RUN_INTEGER(add_i8, i8, int32_t, i, 0, ADD)
RUN_INTEGER(add_i16, i16, int32_t, i, 0, ADD)
RUN_INTEGER(add_i32, i32, int64_t, i, 0, ADD)
RUN_INTEGER(add_i64, i64, uint64_t, u, 0, ADD)
RUN_INTEGER(add_u8, u8, uint32_t, u, 0, ADD)
RUN_INTEGER(add_u16, u16, uint32_t, u, 0, ADD)
RUN_INTEGER(add_u32, u32, uint64_t, u, 0, ADD)
RUN_INTEGER(add_u64, u64, uint64_t, u, 0, ADD)

RUN_INTEGER(multiply_i8, i8, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_i16, i16, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_i32, i32, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_i64, i64, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_u8, u8, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_u16, u16, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_u32, u32, uint64_t, u, 1, MULTIPLY)
RUN_INTEGER(multiply_u64, u64, uint64_t, u, 1, MULTIPLY)

// The halves of 64 bits apart: 2^12 of them fit.
#define RUN_WIDE(NAME, TYPE, HALF)                                                                                     \
    static void NAME(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {           \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            HALF upper = 0, lower = 0;                                                                                 \
            for (size_t k = 0; k < n; k++) {                                                                           \
                upper += x[k] >> 32;                                                                                   \
                lower += x[k] & 0xffffffff;                                                                            \
            }                                                                                                          \
            results[r].wide = (__int128)upper * ((int64_t)1 << 32) + lower;                                            \
        }                                                                                                              \
    }

RUN_WIDE(wide_i64, i64, int64_t)
RUN_WIDE(wide_u64, u64, uint64_t)

// Floats, in lanes that begin with START, which changes nothing. What is left behind the last full row of lanes is
// filled up with START: where enough runs follow at once, by loading what lies behind it and masking that, else by a
// copy.
#define RUN_FLOAT(NAME, TYPE, NUMBER, INTEGER, MEMBER, START, STEP, JOIN)                                              \
    static void NAME(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {           \
        enum { LANES = LANE_BYTES / sizeof(NUMBER), PER_VECTOR = VEC / sizeof(NUMBER) };                               \
        typedef NUMBER vector __attribute__((vector_size(VEC)));                                                       \
        typedef INTEGER mask __attribute__((vector_size(VEC)));                                                        \
        typedef NUMBER few __attribute__((vector_size(16)));                                                           \
        const size_t rest = n % LANES, rows = n / LANES;                                                               \
        const bool is_dense = pitch == (ptrdiff_t)(n * sizeof(NUMBER));                                                \
        NUMBER start[LANES];                                                                                           \
        INTEGER has_term[LANES];                                                                                       \
        vector starts[VECTORS];                                                                                        \
        mask masks[VECTORS];                                                                                           \
        for (size_t l = 0; l < LANES; l++) {                                                                           \
            start[l] = START;                                                                                          \
            has_term[l] = l < rest ? -1 : 0;                                                                           \
        }                                                                                                              \
        memcpy(starts, start, sizeof starts);                                                                          \
        memcpy(masks, has_term, sizeof masks);                                                                         \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            NUMBER lane[16 / sizeof(NUMBER)], padded[LANES];                                                           \
            few some[VEC / 16];                                                                                        \
            vector sum[VECTORS];                                                                                       \
            memcpy(sum, starts, sizeof sum);                                                                           \
            for (size_t k = 0; k < rows; k++, x += LANES)                                                              \
                UNROLL for (int v = 0; v < VECTORS; v++) {                                                             \
                    vector loaded;                                                                                     \
                    memcpy(&loaded, x + v * PER_VECTOR, sizeof loaded);                                                \
                    sum[v] = STEP(sum[v], loaded);                                                                     \
                }                                                                                                      \
            if (rest) {                                                                                                \
                const void *from = x;                                                                                  \
                if (!is_dense || (n_runs - 1 - r) * n < LANES) {                                                       \
                    memcpy(padded, start, sizeof padded);                                                              \
                    for (size_t l = 0; l < rest; l++) padded[l] = x[l];                                                \
                    from = padded;                                                                                     \
                }                                                                                                      \
                UNROLL for (int v = 0; v < VECTORS; v++) {                                                             \
                    mask bits, others;                                                                                 \
                    vector loaded;                                                                                     \
                    memcpy(&bits, (const char *)from + v * VEC, sizeof bits);                                          \
                    memcpy(&others, &starts[v], sizeof others);                                                        \
                    bits = (bits & masks[v]) | (others & ~masks[v]);                                                   \
                    memcpy(&loaded, &bits, sizeof loaded);                                                             \
                    sum[v] = STEP(sum[v], loaded);                                                                     \
                }                                                                                                      \
            }                                                                                                          \
            UNROLL for (int width = VECTORS / 2; width; width /= 2)                                                    \
                UNROLL for (int v = 0; v < width; v++) sum[v] = JOIN(sum[v], sum[v + width]);                          \
            memcpy(some, sum, VEC);                                                                                    \
            UNROLL for (int width = VEC / 32; width; width /= 2)                                                       \
                UNROLL for (int q = 0; q < width; q++) some[q] = JOIN(some[q], some[q + width]);                       \
            memcpy(lane, some, 16);                                                                                    \
            UNROLL for (int width = 8 / sizeof(NUMBER); width; width /= 2)                                             \
                UNROLL for (int l = 0; l < width; l++) lane[l] = JOIN(lane[l], lane[l + width]);                       \
            results[r].MEMBER = lane[0];                                                                               \
        }                                                                                                              \
    }

RUN_FLOAT(add_f32, f32, float, int32_t, f, -0.0f, ADD, ADD)
RUN_FLOAT(add_f64, f64, double, int64_t, d, -0.0, ADD, ADD)
RUN_FLOAT(multiply_f32, f32, float, int32_t, f, 1, MULTIPLY, MULTIPLY)
RUN_FLOAT(multiply_f64, f64, double, int64_t, d, 1, MULTIPLY, MULTIPLY)
RUN_FLOAT(squares_f32, f32, float, int32_t, f, 0, ADD_SQUARE, ADD)
RUN_FLOAT(squares_f64, f64, double, int64_t, d, 0, ADD_SQUARE, ADD)

#define SQUARES_OF_INTEGERS(NAME, TYPE)                                                                                \
    static void NAME(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {           \
        double numbers[HW_FOLD_BLOCK];                                                                                 \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            for (size_t k = 0; k < n; k++) numbers[k] = (double)x[k];                                                  \
            squares_f64(numbers, 0, 1, n, &results[r]);                                                                \
        }                                                                                                              \
    }
SQUARES_OF_INTEGERS(squares_i8, i8)
SQUARES_OF_INTEGERS(squares_i16, i16)
SQUARES_OF_INTEGERS(squares_i32, i32)
SQUARES_OF_INTEGERS(squares_i64, i64)
SQUARES_OF_INTEGERS(squares_u8, u8)
SQUARES_OF_INTEGERS(squares_u16, u16)
SQUARES_OF_INTEGERS(squares_u32, u32)
SQUARES_OF_INTEGERS(squares_u64, u64)

// ---- Runs: counts and variances -------------------------------------------------------------------------------------

#define RUN_COUNT(TYPE)                                                                                                \
    static void count_##TYPE(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {   \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            uint32_t count = 0;                                                                                        \
            for (size_t k = 0; k < n; k++) count += x[k] != 0;                                                         \
            results[r].u = count;                                                                                      \
        }                                                                                                              \
    }

// The sum, then the distances from what it says is the mean, whose own sum sets the mean and the squares right.
#define RUN_SPREAD(TYPE)                                                                                               \
    static void spread_##TYPE(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {  \
        double numbers[HW_FOLD_BLOCK];                                                                                 \
        hw_fold_number sum, squares;                                                                                   \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            for (size_t k = 0; k < n; k++) numbers[k] = (double)x[k];                                                  \
            add_f64(numbers, 0, 1, n, &sum);                                                                           \
            const double mean = sum.d / (double)n;                                                                     \
            for (size_t k = 0; k < n; k++) numbers[k] -= mean;                                                         \
            add_f64(numbers, 0, 1, n, &sum);                                                                           \
            squares_f64(numbers, 0, 1, n, &squares);                                                                   \
            const double step = sum.d / (double)n, rest = squares.d - step * sum.d;                                    \
            results[r].spread.mean = mean + step;                                                                      \
            results[r].spread.squares = rest < 0 ? 0 : rest;                                                           \
        }                                                                                                              \
    }

#define RUN_COUNT_AND_SPREAD(TYPE) RUN_COUNT(TYPE) RUN_SPREAD(TYPE)
RUN_COUNT_AND_SPREAD(i8)
RUN_COUNT_AND_SPREAD(i16)
RUN_COUNT_AND_SPREAD(i32)
RUN_COUNT_AND_SPREAD(i64)
RUN_COUNT_AND_SPREAD(u8)
RUN_COUNT_AND_SPREAD(u16)
RUN_COUNT_AND_SPREAD(u32)
RUN_COUNT_AND_SPREAD(u64)
RUN_COUNT_AND_SPREAD(f32)
RUN_COUNT_AND_SPREAD(f64)

// ---- Runs: the least and the most -----------------------------------------------------------------------------------

#define LESS(a, b) ((b) < (a) ? (b) : (a))
#define MORE(a, b) ((b) > (a) ? (b) : (a))

#define RUN_CHOICE(TYPE, NUMBER, MEMBER)                                                                               \
    static void least_##TYPE(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {   \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            NUMBER best = x[0];                                                                                        \
            for (size_t k = 0; k < n; k++) best = LESS(best, x[k]);                                                    \
            results[r].MEMBER = best;                                                                                  \
        }                                                                                                              \
    }                                                                                                                  \
    static void most_##TYPE(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {    \
        EACH_RUN {                                                                                                     \
            const TYPE *x = terms;                                                                                     \
            NUMBER best = x[0];                                                                                        \
            for (size_t k = 0; k < n; k++) best = MORE(best, x[k]);                                                    \
            results[r].MEMBER = best;                                                                                  \
        }                                                                                                              \
    }
RUN_CHOICE(i8, int8_t, i)
RUN_CHOICE(i16, int16_t, i)
RUN_CHOICE(i32, int32_t, i)
RUN_CHOICE(i64, int64_t, i)
RUN_CHOICE(u8, uint8_t, u)
RUN_CHOICE(u16, uint16_t, u)
RUN_CHOICE(u32, uint32_t, u)
RUN_CHOICE(u64, uint64_t, u)

// Floats by their bits, which as integers have the same order when those of negative ones are turned round; and whether
// one is a NaN, by the largest bits without signs.
#define RUN_FLOAT_CHOICE(NAME, NUMBER, BITS, MEMBER, SIZE_MASK, INFINITE, BETTER)                                      \
    static void NAME(const void *terms, ptrdiff_t pitch, size_t n_runs, size_t n, hw_fold_number *results) {           \
        EACH_RUN {                                                                                                     \
            const BITS *x = terms;                                                                                     \
            BITS best = x[0] ^ ((x[0] >> (8 * sizeof(BITS) - 1)) & SIZE_MASK), size = 0;                               \
            for (size_t k = 0; k < n; k++) {                                                                           \
                const BITS ordered = x[k] ^ ((x[k] >> (8 * sizeof(BITS) - 1)) & SIZE_MASK);                            \
                best = BETTER(best, ordered);                                                                          \
                size = MORE(size, (x[k] & SIZE_MASK));                                                                 \
            }                                                                                                          \
            best ^= (best >> (8 * sizeof(BITS) - 1)) & SIZE_MASK;                                                      \
            NUMBER value;                                                                                              \
            memcpy(&value, &best, sizeof value);                                                                       \
            results[r].MEMBER = size > INFINITE ? (NUMBER)NAN : value;                                                 \
        }                                                                                                              \
    }
RUN_FLOAT_CHOICE(least_f32, float, i32, f, 0x7fffffff, 0x7f800000, LESS)
RUN_FLOAT_CHOICE(most_f32, float, i32, f, 0x7fffffff, 0x7f800000, MORE)
RUN_FLOAT_CHOICE(least_f64, double, i64, d, 0x7fffffffffffffff, 0x7ff0000000000000, LESS)
RUN_FLOAT_CHOICE(most_f64, double, i64, d, 0x7fffffffffffffff, 0x7ff0000000000000, MORE)

// By strips: whether a strip has it, then where.
#define FIND(TYPE, MEMBER, IS_IT)                                                                                      \
    static size_t find_##TYPE(const void *terms, size_t n, const hw_fold_number *value) {                              \
        enum { STRIP = 256 / sizeof(TYPE) };                                                                           \
        const TYPE *x = terms;                                                                                         \
        size_t k = 0;                                                                                                  \
        for (; k + STRIP <= n; k += STRIP) {                                                                           \
            int any = 0;                                                                                               \
            for (size_t i = 0; i < STRIP; i++) any |= IS_IT(x[k + i], value->MEMBER);                                  \
            if (any) break;                                                                                            \
        }                                                                                                              \
        while (k < n && !(IS_IT(x[k], value->MEMBER))) k++;                                                            \
        return k;                                                                                                      \
    }
#define IS(a, b) ((uint64_t)(a) == (b))
#define IS_SIGNED(a, b) ((a) == (b))
#define IS_NUMBER(a, b) (((a) == (b)) | (((a) != (a)) & ((b) != (b))))
FIND(i8, i, IS_SIGNED)
FIND(i16, i, IS_SIGNED)
FIND(i32, i, IS_SIGNED)
FIND(i64, i, IS_SIGNED)
FIND(u8, u, IS)
FIND(u16, u, IS)
FIND(u32, u, IS)
FIND(u64, u, IS)
FIND(f32, f, IS_NUMBER)
FIND(f64, d, IS_NUMBER)

// ---- Columns --------------------------------------------------------------------------------------------------------

// Four rows at a time, so that sums are loaded and stored once for four terms.
#define COLUMNS(NAME, TYPE, SUM, STEP)                                                                                 \
    static void NAME(void *sums, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n) {                         \
        SUM *restrict s = sums;                                                                                        \
        for (; n_rows >= 4; n_rows -= 4, rows += 4 * pitch) {                                                          \
            const TYPE *restrict r0 = (const TYPE *)rows, *restrict r1 = (const TYPE *)(rows + pitch);                 \
            const TYPE *restrict r2 = (const TYPE *)(rows + 2 * pitch);                                                \
            const TYPE *restrict r3 = (const TYPE *)(rows + 3 * pitch);                                                \
            for (size_t c = 0; c < n; c++) {                                                                           \
                SUM sum = s[c];                                                                                        \
                sum = STEP(sum, (SUM)r0[c]);                                                                           \
                sum = STEP(sum, (SUM)r1[c]);                                                                           \
                sum = STEP(sum, (SUM)r2[c]);                                                                           \
                s[c] = STEP(sum, (SUM)r3[c]);                                                                          \
            }                                                                                                          \
        }                                                                                                              \
        for (; n_rows; n_rows--, rows += pitch) {                                                                      \
            const TYPE *restrict r = (const TYPE *)rows;                                                               \
            for (size_t c = 0; c < n; c++) s[c] = STEP(s[c], (SUM)r[c]);                                               \
        }                                                                                                              \
    }

// A NaN is taken by a number, and stays. Equal numbers that are not the same are the two zeros.
#define CHOICE_OF_FLOATS(TYPE, NUMBER, BITS)                                                                           \
    INLINE BITS sign_of_##TYPE(NUMBER x) {                                                                             \
        BITS bits;                                                                                                     \
        memcpy(&bits, &x, sizeof bits);                                                                                \
        return bits < 0;                                                                                               \
    }                                                                                                                  \
    INLINE NUMBER less_##TYPE(NUMBER a, NUMBER b) {                                                                    \
        return (b < a) | (b != b) | ((b == a) & sign_of_##TYPE(b)) ? b : a;                                            \
    }                                                                                                                  \
    INLINE NUMBER more_##TYPE(NUMBER a, NUMBER b) {                                                                    \
        return (b > a) | (b != b) | ((b == a) & !sign_of_##TYPE(b)) ? b : a;                                           \
    }
CHOICE_OF_FLOATS(f32, float, int32_t)
CHOICE_OF_FLOATS(f64, double, int64_t)

#define COLUMNS_OF_INTEGERS(TYPE, NUMBER)                                                                              \
    COLUMNS(columns_add_##TYPE, TYPE, uint64_t, ADD)                                                                   \
    COLUMNS(columns_multiply_##TYPE, TYPE, uint64_t, MULTIPLY)                                                         \
    COLUMNS(columns_squares_##TYPE, TYPE, double, ADD_SQUARE)                                                          \
    COLUMNS(columns_least_##TYPE, TYPE, NUMBER, LESS)                                                                  \
    COLUMNS(columns_most_##TYPE, TYPE, NUMBER, MORE)
#define COLUMNS_OF_FLOATS(TYPE, NUMBER)                                                                                \
    COLUMNS(columns_add_##TYPE, TYPE, NUMBER, ADD)                                                                     \
    COLUMNS(columns_multiply_##TYPE, TYPE, NUMBER, MULTIPLY)                                                           \
    COLUMNS(columns_squares_##TYPE, TYPE, NUMBER, ADD_SQUARE)                                                          \
    COLUMNS(columns_least_##TYPE, TYPE, NUMBER, less_##TYPE)                                                           \
    COLUMNS(columns_most_##TYPE, TYPE, NUMBER, more_##TYPE)
COLUMNS_OF_INTEGERS(i8, int8_t)
COLUMNS_OF_INTEGERS(i16, int16_t)
COLUMNS_OF_INTEGERS(i32, int32_t)
COLUMNS_OF_INTEGERS(i64, int64_t)
COLUMNS_OF_INTEGERS(u8, uint8_t)
COLUMNS_OF_INTEGERS(u16, uint16_t)
COLUMNS_OF_INTEGERS(u32, uint32_t)
COLUMNS_OF_INTEGERS(u64, uint64_t)
COLUMNS_OF_FLOATS(f32, float)
COLUMNS_OF_FLOATS(f64, double)

#define COLUMNS_COUNT(TYPE)                                                                                            \
    static void columns_count_##TYPE(void *sums, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n) {         \
        uint64_t *restrict s = sums;                                                                                   \
        for (; n_rows; n_rows--, rows += pitch) {                                                                      \
            const TYPE *restrict r = (const TYPE *)rows;                                                               \
            for (size_t c = 0; c < n; c++) s[c] += r[c] != 0;                                                          \
        }                                                                                                              \
    }

#define COLUMNS_SPREAD(TYPE)                                                                                           \
    static void columns_spread_##TYPE(double *means, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n,       \
                                      uint64_t n_before) {                                                             \
        double *restrict mean = means, *restrict squares = means + HW_FOLD_WIDTH;                                      \
        for (; n_rows; n_rows--, rows += pitch) {                                                                      \
            const TYPE *restrict r = (const TYPE *)rows;                                                               \
            const double share = 1 / (double)++n_before;                                                               \
            for (size_t c = 0; c < n; c++) {                                                                           \
                const double x = (double)r[c], apart = x - mean[c];                                                    \
                mean[c] += apart * share;                                                                              \
                squares[c] += apart * (x - mean[c]);                                                                   \
            }                                                                                                          \
        }                                                                                                              \
    }

#define COLUMNS_COUNT_AND_SPREAD(TYPE) COLUMNS_COUNT(TYPE) COLUMNS_SPREAD(TYPE)
COLUMNS_COUNT_AND_SPREAD(i8)
COLUMNS_COUNT_AND_SPREAD(i16)
COLUMNS_COUNT_AND_SPREAD(i32)
COLUMNS_COUNT_AND_SPREAD(i64)
COLUMNS_COUNT_AND_SPREAD(u8)
COLUMNS_COUNT_AND_SPREAD(u16)
COLUMNS_COUNT_AND_SPREAD(u32)
COLUMNS_COUNT_AND_SPREAD(u64)
COLUMNS_COUNT_AND_SPREAD(f32)
COLUMNS_COUNT_AND_SPREAD(f64)

#define COLUMNS_WIDE(TYPE)                                                                                             \
    static void columns_wide_##TYPE(void *sums, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n) {          \
        uint64_t *restrict lower = sums, *restrict upper = lower + HW_FOLD_WIDTH;                                      \
        for (; n_rows; n_rows--, rows += pitch) {                                                                      \
            const TYPE *restrict r = (const TYPE *)rows;                                                               \
            for (size_t c = 0; c < n; c++) {                                                                           \
                lower[c] += r[c] & 0xffffffff;                                                                         \
                upper[c] += (uint64_t)(r[c] >> 32);                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
COLUMNS_WIDE(i64)
COLUMNS_WIDE(u64)

#define COLUMNS_AT(NAME, TYPE, NUMBER, BETTER)                                                                         \
    static void NAME(void *best, uint32_t *row, const char *rows, ptrdiff_t pitch, size_t n_rows, size_t n,            \
                     uint32_t first_row) {                                                                             \
        NUMBER *restrict b = best;                                                                                     \
        uint32_t *restrict at = row;                                                                                   \
        for (; n_rows; n_rows--, rows += pitch, first_row++) {                                                         \
            const TYPE *restrict r = (const TYPE *)rows;                                                               \
            for (size_t c = 0; c < n; c++) {                                                                           \
                const NUMBER x = r[c], old = b[c];                                                                     \
                const int better = BETTER(x, old);                                                                     \
                b[c] = better ? x : old;                                                                               \
                at[c] = better ? first_row : at[c];                                                                    \
            }                                                                                                          \
        }                                                                                                              \
    }
#define IS_LESS(x, old) ((x) < (old))
#define IS_MORE(x, old) ((x) > (old))
#define IS_LESS_NUMBER(x, old) (((x) < (old)) | (((x) != (x)) & ((old) == (old))))
#define IS_MORE_NUMBER(x, old) (((x) > (old)) | (((x) != (x)) & ((old) == (old))))
#define COLUMNS_AT_OF(TYPE, NUMBER, LESS_, MORE_)                                                                      \
    COLUMNS_AT(columns_least_at_##TYPE, TYPE, NUMBER, LESS_)                                                           \
    COLUMNS_AT(columns_most_at_##TYPE, TYPE, NUMBER, MORE_)
COLUMNS_AT_OF(i8, int8_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(i16, int16_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(i32, int32_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(i64, int64_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(u8, uint8_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(u16, uint16_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(u32, uint32_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(u64, uint64_t, IS_LESS, IS_MORE)
COLUMNS_AT_OF(f32, float, IS_LESS_NUMBER, IS_MORE_NUMBER)
COLUMNS_AT_OF(f64, double, IS_LESS_NUMBER, IS_MORE_NUMBER)

// ---- 16-bit floats --------------------------------------------------------------------------------------------------

// The exponent is moved to where f32 has it and set right by a multiplication, which normalises subnormal numbers as
// well; that of infinities and NaNs is all ones.
INLINE float float_of_half(uint16_t half) {
    const uint32_t size = (uint32_t)(half & 0x7fff) << 13;
    float value;
    memcpy(&value, &size, sizeof value);
    value *= 0x1p112f;
    uint32_t bits;
    memcpy(&bits, &value, sizeof bits);
    bits |= (size >= 0x0f800000 ? 0x7f800000 : 0) | (uint32_t)(half & 0x8000) << 16;
    memcpy(&value, &bits, sizeof value);
    return value;
}

static void widen_f16(float *to, const uint16_t *from, size_t n) {
    size_t k = 0;
#ifdef WIDEN_F16
    for (; k + WIDEN_F16_TERMS <= n; k += WIDEN_F16_TERMS) WIDEN_F16(to + k, from + k);
#endif
    const u16 *x = (const u16 *)from;
    for (; k < n; k++) to[k] = float_of_half(x[k]);
}

static void widen_bf16(float *to, const uint16_t *from, size_t n) {
    const u16 *x = (const u16 *)from;
    u32 *bits = (u32 *)to;
    for (size_t k = 0; k < n; k++) bits[k] = (uint32_t)x[k] << 16;
}

// ---- Exact sums -----------------------------------------------------------------------------------------------------

INLINE double power_of_two(int exponent) {
    const uint64_t bits = (uint64_t)(exponent + 1023) << 52;
    double value;
    memcpy(&value, &bits, sizeof value);
    return value;
}

// A vector of f64 from as many f64 or f32.
INLINE vector_f64 load_f64(const void *from) {
    vector_f64 v;
    memcpy(&v, from, sizeof v);
    return v;
}

INLINE vector_f64 load_f32(const void *from) {
#ifdef WIDEN_F32
    return (vector_f64)WIDEN_F32(from);
#else
    narrow_f32 v;
    memcpy(&v, from, sizeof v);
    return __builtin_convertvector(v, vector_f64);
#endif
}

// Two accumulators that begin at 1.5 times a power of two far above the terms, so that their lowest bits count the same
// all the time. A term is rounded to the first one's, what that leaves (exactly, by Dekker's fast two-sum) to the
// second one's; if nothing is left over then, nothing was lost. 2^12 terms below 2^top sum up to half of the first
// power at most.
// Source: Demmel and Hida, "Fast and accurate floating point summation" (2003); Rump, Ogita and Oishi, "Accurate
// floating-point summation" (2008).
#define EXACT(NAME, TYPE, BITS, LOAD, SIZE_MASK, INFINITE, FRACTION_BITS, BIAS)                                        \
    static bool NAME(const TYPE *terms, size_t n, double result[2], bool *all_minus_zero) {                            \
        enum { PER_VECTOR = VEC / sizeof(double), STEP = 2 * PER_VECTOR };                                             \
        const BITS *bits = (const BITS *)terms;                                                                        \
        BITS size = 0, differs = 0;                                                                                    \
        for (size_t k = 0; k < n; k++) {                                                                               \
            size = MORE(size, (bits[k] & SIZE_MASK));                                                                  \
            differs |= bits[k] ^ ~SIZE_MASK;                                                                           \
        }                                                                                                              \
        *all_minus_zero = !differs;                                                                                    \
        result[0] = result[1] = 0;                                                                                     \
        if (!size) return true;                                                                                        \
        if (size >= INFINITE) return false;                                                                            \
        int exponent = (int)(size >> FRACTION_BITS);                                                                   \
        const int top = (exponent ? exponent : 1) - BIAS + 1;                                                          \
        const int first = top + 13 > -981 ? top + 13 : -981, second = first - 40;                                      \
        if (first > 1022) return false;                                                                                \
        const double high = 1.5 * power_of_two(first), low = 1.5 * power_of_two(second);                               \
        vector_f64 upper[2], lower[2];                                                                                 \
        vector_i64 left = {0};                                                                                         \
        for (int l = 0; l < 2; l++)                                                                                    \
            for (int i = 0; i < PER_VECTOR; i++) upper[l][i] = high, lower[l][i] = low;                                \
        TYPE padded[STEP] = {0};                                                                                       \
        for (size_t k = 0; k < n; k += STEP) {                                                                         \
            const void *from = terms + k;                                                                              \
            if (n - k < STEP) from = memcpy(padded, terms + k, (n - k) * sizeof(TYPE));                                \
            UNROLL for (int l = 0; l < 2; l++) {                                                                       \
                const vector_f64 x = LOAD((const TYPE *)from + l * PER_VECTOR);                                        \
                const vector_f64 sum = upper[l] + x, rest = x - (sum - upper[l]);                                      \
                const vector_f64 sum_of_rests = lower[l] + rest, last = rest - (sum_of_rests - lower[l]);              \
                upper[l] = sum;                                                                                        \
                lower[l] = sum_of_rests;                                                                               \
                left |= (vector_i64)last;                                                                              \
            }                                                                                                          \
        }                                                                                                              \
        int64_t any = 0;                                                                                               \
        for (int i = 0; i < PER_VECTOR; i++) {                                                                         \
            any |= left[i];                                                                                            \
            for (int l = 0; l < 2; l++) {                                                                              \
                result[0] += upper[l][i] - high;                                                                       \
                result[1] += lower[l][i] - low;                                                                        \
            }                                                                                                          \
        }                                                                                                              \
        return !any;                                                                                                   \
    }
EXACT(exact_f32, float, i32, load_f32, 0x7fffffff, 0x7f800000, 23, 127)
EXACT(exact_f64, double, i64, load_f64, 0x7fffffffffffffff, 0x7ff0000000000000, 52, 1023)

// ---- The table ------------------------------------------------------------------------------------------------------

#define EACH_TYPE(OF)                                                                                                  \
    {OF(i8), OF(i16), OF(i32), OF(i64), OF(u8), OF(u16), OF(u32), OF(u64), OF(f32), OF(f64)}
#define RUN_ADD(TYPE) add_##TYPE
#define RUN_MULTIPLY(TYPE) multiply_##TYPE
#define RUN_LEAST(TYPE) least_##TYPE
#define RUN_MOST(TYPE) most_##TYPE
#define RUN_SQUARES(TYPE) squares_##TYPE
#define RUN_COUNTED(TYPE) count_##TYPE
#define RUN_SPREADS(TYPE) spread_##TYPE
#define FIND_FIRST(TYPE) find_##TYPE
#define COLUMNS_ADD(TYPE) columns_add_##TYPE
#define COLUMNS_MULTIPLY(TYPE) columns_multiply_##TYPE
#define COLUMNS_LEAST(TYPE) columns_least_##TYPE
#define COLUMNS_MOST(TYPE) columns_most_##TYPE
#define COLUMNS_SQUARES(TYPE) columns_squares_##TYPE
#define COLUMNS_COUNTED(TYPE) columns_count_##TYPE
#define COLUMNS_SPREADS(TYPE) columns_spread_##TYPE
#define COLUMNS_LEAST_AT(TYPE) columns_least_at_##TYPE
#define COLUMNS_MOST_AT(TYPE) columns_most_at_##TYPE

const hw_fold_level LEVEL = {
    .name = LEVEL_NAME,
    .run = {EACH_TYPE(RUN_ADD), EACH_TYPE(RUN_MULTIPLY), EACH_TYPE(RUN_LEAST), EACH_TYPE(RUN_MOST),
            EACH_TYPE(RUN_SQUARES), {[HW_FOLD_I64] = wide_i64, [HW_FOLD_U64] = wide_u64}, EACH_TYPE(RUN_COUNTED),
            EACH_TYPE(RUN_SPREADS)},
    .find = EACH_TYPE(FIND_FIRST),
    .columns = {EACH_TYPE(COLUMNS_ADD), EACH_TYPE(COLUMNS_MULTIPLY), EACH_TYPE(COLUMNS_LEAST),
                EACH_TYPE(COLUMNS_MOST), EACH_TYPE(COLUMNS_SQUARES),
                {[HW_FOLD_I64] = columns_wide_i64, [HW_FOLD_U64] = columns_wide_u64}, EACH_TYPE(COLUMNS_COUNTED)},
    .spread = EACH_TYPE(COLUMNS_SPREADS),
    .least_at = EACH_TYPE(COLUMNS_LEAST_AT),
    .most_at = EACH_TYPE(COLUMNS_MOST_AT),
    .widen_f16 = widen_f16,
    .widen_bf16 = widen_bf16,
    .exact_f32 = exact_f32,
    .exact_f64 = exact_f64,
};
