// Products of matrices by tensor cores, a warp for each tile and nothing shared: products NAME [SIDE [LAUNCHES]], each
// checked. Needs mma.h, of NVIDIA's toolkit, and -arch=sm_80. bench/compare.py compares two builds of Halfwarp by them.
#include <cuda_bf16.h>
#include <cuda_fp16.h>
#include <mma.h>

#include <cmath>
#include <cstring>

#include "common.h"

// ---- kernels: in times in -------------------------------------------------------------------------------------------

// T: of the fragments; STORED: of the matrix in memory; SUM: of the result. Tiles of side x side, `depth` at a time.
template <class T, class STORED, class SUM, int side, int depth>
__device__ void product(void *out, const void *in, int n) {
    using namespace nvcuda;
    const STORED *matrix = (const STORED *)in;
    int warp = (blockIdx.x * blockDim.x + threadIdx.x) / 32, tiles = n / side;
    int row = warp / tiles * side, col = warp % tiles * side;
    wmma::fragment<wmma::matrix_a, side, side, depth, T, wmma::row_major> a;
    wmma::fragment<wmma::matrix_b, side, side, depth, T, wmma::row_major> b;
    wmma::fragment<wmma::accumulator, side, side, depth, SUM> sum;
    if (row >= n) return;
    wmma::fill_fragment(sum, (SUM)0);
    for (int k = 0; k < n; k += depth) {
        wmma::load_matrix_sync(a, matrix + row * n + k, n);
        wmma::load_matrix_sync(b, matrix + k * n + col, n);
        wmma::mma_sync(sum, a, b, sum);
    }
    wmma::store_matrix_sync((SUM *)out + row * n + col, sum, n, wmma::mem_row_major);
}
__global__ void product_f16(void *out, const void *in, int n) { product<__half, __half, float, 16, 16>(out, in, n); }
__global__ void product_bf16(void *out, const void *in, int n) {
    product<__nv_bfloat16, __nv_bfloat16, float, 16, 16>(out, in, n);
}
__global__ void product_tf32(void *out, const void *in, int n) {
    product<nvcuda::wmma::precision::tf32, float, float, 16, 8>(out, in, n);
}
__global__ void product_s8(void *out, const void *in, int n) {
    product<signed char, signed char, int, 16, 16>(out, in, n);
}
__global__ void product_f64(void *out, const void *in, int n) { product<double, double, double, 8, 4>(out, in, n); }

// ---- the list -------------------------------------------------------------------------------------------------------

// half_of() each number, exact in every type but the integers, which have twice as much.
template <class T> static std::vector<double> matrix_of(int n, double unit, T **device) {
    std::vector<double> exact;
    std::vector<T> values;
    for (float x : numbers((size_t)n * n)) {
        exact.push_back(half_of(x) * unit);
        values.push_back((T)(float)exact.back());
    }
    check(cudaMalloc(device, values.size() * sizeof(T)), "cudaMalloc");
    check(cudaMemcpy(*device, values.data(), values.size() * sizeof(T), cudaMemcpyHostToDevice), "cudaMemcpy");
    return exact;
}

// Every 61st element, which meets all lanes.
template <class STORED, class SUM> static int run(const char *name, const void *kernel, int tile, int n, int launches) {
    STORED *in;
    SUM *out;
    std::vector<double> exact = matrix_of(n, sizeof(STORED) == 1 ? 2 : 1, &in);
    std::vector<SUM> found((size_t)n * n);
    void *arguments[] = {&out, &in, &n};
    int threads = n / tile * (n / tile) * 32;
    check(cudaMalloc(&out, found.size() * sizeof(SUM)), "cudaMalloc");
    time_launches(launches, [&] {
        check(cudaLaunchKernel(kernel, dim3((threads + BLOCK - 1) / BLOCK), dim3(BLOCK), arguments, 0, 0), name);
    });
    check(cudaMemcpy(found.data(), out, found.size() * sizeof(SUM), cudaMemcpyDeviceToHost), "cudaMemcpy");
    std::vector<float> floats(found.begin(), found.end());
    print_floats(floats.data(), floats.size());
    for (int at = 0; at < n * n; at += 61) {
        double want = 0;
        for (int k = 0; k < n; k++) want += exact[at / n * n + k] * exact[k * n + at % n];
        if ((double)found[at] == want) continue;
        return fprintf(stderr, "%s: element %d is %g, not %g\n", name, at, (double)found[at], want), 1;
    }
    return 0;
}

static const struct {
    const char *name;
    const void *kernel;
    int (*run)(const char *name, const void *kernel, int tile, int n, int launches);
    int tile;
} kinds[] = {
    {"product_f16", (const void *)product_f16, run<__half, float>, 16},
    {"product_bf16", (const void *)product_bf16, run<__nv_bfloat16, float>, 16},
    {"product_tf32", (const void *)product_tf32, run<float, float>, 16},
    {"product_s8", (const void *)product_s8, run<signed char, int>, 16},
    {"product_f64", (const void *)product_f64, run<double, double>, 8},
};

int main(int argc, char **argv) {
    for (const auto &kind : kinds) {
        if (argc < 2 || strcmp(argv[1], kind.name)) continue;
        int n = argument(argc, argv, 2, 512) / 16 * 16;
        return kind.run(argv[1], kind.kernel, kind.tile, n, argument(argc, argv, 3, 3));
    }
    fprintf(stderr, "usage: %s NAME [SIDE [LAUNCHES]]; the names are\n", argv[0]);
    for (const auto &kind : kinds) fprintf(stderr, "  %s\n", kind.name);
    return 2;
}
