// The kinds of kernels as plain C loops on all processors (OpenMP).
#include <math.h>
#include <string.h>

#include "../../kernels/plain.h"
#include "../../kernels/sizes.h"
#include "problem.h"

// ---- matrices and images --------------------------------------------------------------------------------------------

static void transpose_naive(const problem *p) {
    const int n = p->n;
#pragma omp parallel for
    for (int row = 0; row < n; row++)
        for (int col = 0; col < n; col++) p->out[(size_t)col * n + row] = p->in[(size_t)row * n + col];
}

static void transpose_tile(const problem *p) {
    enum { SIDE = 32 };
    const int n = p->n;
#pragma omp parallel for
    for (int row0 = 0; row0 < n; row0 += SIDE)
        for (int col0 = 0; col0 < n; col0 += SIDE)
            for (int col = col0; col < col0 + SIDE; col++)
                for (int row = row0; row < row0 + SIDE; row++)
                    p->out[(size_t)col * n + row] = p->in[(size_t)row * n + col];
}

// out = a b, by tiles as the kernel does it.
static void multiply(float *restrict out, const float *restrict a, const float *restrict b, int n) {
#pragma omp parallel for
    for (int row0 = 0; row0 < n; row0 += TILE) {
        for (int col0 = 0; col0 < n; col0 += TILE) {
            float sum[TILE][TILE] = {{0}};
            for (int k = 0; k < n; k++)
                for (int i = 0; i < TILE; i++)
                    for (int j = 0; j < TILE; j++)
                        sum[i][j] += a[(size_t)(row0 + i) * n + k] * b[(size_t)k * n + col0 + j];
            for (int i = 0; i < TILE; i++) memcpy(&out[(size_t)(row0 + i) * n + col0], sum[i], sizeof sum[i]);
        }
    }
}

static void matmul_tiled(const problem *p) { multiply(p->out, p->in, p->second, p->n); }

// In f32, which has all products and sums of these halves. `second` is what the loop works on.
static void product_f16(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->elements; i++) p->second[i] = (float)(_Float16)half_of(p->in[i]);
    multiply(p->out, p->second, p->second, p->n);
}

static void mandelbrot(const problem *p) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int at = 0; at < p->elements; at++) {
        double a = 3.0 * (at % p->n) / p->n - 2, b = 2.0 * (at / p->n) / p->n - 1, x = 0, y = 0;
        int steps = 0;
        for (; steps < 100 && x * x + y * y < 4; steps++) {
            double next = x * x - y * y + a;
            y = 2 * x * y + b;
            x = next;
        }
        p->out[at] = (float)steps;
    }
}

static void mandelbrot_f32(const problem *p) {
#pragma omp parallel for schedule(dynamic, 8)
    for (int at = 0; at < p->elements; at++) {
        float a = 3.0f * (float)(at % p->n) / (float)p->n - 2, b = 2.0f * (float)(at / p->n) / (float)p->n - 1;
        float x = 0, y = 0;
        int steps = 0;
        for (; steps < 100 && fmaf(x, x, y * y) < 4; steps++) {
            float next = fmaf(x, x, fmaf(-y, y, a));
            y = fmaf(2 * x, y, b);
            x = next;
        }
        p->out[at] = (float)steps;
    }
}

// Texel `at` of a row or column; those outside are the nearest inside.
static int clamped(int at, int side) { return at < 0 ? 0 : at < side ? at : side - 1; }

// Between the centres of the four texels around.
static float between_texels(const float *in, int side, float x, float y) {
    float left = floorf(x - 0.5f), top = floorf(y - 0.5f), right_share = x - 0.5f - left, low_share = y - 0.5f - top;
    int col = clamped((int)left, side), next_col = clamped((int)left + 1, side);
    const float *row = in + (size_t)clamped((int)top, side) * side;
    const float *next_row = in + (size_t)clamped((int)top + 1, side) * side;
    float upper = row[col] + right_share * (row[next_col] - row[col]);
    float lower = next_row[col] + right_share * (next_row[next_col] - next_row[col]);
    return upper + low_share * (lower - upper);
}

