// A pair of kernels for each rule of advice (src/advice/rules.def): NAME_bad has the problem, NAME_good has it not.
#include <cuda_runtime.h>

enum { SIDE = 1024, N = SIDE * SIDE };

static __device__ int at() { return blockIdx.x * blockDim.x + threadIdx.x; }

__global__ void stores_bad(float *out, const float *in) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[x * SIDE + y] = in[y * SIDE + x];
}
__global__ void stores_good(float *out, const float *in) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * SIDE + x] = in[y * SIDE + x];
}
__global__ void loads_bad(float *out, const float *in) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * SIDE + x] = in[x * SIDE + y];
}
__global__ void loads_good(float *out, const float *in) {
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 8 + threadIdx.y;
    out[y * SIDE + x] = in[y * SIDE + x];
}
// A thread's rows are all asked for before one is waited for, whatever the compiler makes of the loops.
template <int PAD, int ROWS = 4> static __device__ void turn(float *out, const float *in) {
    __shared__ float tile[32][32 + PAD];
    int x = blockIdx.x * 32 + threadIdx.x, y = blockIdx.y * 32 + threadIdx.y;
    const int step = 32 / ROWS;
    float row[ROWS];
#pragma unroll
    for (int k = 0; k < ROWS; k++) row[k] = in[(y + step * k) * SIDE + x];
#pragma unroll
    for (int k = 0; k < ROWS; k++) tile[threadIdx.y + step * k][threadIdx.x] = row[k];
    __syncthreads();
    x = blockIdx.y * 32 + threadIdx.x, y = blockIdx.x * 32 + threadIdx.y;
    for (int k = 0; k < ROWS; k++) out[(y + step * k) * SIDE + x] = tile[threadIdx.x][threadIdx.y + step * k];
}
__global__ void banks_bad(float *out, const float *in) { turn<0>(out, in); }
__global__ void banks_good(float *out, const float *in) { turn<1>(out, in); }

static __device__ float compute(float x) {
#pragma unroll
    for (int i = 0; i < 64; i++) x = x * 1.5f + 0.5f / (x + i);
    return x;
}
__global__ void divergence_bad(float *out, const float *in) {
    float x = in[at()];
    if (threadIdx.x % 2) x = compute(x);
    out[at()] = x;
}
__global__ void divergence_good(float *out, const float *in) {
    float x = in[at()];
    if (threadIdx.x / 32 % 2) x = compute(x);
    out[at()] = x;
}
// Products of matrices of 256 x 256: each element is loaded 256 times, or from a tile.
__global__ void reuse_bad(float *out, const float *in) {
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k++) sum += in[y * 256 + k] * in[k * 256 + x];
    out[y * 256 + x] = sum;
}
__global__ void reuse_good(float *out, const float *in) {
    __shared__ float a[16][16], b[16][16];
    int x = blockIdx.x * 16 + threadIdx.x, y = blockIdx.y * 16 + threadIdx.y;
    float sum = 0;
    for (int k = 0; k < 256; k += 16) {
        a[threadIdx.y][threadIdx.x] = in[y * 256 + k + threadIdx.x];
        b[threadIdx.y][threadIdx.x] = in[(k + threadIdx.y) * 256 + x];
        __syncthreads();
        for (int i = 0; i < 16; i++) sum += a[threadIdx.y][i] * b[i][threadIdx.x];
        __syncthreads();
    }
    out[y * 256 + x] = sum;
}
__global__ void more_bad(float *out, const float *in) { out[at()] = in[at()] + 1; }
__global__ void more_good(float *out, const float *in) {
    float4 x = ((const float4 *)in)[at()];
    ((float4 *)out)[at()] = make_float4(x.x + 1, x.y + 1, x.z + 1, x.w + 1);
}
template <typename T> static __device__ float sum_of(const T *in, int n) {
    float sum = 0;
#pragma unroll 1
    for (int i = at(); i < n; i += gridDim.x * blockDim.x) sum += *(const float *)&in[i];
    return sum;
}
__global__ void words_bad(float *out, const float *in) { out[at()] = sum_of(in, N); }
__global__ void words_good(float *out, const float *in) { out[at()] = sum_of((const float4 *)in, N / 4); }

