// Seed 004, 4.7.2: the seven sums of the book, as they stand there, and mended from reduce4 on. Each block's sum is
// compared with the host's. docs/seeds.md says what is wrong.
//
//     halfwarp profile --gpu gtx280 examples/seeds/reductions.cu
#include <cstdio>
#include <cstdlib>
#include <type_traits>

// The book's SharedMemory<T>: one array for all types.
template <class T>
struct SharedMemory {
    __device__ T *getPointer() {
        extern __shared__ char memory[];
        return (T *)memory;
    }
};

// What is the same in reduce0 to reduce2: a thread loads an element.
#define LOAD_ONE                                                     \
    SharedMemory<T> smem;                                            \
    T *sdata = smem.getPointer();                                    \
    unsigned int tid = threadIdx.x;                                  \
    unsigned int i = blockIdx.x * blockDim.x + threadIdx.x;          \
    sdata[tid] = g_idata[i];                                         \
    __syncthreads()

// In reduce3 to reduce5: two, and their sum is kept.
#define LOAD_TWO                                                     \
    SharedMemory<T> smem;                                            \
    T *sdata = smem.getPointer();                                    \
    unsigned int tid = threadIdx.x;                                  \
    unsigned int i = blockIdx.x * (blockDim.x * 2) + threadIdx.x;    \
    sdata[tid] = g_idata[i] + g_idata[i + blockDim.x];               \
    __syncthreads()

