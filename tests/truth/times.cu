// Runs kernels of ladder.cu at sizes for which h200_times.csv has an H200's times, and prints "ordinal,label" for each
// launch as ladder.cu does. Allocations are no larger than what the kernels use where they come back to it: the
// estimate of time takes their size for the most that a launch touches. compare_times.py sets the estimates beside the
// times. The largest sizes are left out, and three copies run on a quarter of the elements, for the simulation's sake.
#define main counters_main
#include "ladder.cu"
#undef main

static float *a, *b, *c;

static void allocate(size_t bytes_a, size_t bytes_b, size_t bytes_c) {
    CK(cudaMalloc(&a, bytes_a));
    CK(cudaMalloc(&b, bytes_b));
    CK(cudaMalloc(&c, bytes_c));
}

static void release() {
    CK(cudaFree(a));
    CK(cudaFree(b));
    CK(cudaFree(c));
}

static char label[128];
#define TRANSPOSE(name, bx, by, step, ...)                                                                             \
    do {                                                                                                               \
        sprintf(label, "%s %dx%d block %dx%d", name, n, n, bx, by);                                                    \
        RUN(label, dim3(n / (step), n / (by)), dim3(bx, (by)), 0, (__VA_ARGS__), b, a, n, n);                          \
    } while (0)

static void transposes(int n) {
    TRANSPOSE("copyRow", 32, 16, 32, copyRow);
    TRANSPOSE("transposeNaiveRow", 32, 16, 32, transposeNaiveRow);
    TRANSPOSE("transposeNaiveRow", 16, 16, 16, transposeNaiveRow);
    TRANSPOSE("transposeNaiveRow", 8, 32, 8, transposeNaiveRow);
    TRANSPOSE("transposeNaiveCol", 32, 16, 32, transposeNaiveCol);
    TRANSPOSE("transposeNaiveCol", 16, 16, 16, transposeNaiveCol);
    TRANSPOSE("transposeSmem pad0", 32, 16, 32, transposeSmem<32, 16, 0>);
    TRANSPOSE("transposeSmem pad1", 32, 16, 32, transposeSmem<32, 16, 1>);
    TRANSPOSE("transposeSmem pad2", 32, 16, 32, transposeSmem<32, 16, 2>);
    TRANSPOSE("transposeSmem pad0", 32, 32, 32, transposeSmem<32, 32, 0>);
    TRANSPOSE("transposeSmem pad1", 32, 32, 32, transposeSmem<32, 32, 1>);
    TRANSPOSE("transposeSmem pad1", 16, 16, 16, transposeSmem<16, 16, 1>);
    TRANSPOSE("transposeSmem pad1", 32, 8, 32, transposeSmem<32, 8, 1>);
    TRANSPOSE("transposeSmem pad1", 64, 8, 64, transposeSmem<64, 8, 1>);
    TRANSPOSE("transposeSwizzle", 32, 32, 32, transposeSwizzle);
    TRANSPOSE("transposeUnroll pad2", 32, 16, 64, transposeUnroll<32, 16, 2>);
    TRANSPOSE("transposeUnroll pad1", 16, 16, 32, transposeUnroll<16, 16, 1>);
    sprintf(label, "transposeDiagonal %dx%d block 32x8", n, n);
    RUN(label, dim3(n / 32, n / 32), dim3(32, 8), 0, transposeDiagonal, b, a, n, n);
}

#define PRODUCT(name, grid, block, ...)                                                                                \
    do {                                                                                                               \
        sprintf(label, name, n);                                                                                       \
        RUN(label, grid, block, 0, __VA_ARGS__);                                                                       \
    } while (0)

static void products(int n) {
    PRODUCT("matmulNaive %d block 16x16", dim3(n / 16, n / 16), dim3(16, 16), matmulNaive, a, b, c, n, n, n);
    PRODUCT("matmulNaive %d block 32x32", dim3(n / 32, n / 32), dim3(32, 32), matmulNaive, a, b, c, n, n, n);
    PRODUCT("matmulTiled16 %d", dim3(n / 16, n / 16), dim3(16, 16), matmulTiled<16>, a, b, c, n, n, n);
    PRODUCT("matmulTiled32 %d", dim3(n / 32, n / 32), dim3(32, 32), matmulTiled<32>, a, b, c, n, n, n);
    PRODUCT("sgemmNN %d", dim3(n / 64, n / 16), dim3(16, 4), sgemmNN, a, n, b, n, c, n, n);
}