static void texture_linear(const problem *p) {
#pragma omp parallel for
    for (int row = 0; row < p->n; row++)
        for (int col = 0; col < p->n; col++) {
            float sum = 0;
            for (int k = 0; k < TAPS * TAPS; k++)
                sum += between_texels(p->in, p->n, col + 0.25f * (k % TAPS), row + 0.25f * (k / TAPS));
            p->out[(size_t)row * p->n + col] = sum;
        }
}

static void stencil_columns(const problem *p) {
    const size_t n = (size_t)p->n, plane = n * n;
#pragma omp parallel for
    for (size_t z = 1; z < PLANES - 1; z++)
        for (size_t y = 1; y < n - 1; y++) {
            const float *at = p->in + z * plane + y * n;
            float *out = p->out + z * plane + y * n;
            for (size_t x = 1; x < n - 1; x++)
                out[x] = 0.5f * at[x] + 0.1f * (at[x - 1] + at[x + 1] + at[x - n] + at[x + n] + at[x - plane] +
                                                at[x + plane]);
        }
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

static void bodies_shared(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->elements; i += 4) {
        const float *own = p->in + i;
        float force[3] = {0};
        for (int k = 0; k < p->elements; k += 4) {
            const float *other = p->in + k;
            float x = other[0] - own[0], y = other[1] - own[1], z = other[2] - own[2];
            float inverse = 1 / sqrtf(x * x + y * y + z * z + 0.01f), pull = other[3] * inverse * inverse * inverse;
            force[0] += pull * x;
            force[1] += pull * y;
            force[2] += pull * z;
        }
        memcpy(p->out + i, force, sizeof force);
    }
}

static float normal_below(float x) { return 0.5f * erfcf(-x * 0.70710678f); }
static float price(float in) {
    float stock = 5 + 25 * in, strike = 1 + 99 * in, years = 0.25f + 9.75f * in, rate = 0.02f, spread = 0.3f;
    float root = sqrtf(years), a = (logf(stock / strike) + (rate + 0.5f * spread * spread) * years) / (spread * root);
    return stock * normal_below(a) - strike * expf(-rate * years) * normal_below(a - spread * root);
}
static void black_scholes(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->elements; i++) p->out[i] = price(p->in[i]);
}

static void reduce_shuffle(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->elements / 32; i++) {
        float sum = 0;
        for (int k = 0; k < 32; k++) sum += p->in[32 * i + k];
        p->out[i] = sum;
    }
}

static unsigned hash_once(unsigned x) {
    x ^= x >> 16;
    x *= 0x7feb352du;
    x ^= x >> 15;
    x *= 0x846ca68bu;
    return x ^ x >> 16;
}
static void hash(const problem *p) {
#pragma omp parallel for simd
    for (int i = 0; i < p->elements; i++) {
        unsigned x;
        memcpy(&x, &p->in[i], sizeof x);
        for (int k = 0; k < STEPS; k++) x = hash_once(x);
        p->words[i] = x;
    }
}

static void constant(const problem *p) {
#pragma omp parallel for simd
    for (int i = 0; i < p->elements; i++) {
        float sum = 0;
        for (int k = FACTORS; k--;) sum = sum * p->in[i] + p->factors[k];
        p->out[i] = sum;
    }
}

static float rounded(float x) { return (float)(_Float16)x; }
static void half2_chains(const problem *p) {
    enum { CHAINS = 4 };
#pragma omp parallel for
    for (int i = 0; i < p->elements; i++) {
        float chain[2][CHAINS];
        for (int side = 0; side < 2; side++) {
            float first = rounded(side ? -p->in[i] : p->in[i]);
            chain[side][0] = first;
            for (int c = 1; c < CHAINS; c++) chain[side][c] = rounded(first + chain[side][c - 1]);
            for (int k = 0; k < STEPS; k++)
                for (int c = 0; c < CHAINS; c++) chain[side][c] = rounded(chain[side][c] * 0.5f + 0.25f);
            chain[side][0] = rounded(rounded(chain[side][0] + chain[side][1]) +
                                     rounded(chain[side][2] + chain[side][3]));
        }
        p->out[i] = chain[0][0] + chain[1][0];
    }
}

// ---- memory ---------------------------------------------------------------------------------------------------------

