// Kernels of different kinds, each checked: kinds NAME [SIZE [LAUNCHES]]. bench/compare.py compares two builds
// of Halfwarp by them; a kernel's time is what `halfwarp profile` says the simulation of its launches took.
#include "common.h"
#include <cmath>
#include <cstring>

// ---- kernels --------------------------------------------------------------------------------------------------------

__global__ void saxpy(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = 2 * in[i] + 1;
}

__global__ void reduce_shared(float *out, const float *in, int n) {
    __shared__ float sums[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    sums[threadIdx.x] = i < n ? in[i] : 0;
    for (int half = BLOCK / 2; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) sums[threadIdx.x] += sums[threadIdx.x + half];
    }
    if (threadIdx.x == 0) out[blockIdx.x] = sums[0];
}

__global__ void reduce_shuffle(float *out, const float *in, int n) {
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float sum = i < n ? in[i] : 0;
    for (int step = 16; step; step /= 2) sum += __shfl_down_sync(0xffffffffu, sum, step);
    if (threadIdx.x % 32 == 0) out[i / 32] = sum;
}

__global__ void scan(float *out, const float *in, int n) {
    __shared__ float sums[2][BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x, from = 0;
    sums[0][threadIdx.x] = i < n ? in[i] : 0;
    for (int step = 1; step < BLOCK; step *= 2, from = 1 - from) {
        __syncthreads();
        float sum = sums[from][threadIdx.x];
        if (threadIdx.x >= step) sum += sums[from][threadIdx.x - step];
        sums[1 - from][threadIdx.x] = sum;
    }
    if (i < n) out[i] = sums[from][threadIdx.x];
}

__global__ void stencil(float *out, const float *in, int side) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row < 1 || col < 1 || row >= side - 1 || col >= side - 1) return;
    const float *at = in + row * side + col;
    out[row * side + col] = 0.2f * (at[0] + at[-1] + at[1] + at[-side] + at[side]);
}

__global__ void matmul_naive(float *out, const float *in, int side) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= side || col >= side) return;
    float sum = 0;
    for (int k = 0; k < side; k++) sum += in[row * side + k] * in[k * side + col];
    out[row * side + col] = sum;
}

__global__ void gather(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    if (i < n) out[i] = in[(unsigned)i * 2654435761u % (unsigned)n];
}

__global__ void histogram(unsigned *out, const float *in, int n) {
    __shared__ unsigned bins[BINS];
    bins[threadIdx.x] = 0;
    __syncthreads();
    int i = blockIdx.x * BLOCK + threadIdx.x;
    if (i < n) atomicAdd(&bins[(int)(in[i] * BINS)], 1u);
    __syncthreads();
    atomicAdd(&out[threadIdx.x], bins[threadIdx.x]);
}

__global__ void mandelbrot(float *out, const float *, int side) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y, steps = 0;
    if (row >= side || col >= side) return;
    double a = 3.0 * col / side - 2, b = 2.0 * row / side - 1, x = 0, y = 0;
    for (; steps < 100 && x * x + y * y < 4; steps++) {
        double next = x * x - y * y + a;
        y = 2 * x * y + b;
        x = next;
    }
    out[row * side + col] = (float)steps;
}

// Multiply-adds that are written as such, so that points at the border take the same steps everywhere.
__device__ __host__ inline int mandelbrot_steps(float a, float b) {
    float x = 0, y = 0;
    int steps = 0;
    for (; steps < 100 && fmaf(x, x, y * y) < 4; steps++) {
        float next = fmaf(x, x, fmaf(-y, y, a));
        y = fmaf(2 * x, y, b);
        x = next;
    }
    return steps;
}
__global__ void mandelbrot_f32(float *out, const float *, int side) {
    int col = blockIdx.x * blockDim.x + threadIdx.x, row = blockIdx.y * blockDim.y + threadIdx.y;
    if (row >= side || col >= side) return;
    out[row * side + col] = (float)mandelbrot_steps(3.0f * col / side - 2, 2.0f * row / side - 1);
}

__global__ void unequal_loops(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float value = i < n ? in[i] : 0;
    for (int k = 0; k < i % 64; k++) value = value * 0.5f + 0.25f;
    if (i < n) out[i] = value;
}

__global__ void bodies(float *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    float force = 0;
    for (int k = 0; i < n && k < n; k++) {
        float d = in[k] - in[i];
        force += d * rsqrtf(d * d + 0.01f);
    }
    if (i < n) out[i] = force;
}