#define SUM(name, blocks, shared, ...)                                                                                 \
    do {                                                                                                               \
        sprintf(label, name, log2_n);                                                                                  \
        RUN(label, blocks, 256, shared, (__VA_ARGS__), (int *)a, (int *)c);                                            \
    } while (0)

static void sums(int log2_n) {
    int n = 1 << log2_n;
    SUM("reduce0 int 2^%d block 256", n / 256, 1024, reduce0<int>);
    SUM("reduce1 int 2^%d block 256", n / 256, 1024, reduce1<int>);
    SUM("reduce2 int 2^%d block 256", n / 256, 1024, reduce2<int>);
    SUM("reduce3 int 2^%d block 256", n / 512, 1024, reduce3<int>);
    SUM("reduce4 int 2^%d block 256", n / 512, 2048, reduce4<int>);
    SUM("reduce5 int 2^%d block 256", n / 512, 2048, reduce5<int, 256>);
    sprintf(label, "reduce6 int 2^%d block 256 grid 1056", log2_n);
    RUN(label, 1056, 256, 2048, (reduce6<int, 256>), (int *)a, (int *)c, n);
}

static void timers() {
    for (int k : {1, 8, 16, 32, 64, 132, 264, 1056}) {
        sprintf(label, "timedReduction %d blocks", k);
        RUN(label, k, 256, 2048, timedReduction, a, c, (clock_t *)b);
    }
}

static void accesses() {
    const int blocks = 1 << 18, quarter = blocks / 4;
    for (int k : {0, 1, 8, 16, 17}) {
        sprintf(label, "offsetCopy %d 2^26", k);
        RUN(label, blocks, 256, 0, offsetCopy, b, a, k);
    }
    for (int k : {1, 2, 3, 4, 8, 16}) {
        sprintf(label, "strideCopy %d 2^22", k);
        RUN(label, 1 << 14, 256, 0, strideCopy, b, a, k);
    }
    RUN("typedCopy char 2^26", blocks, 256, 0, typedCopy<char>, (char *)b, (char *)a);
    RUN("typedCopy float2 2^24", quarter, 256, 0, typedCopy<float2>, (float2 *)b, (float2 *)a);
    RUN("typedCopy float4 2^24", quarter, 256, 0, typedCopy<float4>, (float4 *)b, (float4 *)a);
    RUN("typedCopy float3 2^24", quarter, 256, 0, typedCopy<float3>, (float3 *)b, (float3 *)a);
    RUN("branchLane 2^26", blocks, 256, 0, branchLane, a);
    RUN("branchWarp 2^26", blocks, 256, 0, branchWarp, a);
}

static void nearest() {
    RUN("nearestGlobal 10000 block 128", 79, 128, 0, nearestGlobal, (float3 *)a, (int *)c, 10000);
    RUN("nearestShared 10000 block 128", 79, 128, 0, nearestShared, (float3 *)a, (int *)c, 10000);
}

// With an argument only what is simulated in a few seconds.
int main(int argc, char **) {
    const size_t mib = 1 << 20;
    const bool is_short = argc > 1;
    allocate(256 * mib + 4096, 256 * mib + 4096, 64 * mib + 4096);
    transposes(2048);
    if (!is_short) transposes(4096);
    release();
    allocate(4 * mib, 4 * mib, 4 * mib);
    products(512);
    if (!is_short) products(1024);
    release();
    allocate(256 * mib + 4096, 256 * mib + 4096, 64 * mib + 4096);
    sums(20);
    if (!is_short) sums(24);
    timers();
    if (!is_short) accesses();
    release();
    allocate(mib / 4, 4096, mib / 4);
    if (!is_short) nearest();
    release();
    return 0;
}