static void histogram(const problem *p) {
#pragma omp parallel
    {
        unsigned bins[BINS] = {0};
#pragma omp for
        for (int i = 0; i < p->n * PER_THREAD; i++) bins[p->random[i] % BINS]++;
#pragma omp critical
        for (int i = 0; i < BINS; i++) p->words[i] += bins[i];
    }
}

static void gather_words(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->n; i++) p->out[i] = p->in[p->random[i] & (p->table - 1)];
}

static void sparse_rows(const problem *p) {
#pragma omp parallel for
    for (int row = 0; row < p->n; row++) {
        float sum = 0;
        for (unsigned k = p->rows[row]; k < p->rows[row + 1]; k++)
            sum += p->in[k & (p->table - 1)] * p->in[p->columns[k]];
        p->out[row] = sum;
    }
}

static void breadth_first(const problem *p) {
#pragma omp parallel for
    for (int node = 0; node < p->n; node++) {
        if (p->random[node] % 4) continue;
        for (unsigned k = p->rows[node]; k < p->rows[node + 1]; k++) {
            unsigned next = p->columns[k];
            if (p->random[next] % 4) p->words[next] = 1;
        }
    }
}

static void local_array(const problem *p) {
#pragma omp parallel for
    for (int i = 0; i < p->n; i++) {
        float values[LOCAL], sum = 0;
        unsigned state = (unsigned)i;
        for (int k = 0; k < LOCAL; k++) values[k] = (float)k;
        for (int k = 0; k < STEPS; k++) {
            state = state * 1664525u + 1013904223u;
            values[state >> 27] += (float)k;
        }
        for (int k = 0; k < LOCAL; k++) sum += values[k] * (float)k;
        p->out[i] = sum;
    }
}

static void sort_block(unsigned *words) {
    for (int size = 2; size <= SORTED; size *= 2)
        for (int step = size / 2; step; step /= 2)
            for (int i = 0; i < SORTED / 2; i++) {
                int low = 2 * i - (i & (step - 1)), high = low + step;
                unsigned a = words[low], b = words[high];
                if ((a > b) == !(low & size)) {
                    words[low] = b;
                    words[high] = a;
                }
            }
}
static void bitonic(const problem *p) {
#pragma omp parallel for
    for (int block = 0; block < p->n / SORTED; block++) {
        memcpy(p->words + block * SORTED, p->random + block * SORTED, SORTED * sizeof *p->words);
        sort_block(p->words + block * SORTED);
    }
}

static void few_lanes(const problem *p) {
#pragma omp parallel for schedule(dynamic, 64)
    for (int i = 0; i < p->n; i += 11) {
        unsigned steps = 0;
        if (i % 32 == 31) continue;
        for (unsigned long long value = (unsigned long long)i + 1; value != 1; steps++)
            value = value & 1 ? 3 * value + 1 : value / 2;
        p->words[i] = steps;
    }
}

// ---- the list -------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    void (*loop)(const problem *);
} loops[] = {
    {"transpose_naive", transpose_naive},
    {"transpose_tile", transpose_tile},
    {"matmul_tiled", matmul_tiled},
    {"bodies_shared", bodies_shared},
    {"mandelbrot_f32", mandelbrot_f32},
    {"mandelbrot", mandelbrot},
    {"black_scholes", black_scholes},
    {"reduce_shuffle", reduce_shuffle},
    {"hash", hash},
    {"constant", constant},
    {"stencil_columns", stencil_columns},
    {"bitonic", bitonic},
    {"histogram_shared", histogram},
    {"histogram_global", histogram},
    {"gather_words", gather_words},
    {"sparse_rows", sparse_rows},
    {"breadth_first", breadth_first},
    {"local_array", local_array},
    {"half2_chains", half2_chains},
    {"product_f16", product_f16},
    {"texture_linear", texture_linear},
    {"few_lanes", few_lanes},
};

int main(int argc, char **argv) {
    int launches;
    problem p = problem_of(argc, argv, &launches);
    for (size_t i = 0; i < sizeof loops / sizeof *loops; i++) {
        for (int k = 0; !strcmp(loops[i].name, p.kind->name) && k < launches; k++) {
            moment begun = moment_now();
            loops[i].loop(&p);
            print_launch(begun);
        }
    }
    print_result(&p);
    return 0;
}
