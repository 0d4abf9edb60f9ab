// The kernels of bench/kernels in OpenCL C. All take the same arguments, of which each uses what it needs (problem.h).
#include "sizes.h"

// nvcc unrolls loops of a constant length by itself, the compiler of PoCL does so where it is told: with UNROLLED.
#ifdef UNROLLED
#define UNROLL _Pragma("unroll")
#else
#define UNROLL
#endif

#define PROBLEM \
    int n, int elements, int table, global const float *in, global const float *second, constant float *factors, \
    global const uint *random, global const uint *rows, global const uint *columns, global float *out, \
    global uint *words, read_only image2d_t image

// ---- matrices and images --------------------------------------------------------------------------------------------

kernel void transpose_naive(PROBLEM) {
    int col = get_global_id(0), row = get_global_id(1);
    if (col < n && row < n) out[col * n + row] = in[row * n + col];
}

enum { SIDE = 32, ROWS = 8 };
kernel void transpose_tile(PROBLEM) {
    local float tile[SIDE][SIDE + 1];
    int x = get_local_id(0), y = get_local_id(1);
    int col = get_group_id(0) * SIDE + x, row = get_group_id(1) * SIDE + y;
    UNROLL for (int i = 0; i < SIDE; i += ROWS) tile[y + i][x] = in[(row + i) * n + col];
    barrier(CLK_LOCAL_MEM_FENCE);
    col = get_group_id(1) * SIDE + x;
    row = get_group_id(0) * SIDE + y;
    UNROLL for (int i = 0; i < SIDE; i += ROWS) out[(row + i) * n + col] = tile[x][y + i];
}

kernel void matmul_tiled(PROBLEM) {
    local float a_tile[TILE][TILE], b_tile[TILE][TILE];
    int ty = get_local_id(1), tx = get_local_id(0);
    int row = get_group_id(1) * TILE + ty, col = get_group_id(0) * TILE + tx;
    float sum = 0;
    for (int k = 0; k < n; k += TILE) {
        a_tile[ty][tx] = in[row * n + k + tx];
        b_tile[ty][tx] = second[(k + ty) * n + col];
        barrier(CLK_LOCAL_MEM_FENCE);
        UNROLL for (int i = 0; i < TILE; i++) sum += a_tile[ty][i] * b_tile[i][tx];
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    out[row * n + col] = sum;
}

kernel void mandelbrot(PROBLEM) {
    int col = get_global_id(0), row = get_global_id(1), steps = 0;
    if (row >= n || col >= n) return;
    double a = 3.0 * col / n - 2, b = 2.0 * row / n - 1, x = 0, y = 0;
    for (; steps < 100 && x * x + y * y < 4; steps++) {
        double next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
    }
    out[row * n + col] = steps;
}

kernel void mandelbrot_f32(PROBLEM) {
    int col = get_global_id(0), row = get_global_id(1), steps = 0;
    if (row >= n || col >= n) return;
    float a = 3.0f * col / n - 2, b = 2.0f * row / n - 1, x = 0, y = 0;
    for (; steps < 100 && fma(x, x, y * y) < 4; steps++) {
        float next = fma(x, x, fma(-y, y, a));
        y = fma(2 * x, y, b);
        x = next;
    }
    out[row * n + col] = steps;
}

kernel void texture_linear(PROBLEM) {
    const sampler_t linear = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
    int col = get_global_id(0) % n, row = get_global_id(0) / n;
    float sum = 0;
    UNROLL for (int k = 0; k < TAPS * TAPS; k++)
        sum += read_imagef(image, linear, (float2)(col + 0.25f * (k % TAPS), row + 0.25f * (k / TAPS))).x;
    if (row < n) out[row * n + col] = sum;
}

kernel void stencil_columns(PROBLEM) {
    int x = get_global_id(0), y = get_global_id(1), plane = n * n;
    if (x < 1 || y < 1 || x >= n - 1 || y >= n - 1) return;
    global const float *at = in + y * n + x;
    float below = at[0], here = at[plane];
    for (int z = 1; z < PLANES - 1; z++) {
        float above = at[(z + 1) * plane];
        global const float *c = at + z * plane;
        out[z * plane + y * n + x] = 0.5f * here + 0.1f * (c[-1] + c[1] + c[-n] + c[n] + below + above);
        below = here;
        here = above;
    }
}

// ---- arithmetic -----------------------------------------------------------------------------------------------------

kernel void bodies_shared(PROBLEM) {
    local float4 tile[BLOCK];
    int i = get_global_id(0), lane = get_local_id(0);
    float4 own = vload4(i, in), force = 0;
    for (int first = 0; first < elements / 4; first += BLOCK) {
        tile[lane] = vload4(first + lane, in);
        barrier(CLK_LOCAL_MEM_FENCE);
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
            float inverse = rsqrt(x * x + y * y + z * z + 0.01f), pull = other.w * inverse * inverse * inverse;
            force.x += pull * x;
            force.y += pull * y;
            force.z += pull * z;
        }
        barrier(CLK_LOCAL_MEM_FENCE);
    }
    vstore4(force, i, out);
}

float normal_below(float x) { return 0.5f * erfc(-x * 0.70710678f); }
kernel void black_scholes(PROBLEM) {
    int i = get_global_id(0);
    if (i >= elements) return;
    float stock = 5 + 25 * in[i], strike = 1 + 99 * in[i], years = 0.25f + 9.75f * in[i], rate = 0.02f, spread = 0.3f;
    float root = sqrt(years), a = (log(stock / strike) + (rate + 0.5f * spread * spread) * years) / (spread * root);
    out[i] = stock * normal_below(a) - strike * exp(-rate * years) * normal_below(a - spread * root);
}

