// Prints hashes of what nvcuda::wmma computes in every shape and type, of sums of zeros, and of copies that barriers in
// shared memory wait for. matrices.h200.txt is what an H200 prints.
#include <cstdio>
#include <cstring>
#include <cuda/barrier>
#include <cuda/pipeline>
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>
#include <utility>

using namespace nvcuda;

static uint64_t state = 88172645463325252ull;
static uint32_t random_32() {
    state ^= state << 13, state ^= state >> 7, state ^= state << 17;
    return (uint32_t)(state >> 16);
}
static uint32_t hash(const void *bytes, size_t n) {
    uint32_t h = 2166136261u;
    for (size_t i = 0; i < n; i++) h = (h ^ ((const unsigned char *)bytes)[i]) * 16777619u;
    return h;
}

// Raw bits: finite, with exponents that differ by about `spread`.
template <class T> void fill(T *to, int n, int spread);
template <> void fill(half *to, int n, int spread) {
    for (int i = 0; i < n; i++) {
        uint16_t bits = (uint16_t)((random_32() & 0x83ff) | (15 - random_32() % (uint32_t)spread) << 10);
        memcpy(&to[i], &bits, 2);
    }
}
template <> void fill(__nv_bfloat16 *to, int n, int spread) {
    for (int i = 0; i < n; i++) {
        uint16_t bits = (uint16_t)((random_32() & 0x807f) | (127 - random_32() % (uint32_t)spread) << 7);
        memcpy(&to[i], &bits, 2);
    }
}
template <> void fill(float *to, int n, int spread) {
    for (int i = 0; i < n; i++) {
        uint32_t bits = (random_32() & 0x807fffff) | (127 - random_32() % (uint32_t)spread) << 23;
        memcpy(&to[i], &bits, 4);
    }
}
template <> void fill(double *to, int n, int) {
    for (int i = 0; i < n; i++) to[i] = (int)random_32() * (1.0 / 3);
}
template <> void fill(signed char *to, int n, int) {
    for (int i = 0; i < n; i++) to[i] = (signed char)random_32();
}
template <> void fill(unsigned char *to, int n, int) {
    for (int i = 0; i < n; i++) to[i] = (unsigned char)random_32();
}
template <> void fill(int *to, int n, int) {
    for (int i = 0; i < n; i++) to[i] = (int)random_32();
}

// Tiles in global memory with a stride of their own, c and d through shared memory.
template <class F, class S, class R, int M, int N, int K, class LA, class LB>
__global__ void multiply(const S *a, const S *b, const R *c, R *d, int lda, int ldb, wmma::layout_t layout) {
    __shared__ __align__(128) R tile[M * N + 512];
    for (int i = (int)threadIdx.x; i < M * N; i += 32) tile[i] = c[blockIdx.x * M * N + i];
    __syncwarp();
    wmma::fragment<wmma::matrix_a, M, N, K, F, LA> fa;
    wmma::fragment<wmma::matrix_b, M, N, K, F, LB> fb;
    wmma::fragment<wmma::accumulator, M, N, K, R> fc;
    wmma::load_matrix_sync(fa, a + blockIdx.x * 1024, (unsigned)lda);
    wmma::load_matrix_sync(fb, b + blockIdx.x * 1024, (unsigned)ldb);
    wmma::load_matrix_sync(fc, tile, layout == wmma::mem_row_major ? N : M, layout);
    for (int i = 0; i < 2; i++) wmma::mma_sync(fc, fa, fb, fc);
    wmma::store_matrix_sync(tile, fc, layout == wmma::mem_row_major ? N : M, layout);
    __syncwarp();
    for (int i = (int)threadIdx.x; i < M * N; i += 32) d[blockIdx.x * M * N + i] = tile[i];
}

template <class F, class S, class R, int M, int N, int K, class LA, class LB>
void try_layouts(const char *name, const char *layouts) {
    enum { TILES = 24 };
    static S a[TILES * 1024], b[TILES * 1024];
    static R c[TILES * M * N], d[TILES * M * N];
    S *da, *db;
    R *dc, *dd;
    fill(a, TILES * 1024, 9), fill(b, TILES * 1024, 9), fill(c, TILES * M * N, 12);
    cudaMalloc(&da, sizeof a), cudaMalloc(&db, sizeof b), cudaMalloc(&dc, sizeof c), cudaMalloc(&dd, sizeof d);
    cudaMemcpy(da, a, sizeof a, cudaMemcpyDefault), cudaMemcpy(db, b, sizeof b, cudaMemcpyDefault);
    cudaMemcpy(dc, c, sizeof c, cudaMemcpyDefault);
    for (int order = 0; order < 2; order++) {
        multiply<F, S, R, M, N, K, LA, LB><<<TILES, 32>>>(da, db, dc, dd, 32, 32,
                                                          order ? wmma::mem_col_major : wmma::mem_row_major);
        cudaMemcpy(d, dd, sizeof d, cudaMemcpyDefault);
        printf("%s m%dn%dk%d %s %d: %08x %s\n", name, M, N, K, layouts, order, hash(d, sizeof d),
               cudaGetErrorName(cudaGetLastError()));
    }
    cudaFree(da), cudaFree(db), cudaFree(dc), cudaFree(dd);
}