// Neighbours overlap: no word of 16 bytes has those of one thread alone.
__global__ void stencil(float *out, const float *in) {
    const int i = at(), row = 256;
    float sum = 0;
    for (int y = 0; y < 3; y++)
        for (int x = 0; x < 3; x++) sum += in[(i + y * row + x) % N];
    out[i] = sum;
}
// Each thread counts for itself: what it loads from shared memory it stores again, and it waits for nobody.
__global__ void bins(float *out, const float *in) {
    __shared__ int counts[8][256], sums[8][256], last[8][256];
    for (int b = 0; b < 8; b++) counts[b][threadIdx.x] = sums[b][threadIdx.x] = last[b][threadIdx.x] = 0;
#pragma unroll 8
    for (int i = at(); i < N; i += 256 * 32) {
        const int value = ((const int *)in)[i];
        counts[value & 7][threadIdx.x] += 1;
        sums[value & 7][threadIdx.x] += value;
        last[value & 7][threadIdx.x] ^= value;
    }
    __syncthreads();
    out[at()] = counts[threadIdx.x & 7][threadIdx.x ^ 1] + sums[0][threadIdx.x ^ 1] + last[0][threadIdx.x ^ 1];
}

__global__ void barriers_bad(float *out, const float *in) {
    __shared__ float part[256];
    part[threadIdx.x] = in[at()];
    for (int half = 128; half; half /= 2) {
        __syncthreads();
        if (threadIdx.x < half) part[threadIdx.x] += part[threadIdx.x + half];
    }
    if (!threadIdx.x) out[blockIdx.x] = part[0];
}
__global__ void barriers_good(float *out, const float *in) {
    float sum = in[at()];
    for (int half = 16; half; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    if (threadIdx.x % 32 == 0) out[at() / 32] = sum;
}
__global__ void loops_bad(float *out, const float *in) {
    float x = in[at()];
#pragma unroll 1
    for (int i = 0; i < 200; i++) x = x * 1.5f + 1;
    out[at()] = x;
}
__global__ void loops_good(float *out, const float *in) {
    float x = in[at()];
#pragma unroll
    for (int i = 0; i < 200; i++) x = x * 1.5f + 1;
    out[at()] = x;
}
// Lanes leave one by one: there is no count to unroll by.
__global__ void loops_apart(float *out, const float *in) {
    float x = in[at()];
#pragma unroll 1
    for (int i = 0; i < 100 + 10 * (threadIdx.x % 32); i++) x = x * 1.5f + 1;
    out[at()] = x;
}
__global__ void blocks_bad(float *out, const float *in) { turn<0, 1>(out, in); }
__global__ void occupancy_bad(float *out, const float *in) {
    __shared__ float large[12000];
    large[threadIdx.x] = in[at()];
    __syncwarp();
    out[at()] = large[threadIdx.x ^ 1];
}
__global__ void occupancy_good(float *out, const float *in) {
    __shared__ float small[128];
    small[threadIdx.x] = in[at()];
    __syncwarp();
    out[at()] = small[threadIdx.x ^ 1];
}
// Each thread adds up many words, of which others could take a part.
__global__ void grid_bad(float *out, const float *in) { out[at()] = sum_of(in, N); }
__global__ void grid_good(float *out, const float *in) { out[at()] = sum_of(in, N); }
// A word for each thread: the problem may have no more.
__global__ void grid_whole(float *out, const float *in) { out[at()] = compute(compute(compute(in[at()]))); }

__global__ void local_bad(float *out, const float *in, const int *order) {
    float parts[32];
    for (int i = 0; i < 32; i++) parts[i] = in[i] * (float)threadIdx.x;
    float sum = 0;
    for (int i = 0; i < 32; i++) sum += parts[(order[i] + threadIdx.x) % 32];
    out[at()] = sum;
}
__global__ void local_good(float *out, const float *in) {
    float parts[32];
#pragma unroll
    for (int i = 0; i < 32; i++) parts[i] = in[i] * (float)threadIdx.x;
    float sum = 0;
#pragma unroll
    for (int i = 0; i < 32; i++) sum += parts[i];
    out[at()] = sum;
}
__global__ void atomics_bad(float *out, const float *in) { atomicAdd(&out[at() % 64], in[at()]); }
__global__ void atomics_good(float *out, const float *in) {
    float sum = in[at()];
    for (int half = 16; half; half /= 2) sum += __shfl_down_sync(~0u, sum, half);
    __shared__ float part[32];
    if (threadIdx.x % 32 == 0) part[threadIdx.x / 32] = sum;
    __syncthreads();
    if (threadIdx.x) return;
    for (int i = 1; i < blockDim.x / 32; i++) sum += part[i];
    atomicAdd(&out[blockIdx.x % 64], sum);
}
__global__ void launches_bad(float *out, const float *in) { out[at()] = in[at()]; }
__global__ void launches_good(float *out, const float *in) { out[at()] = in[at()]; }
__global__ void launches_between(float *out, const float *in) { out[at()] = in[at()]; }

int main() {
    float *a, *b;
    cudaMalloc(&a, N * 4);
    cudaMalloc(&b, N * 4);
    dim3 rows(32, 8), grid(SIDE / 32, SIDE / 8), tiles(SIDE / 32, SIDE / 32), square(16, 16), few(16, 16);
    stores_bad<<<grid, rows>>>(a, b);
    stores_good<<<grid, rows>>>(a, b);
    loads_bad<<<grid, rows>>>(a, b);
    loads_good<<<grid, rows>>>(a, b);
    banks_bad<<<tiles, rows>>>(a, b);
    banks_good<<<tiles, rows>>>(a, b);
    divergence_bad<<<N / 256, 256>>>(a, b);
    divergence_good<<<N / 256, 256>>>(a, b);
    reuse_bad<<<few, square>>>(a, b);
    reuse_good<<<few, square>>>(a, b);
    more_bad<<<N / 256, 256>>>(a, b);
    more_good<<<N / 1024, 256>>>(a, b);
    words_bad<<<132, 256>>>(a, b);
    words_good<<<132, 256>>>(a, b);
    stencil<<<N / 256, 256>>>(a, b);
    bins<<<32, 256>>>(a, b);
    barriers_bad<<<N / 256, 256>>>(a, b);
    barriers_good<<<N / 256, 256>>>(a, b);
    loops_bad<<<N / 256, 256>>>(a, b);
    loops_good<<<N / 256, 256>>>(a, b);
    loops_apart<<<N / 256, 256>>>(a, b);
    blocks_bad<<<tiles, dim3(32, 32)>>>(a, b);
    occupancy_bad<<<N / 128, 128>>>(a, b);
    occupancy_good<<<N / 128, 128>>>(a, b);
    grid_bad<<<40, 256>>>(a, b);
    grid_good<<<132, 256>>>(a, b);
    grid_whole<<<140, 1024>>>(a, b);
    cudaMemset(b, 0, N * 4);
    local_bad<<<N / 256, 256>>>(a, b, (const int *)b);
    local_good<<<N / 256, 256>>>(a, b);
    atomics_bad<<<N / 256, 256>>>(a, b);
    atomics_good<<<N / 256, 256>>>(a, b);
    for (int i = 0; i < 5; i++) launches_bad<<<8, 256>>>(a + i * 4096, b);
    for (int i = 0; i < 5; i++) {
        launches_good<<<8, 256>>>(a, b);
        launches_between<<<8, 256>>>(a, b);
    }
    return cudaDeviceSynchronize() != cudaSuccess;
}