template <class T>
__global__ void reduce0(T *g_idata, T *g_odata) {
    LOAD_ONE;
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        if ((tid % (2 * s)) == 0) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduce1(T *g_idata, T *g_odata) {
    LOAD_ONE;
    for (unsigned int s = 1; s < blockDim.x; s *= 2) {
        int index = 2 * s * tid;
        if (index < blockDim.x) sdata[index] += sdata[index + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduce2(T *g_idata, T *g_odata) {
    LOAD_ONE;
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T>
__global__ void reduce3(T *g_idata, T *g_odata) {
    LOAD_TWO;
    for (unsigned int s = blockDim.x / 2; s > 0; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// The last steps are one warp's, without barriers. As printed `#ifdef __DEVICE_EMULATION__` stands before the question
// for tid, where NVIDIA's program has `#ifndef`: on a GPU all warps add, those of the upper half past the array's end.
// Mended, the array is volatile as well: a warp's lanes read what the others have stored.
template <class T, unsigned int blockSize, bool MENDED>
__device__ void reduce_last(T *array, unsigned int tid) {
    typename std::conditional<MENDED, volatile T, T>::type *sdata = array;
    if (MENDED && tid >= 32) return;
    if (blockSize >= 64) sdata[tid] = sdata[tid] + sdata[tid + 32];
    if (blockSize >= 32) sdata[tid] = sdata[tid] + sdata[tid + 16];
    if (blockSize >= 16) sdata[tid] = sdata[tid] + sdata[tid + 8];
    if (blockSize >= 8) sdata[tid] = sdata[tid] + sdata[tid + 4];
    if (blockSize >= 4) sdata[tid] = sdata[tid] + sdata[tid + 2];
    if (blockSize >= 2) sdata[tid] = sdata[tid] + sdata[tid + 1];
}

template <class T, unsigned int blockSize, bool MENDED>
__global__ void reduce4(T *g_idata, T *g_odata) {
    LOAD_TWO;
    for (unsigned int s = blockDim.x / 2; s > 32; s >>= 1) {
        if (tid < s) sdata[tid] += sdata[tid + s];
        __syncthreads();
    }
    reduce_last<T, blockSize, MENDED>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

template <class T, unsigned int blockSize, bool MENDED>
__device__ void reduce_unrolled(T *sdata, unsigned int tid) {
    if (blockSize >= 512) { if (tid < 256) { sdata[tid] += sdata[tid + 256]; } __syncthreads(); }
    if (blockSize >= 256) { if (tid < 128) { sdata[tid] += sdata[tid + 128]; } __syncthreads(); }
    if (blockSize >= 128) { if (tid < 64) { sdata[tid] += sdata[tid + 64]; } __syncthreads(); }
    reduce_last<T, blockSize, MENDED>(sdata, tid);
}

template <class T, unsigned int blockSize, bool MENDED>
__global__ void reduce5(T *g_idata, T *g_odata) {
    LOAD_TWO;
    reduce_unrolled<T, blockSize, MENDED>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// As printed the second of the two elements may lie past n; mended it is asked for, as NVIDIA did later.
template <class T, unsigned int blockSize, bool MENDED>
__global__ void reduce6(T *g_idata, T *g_odata, unsigned int n) {
    SharedMemory<T> smem;
    T *sdata = smem.getPointer();
    unsigned int tid = threadIdx.x;
    unsigned int i = blockIdx.x * (blockSize * 2) + threadIdx.x;
    unsigned int gridSize = blockSize * 2 * gridDim.x;
    sdata[tid] = 0;
    while (i < n) {
        sdata[tid] += g_idata[i];
        if (!MENDED || i + blockSize < n) sdata[tid] += g_idata[i + blockSize];
        i += gridSize;
    }
    __syncthreads();
    reduce_unrolled<T, blockSize, MENDED>(sdata, tid);
    if (tid == 0) g_odata[blockIdx.x] = sdata[0];
}

// ---- Running them ----

enum { THREADS = 256, BLOCKS = 64, MOST = 2 * THREADS * BLOCKS };

static int *input, *sums, host[MOST];

// per_block: elements of a block that follow each other; n: of all, which the grid goes over again and again.
static void tell(const char *name, unsigned int per_block, unsigned int n) {
    int found[BLOCKS], wrong = 0;
    const cudaError_t error = cudaMemcpy(found, sums, sizeof found, cudaMemcpyDeviceToHost);
    if (error) {
        printf("%-20s %5u: %s\n", name, n, cudaGetErrorString(error));
        exit(1);
    }
    for (unsigned int block = 0; block < BLOCKS; block++) {
        int sum = 0;
        for (unsigned int i = 0; i < n; i++) sum += i / per_block % BLOCKS == block ? host[i] : 0;
        wrong += found[block] != sum;
    }
    printf("%-20s %5u: %d of %d sums wrong\n", name, n, wrong, BLOCKS);
    cudaMemset(sums, 0xff, sizeof found);
}

// The kernel's name may have commas, and stands last.
#define RUN(name, per_block, n, arguments, ...)                 \
    __VA_ARGS__<<<BLOCKS, THREADS, shared_bytes>>> arguments;   \
    tell(name, per_block, n)

template <bool MENDED>
static void run_last_warp(size_t shared_bytes) {
    const int odd = MOST / 2 + 100;
    RUN(MENDED ? "reduce4<true>" : "reduce4<false>", 2 * THREADS, MOST, (input, sums), reduce4<int, THREADS, MENDED>);
    RUN(MENDED ? "reduce5<true>" : "reduce5<false>", 2 * THREADS, MOST, (input, sums), reduce5<int, THREADS, MENDED>);
    const char *name = MENDED ? "reduce6<true>" : "reduce6<false>";
    RUN(name, 2 * THREADS, MOST, (input, sums, MOST), reduce6<int, THREADS, MENDED>);
    RUN(name, 2 * THREADS, odd, (input, sums, odd), reduce6<int, THREADS, MENDED>);
}

// Of what the printed ones access past the array's end, 32 elements, all has memory here, so that they can go on.
int main() {
    size_t shared_bytes = THREADS * sizeof(int);
    for (int i = 0; i < MOST; i++) host[i] = i * 7 % 31 - 9;
    cudaMalloc(&input, sizeof host);
    cudaMalloc(&sums, BLOCKS * sizeof(int));
    cudaMemcpy(input, host, sizeof host, cudaMemcpyHostToDevice);
    RUN("reduce0", THREADS, MOST / 2, (input, sums), reduce0<int>);
    RUN("reduce1", THREADS, MOST / 2, (input, sums), reduce1<int>);
    RUN("reduce2", THREADS, MOST / 2, (input, sums), reduce2<int>);
    RUN("reduce3", 2 * THREADS, MOST, (input, sums), reduce3<int>);
    run_last_warp<true>(shared_bytes);
    run_last_warp<false>(shared_bytes + 32 * sizeof(int));
    return cudaDeviceSynchronize();
}