// By local memory: PoCL has no shuffles.
kernel void reduce_shuffle(PROBLEM) {
    local float sums[BLOCK];
    int i = get_global_id(0), at = get_local_id(0);
    sums[at] = i < elements ? in[i] : 0;
    for (int step = 16; step; step /= 2) {
        barrier(CLK_LOCAL_MEM_FENCE);
        if (at % 32 < step) sums[at] += sums[at + step];
    }
    if (at % 32 == 0) out[i / 32] = sums[at];
}

kernel void hash(PROBLEM) {
    int i = get_global_id(0);
    uint x = i < elements ? as_uint(in[i]) : 0;
    UNROLL for (int k = 0; k < STEPS; k++) {
        x ^= x >> 16;
        x *= 0x7feb352du;
        x ^= x >> 15;
        x *= 0x846ca68bu;
        x ^= x >> 16;
    }
    if (i < elements) words[i] = x;
}

kernel void constant_factors(PROBLEM) {
    int i = get_global_id(0);
    float x = i < elements ? in[i] : 0, sum = 0;
    UNROLL for (int k = FACTORS; k--;) sum = sum * x + factors[k];
    if (i < elements) out[i] = sum;
}

// PoCL has no arithmetic of halves on processors: each result is rounded to one in memory.
float2 rounded(float2 x) {
    ushort memory[2];
    vstore_half2(x, 0, (half *)memory);
    return vload_half2(0, (half *)memory);
}
kernel void half2_chains(PROBLEM) {
    int i = get_global_id(0);
    if (i >= elements) return;
    float2 a = rounded((float2)(in[i], -in[i])), b = rounded(a + a), c = rounded(a + b), d = rounded(a + c);
    UNROLL for (int k = 0; k < STEPS; k++) {
        a = rounded(a * 0.5f + 0.25f);
        b = rounded(b * 0.5f + 0.25f);
        c = rounded(c * 0.5f + 0.25f);
        d = rounded(d * 0.5f + 0.25f);
    }
    float2 sum = rounded(rounded(a + b) + rounded(c + d));
    out[i] = sum.x + sum.y;
}

// ---- memory ---------------------------------------------------------------------------------------------------------

kernel void histogram_shared(PROBLEM) {
    local uint bins[BINS];
    bins[get_local_id(0)] = 0;
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = get_global_id(0); i < n * PER_THREAD; i += n) atomic_inc(&bins[random[i] % BINS]);
    barrier(CLK_LOCAL_MEM_FENCE);
    atomic_add(&words[get_local_id(0)], bins[get_local_id(0)]);
}

kernel void histogram_global(PROBLEM) {
    for (int i = get_global_id(0); i < n * PER_THREAD; i += n) atomic_inc(&words[random[i] % BINS]);
}

kernel void gather_words(PROBLEM) {
    int i = get_global_id(0);
    if (i < n) out[i] = in[random[i] & (table - 1)];
}

kernel void sparse_rows(PROBLEM) {
    int row = get_global_id(0);
    if (row >= n) return;
    float sum = 0;
    for (uint k = rows[row]; k < rows[row + 1]; k++) sum += in[k & (table - 1)] * in[columns[k]];
    out[row] = sum;
}

kernel void breadth_first(PROBLEM) {
    int node = get_global_id(0);
    if (node >= n || random[node] % 4) return;
    for (uint k = rows[node]; k < rows[node + 1]; k++) {
        uint next = columns[k];
        if (random[next] % 4) words[next] = 1;
    }
}

kernel void local_array(PROBLEM) {
    float values[LOCAL], sum = 0;
    uint state = get_global_id(0);
    UNROLL for (int k = 0; k < LOCAL; k++) values[k] = k;
    UNROLL for (int k = 0; k < STEPS; k++) {
        state = state * 1664525u + 1013904223u;
        values[state >> 27] += k;
    }
    UNROLL for (int k = 0; k < LOCAL; k++) sum += values[k] * k;
    if (get_global_id(0) < n) out[get_global_id(0)] = sum;
}

kernel void bitonic(PROBLEM) {
    local uint sorted[SORTED];
    int lane = get_local_id(0), first = get_group_id(0) * SORTED;
    for (int i = lane; i < SORTED; i += BLOCK) sorted[i] = random[first + i];
    for (int size = 2; size <= SORTED; size *= 2) {
        for (int step = size / 2; step; step /= 2) {
            barrier(CLK_LOCAL_MEM_FENCE);
            int low = 2 * lane - (lane & (step - 1)), high = low + step;
            uint a = sorted[low], b = sorted[high];
            if ((a > b) == !(low & size)) {
                sorted[low] = b;
                sorted[high] = a;
            }
        }
    }
    barrier(CLK_LOCAL_MEM_FENCE);
    for (int i = lane; i < SORTED; i += BLOCK) words[first + i] = sorted[i];
}

kernel void few_lanes(PROBLEM) {
    int i = get_global_id(0);
    if (i >= n || i % 11 || i % 32 == 31) return;
    ulong value = i + 1;
    uint steps = 0;
    while (value != 1) {
        if (value & 1) {
            value = 3 * value + 1;
            steps++;
        }
        for (; value % 2 == 0; steps++) value /= 2;
    }
    words[i] = steps;
}