template <class F, class S, class R, int M, int N, int K> void try_shape(const char *name) {
    try_layouts<F, S, R, M, N, K, wmma::row_major, wmma::col_major>(name, "row col");
    try_layouts<F, S, R, M, N, K, wmma::row_major, wmma::row_major>(name, "row row");
    try_layouts<F, S, R, M, N, K, wmma::col_major, wmma::col_major>(name, "col col");
    try_layouts<F, S, R, M, N, K, wmma::col_major, wmma::row_major>(name, "col row");
}

template <class F, class R> void try_shapes(const char *name) {
    try_shape<F, F, R, 16, 16, 16>(name);
    try_shape<F, F, R, 32, 8, 16>(name);
    try_shape<F, F, R, 8, 32, 16>(name);
}

// Sums of zeros: bit 0 of what is the sign of a's, bit 1 of b's, bit 2 of c's; bit 3: only the first product's sign.
__global__ void zeros(uint32_t *out) {
    for (uint32_t what = 0; what < 16; what++) {
        bool one = what & 8;
        uint32_t a = !(what & 1) || (one && threadIdx.x % 4) ? 0u : one ? 0x8000u : 0x80008000u;
        uint32_t b = what & 2 ? 0xbc00bc00u : 0x3c003c00u;
        float f[4];
        uint32_t h[2];
        for (int i = 0; i < 4; i++) f[i] = what & 4 ? -0.0f : 0.0f;
        h[0] = h[1] = what & 4 ? 0x80008000u : 0;
        uint32_t rest = one ? 0 : a;
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f32.f16.f16.f32 {%0,%1,%2,%3}, {%4,%4,%5,%5}, {%6,%6},"
                     " {%0,%1,%2,%3};"
                     : "+f"(f[0]), "+f"(f[1]), "+f"(f[2]), "+f"(f[3]) : "r"(a), "r"(rest), "r"(b));
        asm volatile("mma.sync.aligned.m16n8k16.row.col.f16.f16.f16.f16 {%0,%1}, {%2,%2,%3,%3}, {%4,%4}, {%0,%1};"
                     : "+r"(h[0]), "+r"(h[1]) : "r"(a), "r"(rest), "r"(b));
        if (threadIdx.x == 0) out[2 * what] = __float_as_uint(f[0]), out[2 * what + 1] = h[0];
    }
}

// Two stages of copies that a pipeline of the thread waits for, then a barrier of the block for several rounds.
__global__ void copies(const int4 *in, int4 *out) {
    __shared__ int4 tile[2][128];
    auto pipe = cuda::make_pipeline();
    int t = (int)threadIdx.x;
    for (int round = 0; round < 2; round++) {
        pipe.producer_acquire();
        cuda::memcpy_async(&tile[round][t], &in[round * 128 + t], cuda::aligned_size_t<16>(16), pipe);
        pipe.producer_commit();
    }
    for (int round = 0; round < 2; round++) {
        if (round) cuda::pipeline_consumer_wait_prior<0>(pipe);
        else cuda::pipeline_consumer_wait_prior<1>(pipe);
        __syncthreads();
        out[round * 128 + t] = tile[round][127 - t];
        pipe.consumer_release();
    }
}

#pragma nv_diag_suppress static_var_with_dynamic_init
__global__ void barriers(int *out) {
    __shared__ cuda::barrier<cuda::thread_scope_block> turn;
    __shared__ int sum[128];
    int t = (int)threadIdx.x;
    if (t == 0) init(&turn, blockDim.x);
    __syncthreads();
    sum[t] = t;
    for (int step = 1; step < 128; step *= 2) {
        turn.arrive_and_wait();
        int other = sum[t ^ step];
        auto token = turn.arrive();
        turn.wait(std::move(token));
        sum[t] += other;
    }
    out[blockIdx.x * 128 + t] = sum[t];
}

int main() {
    try_shapes<half, float>("f16 f32");
    try_shapes<half, half>("f16 f16");
    try_shapes<__nv_bfloat16, float>("bf16 f32");
    try_shapes<signed char, int>("s8 s32");
    try_shapes<unsigned char, int>("u8 s32");
    try_shape<wmma::precision::tf32, float, float, 16, 16, 8>("tf32 f32");
    try_shape<double, double, double, 8, 8, 4>("f64 f64");
    static int4 host[256];
    for (int i = 0; i < 1024; i++) ((int *)host)[i] = i;
    uint32_t *out, results[32];
    int4 *in, *copied;
    cudaMalloc(&out, 4096), cudaMalloc(&in, sizeof host), cudaMalloc(&copied, sizeof host);
    cudaMemcpy(in, host, sizeof host, cudaMemcpyDefault);
    zeros<<<1, 32>>>(out);
    cudaMemcpy(results, out, sizeof results, cudaMemcpyDefault);
    for (int what = 0; what < 16; what++)
        printf("zeros %d: %08x %08x\n", what, results[2 * what], results[2 * what + 1]);
    copies<<<1, 128>>>(in, copied);
    cudaMemcpy(host, copied, sizeof host, cudaMemcpyDefault);
    printf("copies %08x %s\n", hash(host, sizeof host), cudaGetErrorName(cudaGetLastError()));
    barriers<<<4, 128>>>((int *)copied);
    cudaMemcpy(host, copied, 2048, cudaMemcpyDefault);
    printf("barriers %08x %s\n", hash(host, 2048), cudaGetErrorName(cudaGetLastError()));
}