// Three coordinates and a mass; a tile of bodies in shared memory at a time. n: floats, of whole tiles.
__global__ void bodies_shared(float4 *out, const float4 *in, int n) {
    __shared__ float4 tile[BLOCK];
    int i = blockIdx.x * BLOCK + threadIdx.x;
    float4 own = in[i], force = {0, 0, 0, 0};
    for (int first = 0; first < n / 4; first += BLOCK) {
        tile[threadIdx.x] = in[first + threadIdx.x];
        __syncthreads();
        for (int k = 0; k < BLOCK; k++) {
            float4 other = tile[k];
            float x = other.x - own.x, y = other.y - own.y, z = other.z - own.z;
            float inverse = rsqrtf(x * x + y * y + z * z + 0.01f), pull = other.w * inverse * inverse * inverse;
            force.x += pull * x;
            force.y += pull * y;
            force.z += pull * z;
        }
        __syncthreads();
    }
    out[i] = force;
}

__global__ void bits(unsigned *out, const float *in, int n) {
    int i = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned value = i < n ? __float_as_uint(in[i]) : 0;
    for (int k = 0; k < 32; k++) value = __popc(value) + (value << 3 | value >> 29) * 5u ^ __brev(value);
    if (i < n) out[i] = value;
}

// ---- what comes out -------------------------------------------------------------------------------------------------

using values = std::vector<float>;

static bool is_near(float a, float b) { return fabsf(a - b) <= 1e-3f * (1 + fabsf(b)); }
static float word(unsigned value) {
    float same;
    memcpy(&same, &value, sizeof same);
    return same;
}
static unsigned bits_of(float value) {
    unsigned same;
    memcpy(&same, &value, sizeof same);
    return same;
}

static float expect_force(const values &in, int n, int body, int axis) {
    const float *own = &in[4 * body];
    double sum = 0;
    for (int k = 0; k < n; k += 4) {
        double x = in[k] - own[0], y = in[k + 1] - own[1], z = in[k + 2] - own[2];
        double square = x * x + y * y + z * z + 0.01;
        if (axis < 3) sum += in[k + 3] * (in[k + axis] - own[axis]) / (square * sqrt(square));
    }
    return (float)sum;
}

// The element of the result that the plainest loop gives.
static float expect(const char *name, const values &in, int n, int side, int at) {
    const int row = at / side, col = at % side;
    float sum = 0;
    if (!strcmp(name, "saxpy")) return 2 * in[at] + 1;
    if (!strcmp(name, "reduce_shared")) for (int k = at * BLOCK; k < (at + 1) * BLOCK && k < n; k++) sum += in[k];
    if (!strcmp(name, "reduce_shuffle")) for (int k = at * 32; k < (at + 1) * 32 && k < n; k++) sum += in[k];
    if (!strcmp(name, "scan")) for (int k = at / BLOCK * BLOCK; k <= at; k++) sum += in[k];
    if (!strcmp(name, "matmul_naive")) for (int k = 0; k < side; k++) sum += in[row * side + k] * in[k * side + col];
    if (!strcmp(name, "gather")) return in[(unsigned)at * 2654435761u % (unsigned)n];
    if (!strcmp(name, "stencil")) {
        if (row < 1 || col < 1 || row >= side - 1 || col >= side - 1) return 0;
        return 0.2f * (in[at] + in[at - 1] + in[at + 1] + in[at - side] + in[at + side]);
    }
    if (!strcmp(name, "mandelbrot")) {
        double a = 3.0 * col / side - 2, b = 2.0 * row / side - 1, x = 0, y = 0;
        for (; sum < 100 && x * x + y * y < 4; sum++) {
            double next = x * x - y * y + a;
            y = 2 * x * y + b;
            x = next;
        }
    }
    if (!strcmp(name, "mandelbrot_f32")) return mandelbrot_steps(3.0f * col / side - 2, 2.0f * row / side - 1);
    if (!strcmp(name, "bodies_shared")) return expect_force(in, n, at / 4, at % 4);
    if (!strcmp(name, "unequal_loops")) {
        sum = in[at];
        for (int k = 0; k < at % 64; k++) sum = sum * 0.5f + 0.25f;
    }
    if (!strcmp(name, "bodies")) for (int k = 0; k < n; k++) {
        float d = in[k] - in[at];
        sum += d / sqrtf(d * d + 0.01f);
    }
    if (!strcmp(name, "bits")) {
        unsigned value = bits_of(in[at]);
        for (int k = 0; k < 32; k++) {
            unsigned reversed = 0;
            for (int b = 0; b < 32; b++) reversed |= (value >> b & 1) << (31 - b);
            value = __builtin_popcount(value) + (value << 3 | value >> 29) * 5u ^ reversed;
        }
        return word(value);
    }
    return sum;
}

