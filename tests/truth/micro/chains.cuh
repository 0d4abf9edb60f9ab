// What a warp waits for the result of one instruction before the next can use it: one warp, each instruction with the
// result of the one before, cycles for one. Branches: a loop of one addition; lanes that part and meet.
enum { CHAIN = 64, CHAIN_ROUNDS = 8 };
struct chain_fma { static __device__ float next(float x, float y) { return fmaf(x, y, y); } };
struct chain_iadd { static __device__ int next(int x, int y) { return (x + y) ^ y; } };   // two instructions
struct chain_imad { static __device__ int next(int x, int y) { return x * y + y; } };
struct chain_dfma { static __device__ double next(double x, double y) { return fma(x, y, y); } };
struct chain_dadd { static __device__ double next(double x, double y) { return x + y; } };
struct chain_ex2 {
    static __device__ float next(float x, float) {
        float r;
        asm volatile("ex2.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return r;
    }
};
struct chain_rsqrt {
    static __device__ float next(float x, float) {
        float r;
        asm volatile("rsqrt.approx.ftz.f32 %0, %1;" : "=f"(r) : "f"(x));
        return r;
    }
};
struct chain_fdiv { static __device__ float next(float x, float y) { return y / x; } };
struct chain_sqrt { static __device__ float next(float x, float) { return sqrtf(x); } };
struct chain_ddiv { static __device__ double next(double x, double y) { return y / x; } };
struct chain_dsqrt { static __device__ double next(double x, double) { return sqrt(x); } };
struct chain_idiv { static __device__ int next(int x, int y) { return y / (x | 1); } };
struct chain_convert { static __device__ int next(int x, int) { return (int)(float)x; } };   // there and back
struct chain_popc { static __device__ int next(int x, int) { return __popc(x); } };
struct chain_shfl { static __device__ int next(int x, int) { return __shfl_xor_sync(~0u, x, 1); } };
struct chain_vote { static __device__ int next(int x, int y) { return __ballot_sync(~0u, x > y); } };
struct chain_select { static __device__ int next(int x, int y) { return x > y ? x - y : y - 3; } };
struct chain_wide { static __device__ long long next(long long x, long long y) { return x * y + y; } };
// x never is `stop`, which the compiler does not know, so that the clock is read behind it.
template <class C, class T> __global__ void chain(T *out, long long *cycles, T first, T other, T stop) {
    T x = first + (T)threadIdx.x;
    for (int r = 0; r < CHAIN_ROUNDS; r++) {
        const long long begin = clock64();
#pragma unroll
        for (int i = 0; i < CHAIN; i++) x = C::next(x, other);
        if (x == stop) *out = x;
        const long long end = clock64();
        if (!threadIdx.x) cycles[r] = end - begin;
    }
    *out = x;
}
__global__ void chain_shared(int *out, long long *cycles, int first, int) {
    __shared__ int next[256];
    for (int i = threadIdx.x; i < 256; i += 32) next[i] = (i + 32) % 256;
    __syncwarp();
    int x = threadIdx.x + first;
    for (int r = 0; r < CHAIN_ROUNDS; r++) {
        const long long begin = clock64();
#pragma unroll
        for (int i = 0; i < CHAIN; i++) x = next[x];
        if (x == -12345) *out = x;
        const long long end = clock64();
        if (!threadIdx.x) cycles[r] = end - begin;
    }
    *out = x;
}
__global__ void chain_local(int *out, long long *cycles, int first, int n) {
    int next[64];
    for (int i = 0; i < 64; i++) next[i] = (i + n) % 64;
    int x = first;
    for (int r = 0; r < CHAIN_ROUNDS; r++) {
        const long long begin = clock64();
#pragma unroll
        for (int i = 0; i < CHAIN; i++) x = next[x];
        if (x == -12345) *out = x;
        const long long end = clock64();
        if (!threadIdx.x) cycles[r] = end - begin;
    }
    *out = x;
}
__global__ void chain_loop(int *out, long long *cycles, int first, int n) {
    int x = first;
    for (int r = 0; r < CHAIN_ROUNDS; r++) {
        const long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < CHAIN * n; i++) x = x * 3 + i;
        if (x == -12345) *out = x;
        const long long end = clock64();
        if (!threadIdx.x) cycles[r] = end - begin;
    }
    *out = x;
}
__global__ void chain_part(int *out, long long *cycles, int first, int n) {
    int x = first + threadIdx.x;
    for (int r = 0; r < CHAIN_ROUNDS; r++) {
        const long long begin = clock64();
#pragma unroll 1
        for (int i = 0; i < CHAIN * n; i++) {
            if (x & 1) {
                x = x * 3 + 1;
                *(volatile int *)out = x;
            } else x = x / 2 + 7;
        }
        const long long end = clock64();
        if (!threadIdx.x) cycles[r] = end - begin;
    }
    *out = x;
}
static void tell_chain(const char *name, long long *cycles) {
    long long host[CHAIN_ROUNDS];
    M(cudaMemcpy(host, cycles, sizeof host, cudaMemcpyDefault));
    std::sort(host, host + CHAIN_ROUNDS);
    printf("time,chain_%s,cycles,%.2f,warps,1\n", name, host[CHAIN_ROUNDS / 2] / (double)CHAIN);
}
static void chains() {
    long long *cycles;
    void *out;
    M(cudaMalloc(&cycles, sizeof(long long) * CHAIN_ROUNDS));
    M(cudaMalloc(&out, 8));
#define CHAIN_OF(name, type, first, other)                                                                            \
    chain<chain_##name, type><<<1, 32>>>((type *)out, cycles, first, other, (type)-12345), tell_chain(#name, cycles)
    CHAIN_OF(fma, float, 1.5f, 0.25f);
    CHAIN_OF(iadd, int, 3, 5);
    CHAIN_OF(imad, int, 3, 5);
    CHAIN_OF(dfma, double, 1.5, 0.25);
    CHAIN_OF(dadd, double, 1.5, 0.25);
    CHAIN_OF(ex2, float, 0.5f, 0);
    CHAIN_OF(rsqrt, float, 1.5f, 0);
    CHAIN_OF(fdiv, float, 1.5f, 2.5f);
    CHAIN_OF(sqrt, float, 1.5f, 0);
    CHAIN_OF(ddiv, double, 1.5, 2.5);
    CHAIN_OF(dsqrt, double, 1.5, 0);
    CHAIN_OF(idiv, int, 3, 1000001);
    CHAIN_OF(convert, int, 3, 0);
    CHAIN_OF(popc, int, 3, 0);
    CHAIN_OF(shfl, int, 3, 0);
    CHAIN_OF(vote, int, 3, 5);
    CHAIN_OF(select, int, 3, 5);
    CHAIN_OF(wide, long long, 3, 5);
    chain_shared<<<1, 32>>>((int *)out, cycles, 0, 0), tell_chain("shared", cycles);
    chain_local<<<1, 32>>>((int *)out, cycles, 1, 5), tell_chain("local", cycles);
    chain_loop<<<1, 32>>>((int *)out, cycles, 1, 1), tell_chain("loop", cycles);
    chain_part<<<1, 32>>>((int *)out, cycles, 1, 1), tell_chain("parted", cycles);
    chain_part<<<1, 1>>>((int *)out, cycles, 1, 1), tell_chain("parted_alone", cycles);
}
