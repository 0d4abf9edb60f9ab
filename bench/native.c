// Plain C loops on one thread: what the simulated kernels do, done directly. First pass untimed, results checked.
#define _GNU_SOURCE
#include <math.h>
#include <stdlib.h>

#include "base/clock.h"
#include "speed.h"

static double now_ms(void) { return (double)hw_now_ns() / 1e6; }

typedef void (*loop)(float *out, const float *a, const float *b, int n);
typedef bool (*verifier)(const float *out, const float *a, const float *b, int n);

static void transpose_rows(float *restrict out, const float *restrict in, const float *unused, int n) {
    (void)unused;
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++) out[(size_t)col * n + row] = in[(size_t)row * n + col];
}

static void transpose_tile(float *restrict out, const float *restrict in, const float *unused, int n) {
    enum { TILE = 32 };
    (void)unused;
    for (int row0 = 0; row0 < n; row0 += TILE)
        for (int col0 = 0; col0 < n; col0 += TILE)
            for (int row = row0; row < row0 + TILE; row++)
                for (int col = col0; col < col0 + TILE; col++) out[(size_t)col * n + row] = in[(size_t)row * n + col];
}

// By tiles of 16, as the kernel does it.
static void multiply_tiles(float *restrict c, const float *restrict a, const float *restrict b, int n) {
    enum { TILE = 16 };
    for (int row0 = 0; row0 < n; row0 += TILE) {
        for (int col0 = 0; col0 < n; col0 += TILE) {
            float sum[TILE][TILE] = {{0}};
            for (int k = 0; k < n; k++)
                for (int i = 0; i < TILE; i++)
                    for (int j = 0; j < TILE; j++)
                        sum[i][j] += a[(size_t)(row0 + i) * n + k] * b[(size_t)k * n + col0 + j];
            for (int i = 0; i < TILE; i++)
                for (int j = 0; j < TILE; j++) c[(size_t)(row0 + i) * n + col0 + j] = sum[i][j];
        }
    }
}

static bool is_transpose(const float *out, const float *in, const float *unused, int n) {
    (void)unused;
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++)
            if (!(out[(size_t)col * n + row] == in[(size_t)row * n + col])) return false;
    return true;
}

// A few rows, in double: rounding may cost n^2 * 2^-24.
static bool is_product(const float *c, const float *a, const float *b, int n) {
    for (int row = 0; row < n; row += 37) {
        for (int col = 0; col < n; col++) {
            double sum = 0;
            for (int k = 0; k < n; k++) sum += (double)a[(size_t)row * n + k] * b[(size_t)k * n + col];
            if (!(fabs(c[(size_t)row * n + col] - sum) <= (double)n * n / 16777216)) return false;
        }
    }
    return true;
}

static bool measure_loop(loop job, verifier verify, int n, int repetitions, hw_bench_times *times) {
    size_t count = (size_t)n * n;
    float *out = malloc(count * sizeof *out), *a = malloc(count * sizeof *a), *b = malloc(count * sizeof *b);
    bool good = out && a && b;
    unsigned state = 1;
    for (size_t i = 0; good && i < count; i++) {
        state = state * 1664525u + 1013904223u;
        a[i] = (float)(state >> 8) / 16777216;
        b[count - 1 - i] = a[i];
        out[i] = -1;
    }
    for (int i = 0; good && i <= repetitions; i++) {
        double start = now_ms();
        job(out, a, b, n);
        if (i) hw_bench_times_add(times, now_ms() - start);
        if (i == 0) good = verify(out, a, b, n);
    }
    free(out);
    free(a);
    free(b);
    return good;
}

bool native_transpose(int n, int repetitions, hw_bench_times *times) {
    return measure_loop(transpose_rows, is_transpose, n, repetitions, times);
}

bool native_transpose_tile(int n, int repetitions, hw_bench_times *times) {
    return measure_loop(transpose_tile, is_transpose, n, repetitions, times);
}

bool native_matmul(int n, int repetitions, hw_bench_times *times) {
    return measure_loop(multiply_tiles, is_product, n, repetitions, times);
}