// Every 61st element, which meets all lanes.
static int verify(const char *name, const values &out, const values &in, int n, int side, int count, int launches) {
    if (!strcmp(name, "histogram")) {
        std::vector<unsigned> bins(BINS);
        for (int i = 0; i < n; i++) bins[(int)(in[i] * BINS)] += launches;
        for (int i = 0; i < BINS; i++)
            if (bits_of(out[i]) != bins[i]) return fprintf(stderr, "histogram: bin %d is wrong\n", i), 1;
        return 0;
    }
    for (int at = 0; at < count; at += 61) {
        float want = expect(name, in, n, side, at);
        bool is_right = !strcmp(name, "bits") ? bits_of(out[at]) == bits_of(want) : is_near(out[at], want);
        if (!is_right) return fprintf(stderr, "%s: element %d is %g, not %g\n", name, at, out[at], want), 1;
    }
    return 0;
}

// ---- the list -------------------------------------------------------------------------------------------------------

static const struct {
    const char *name;
    const void *kernel;
    int size;          // elements, or a side
    bool is_square;
    int per_result;    // elements of in for each of out
    int per_thread;    // elements of in for each thread, where it is no square
} kinds[] = {
    {"saxpy", (const void *)saxpy, 1 << 20, false, 1, 1},
    {"reduce_shared", (const void *)reduce_shared, 1 << 19, false, BLOCK, 1},
    {"reduce_shuffle", (const void *)reduce_shuffle, 1 << 20, false, 32, 1},
    {"scan", (const void *)scan, 1 << 18, false, 1, 1},
    {"stencil", (const void *)stencil, 1024, true, 1, 1},
    {"matmul_naive", (const void *)matmul_naive, 192, true, 1, 1},
    {"gather", (const void *)gather, 1 << 19, false, 1, 1},
    {"histogram", (const void *)histogram, 1 << 17, false, 1, 1},
    {"mandelbrot", (const void *)mandelbrot, 256, true, 1, 1},
    {"mandelbrot_f32", (const void *)mandelbrot_f32, 256, true, 1, 1},
    {"unequal_loops", (const void *)unequal_loops, 1 << 18, false, 1, 1},
    {"bodies", (const void *)bodies, 4096, false, 1, 1},
    {"bodies_shared", (const void *)bodies_shared, 1 << 14, false, 1, 4},
    {"bits", (const void *)bits, 1 << 18, false, 1, 1},
};

int main(int argc, char **argv) {
    for (const auto &kind : kinds) {
        if (argc < 2 || strcmp(argv[1], kind.name)) continue;
        int size = argument(argc, argv, 2, kind.size), launches = argument(argc, argv, 3, 7);
        int n = kind.is_square ? size * size : size, side = kind.is_square ? size : n;
        values in = numbers(n);
        float *d_in = on_device(in), *d_out = on_device(values(n > BINS ? n : BINS));
        int tiles = (size + TILE - 1) / TILE;
        dim3 block = kind.is_square ? dim3(TILE, TILE) : dim3(BLOCK);
        dim3 grid = kind.is_square ? dim3(tiles, tiles) : dim3((n / kind.per_thread + BLOCK - 1) / BLOCK);
        int given = kind.is_square ? size : n;
        void *arguments[] = {&d_out, &d_in, &given};
        time_launches(launches, [&] { check(cudaLaunchKernel(kind.kernel, grid, block, arguments, 0, 0), argv[1]); });
        values out = result(d_out, n > BINS ? n : BINS);
        print_floats(out.data(), n / kind.per_result);
        return verify(argv[1], out, in, n, side, n / kind.per_result, launches);
    }
    fprintf(stderr, "usage: %s NAME [SIZE [LAUNCHES]]; the names are\n", argv[0]);
    for (const auto &kind : kinds) fprintf(stderr, "  %s\n", kind.name);
    return 2;
}
