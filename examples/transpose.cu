// Three ways to transpose a matrix. Profile them and compare the rows:
//
//   halfwarp profile examples/transpose.cu
//
// naive    reads along rows and writes along columns: each warp's store touches 32 sectors to use 4 bytes of each.
// tiled    turns a 32x32 tile in shared memory, so both global accesses run along rows; but the tile's columns lie in
//          one bank, and reading one takes 32 passes.
// padded   one unused column shifts each row of the tile by one bank: no conflicts are left.
#include <cstdio>
#include <cstdlib>
#include <vector>

constexpr int TILE = 32;   // threads of a warp, and banks of shared memory
constexpr int ROWS = 8;    // rows of threads in a block: each thread moves TILE / ROWS elements

__global__ void transpose_naive(float *out, const float *in, int width, int height) {
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (col < width && row + i < height)
            out[col * height + row + i] = in[(row + i) * width + col];
}

template <int PAD>
__device__ void transpose_by_tile(float *out, const float *in, int width, int height) {
    __shared__ float tile[TILE][TILE + PAD];
    int col = blockIdx.x * TILE + threadIdx.x;
    int row = blockIdx.y * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (col < width && row + i < height)
            tile[threadIdx.y + i][threadIdx.x] = in[(row + i) * width + col];
    __syncthreads();
    int out_col = blockIdx.y * TILE + threadIdx.x;
    int out_row = blockIdx.x * TILE + threadIdx.y;
    for (int i = 0; i < TILE; i += ROWS)
        if (out_col < height && out_row + i < width)
            out[(out_row + i) * height + out_col] = tile[threadIdx.x][threadIdx.y + i];
}

__global__ void transpose_tiled(float *out, const float *in, int width, int height) {
    transpose_by_tile<0>(out, in, width, height);
}

__global__ void transpose_padded(float *out, const float *in, int width, int height) {
    transpose_by_tile<1>(out, in, width, height);
}

static void check(cudaError_t status, const char *what) {
    if (status == cudaSuccess) return;
    fprintf(stderr, "%s: %s\n", what, cudaGetErrorString(status));
    exit(1);
}

typedef void (*transpose_kernel)(float *out, const float *in, int width, int height);

// Runs one version and compares its result with the definition. Returns the number of wrong elements.
static int run(transpose_kernel kernel, float *d_out, const float *d_in, const std::vector<float> &in, int width,
               int height) {
    size_t bytes = in.size() * sizeof(float);
    std::vector<float> out(in.size());
    check(cudaMemset(d_out, 0xff, bytes), "cudaMemset");
    dim3 grid((width + TILE - 1) / TILE, (height + TILE - 1) / TILE);
    kernel<<<grid, dim3(TILE, ROWS)>>>(d_out, d_in, width, height);
    check(cudaGetLastError(), "launch");
    check(cudaMemcpy(out.data(), d_out, bytes, cudaMemcpyDeviceToHost), "cudaMemcpy");
    int wrong = 0;
    for (int row = 0; row < height; row++)
        for (int col = 0; col < width; col++) wrong += out[col * height + row] != in[row * width + col];
    return wrong;
}

int main(int argc, char **argv) {
    int width = argc > 1 ? atoi(argv[1]) : 1024, height = argc > 2 ? atoi(argv[2]) : width;
    if (width < 1 || height < 1 || width > 32768 || height > 32768) {
        fprintf(stderr, "usage: transpose [WIDTH [HEIGHT]], each from 1 to 32768\n");
        return 2;
    }
    std::vector<float> in((size_t)width * height);
    for (size_t i = 0; i < in.size(); i++) in[i] = (float)(i % 16777213);
    float *d_in, *d_out;
    check(cudaMalloc(&d_in, in.size() * sizeof(float)), "cudaMalloc");
    check(cudaMalloc(&d_out, in.size() * sizeof(float)), "cudaMalloc");
    check(cudaMemcpy(d_in, in.data(), in.size() * sizeof(float), cudaMemcpyHostToDevice), "cudaMemcpy");

    struct {
        const char *name;
        transpose_kernel kernel;
    } versions[] = {{"naive", transpose_naive}, {"tiled", transpose_tiled}, {"padded", transpose_padded}};
    int wrong = 0;
    for (auto &version : versions) {
        int bad = run(version.kernel, d_out, d_in, in, width, height);
        if (bad) printf("%s: %d of %zu elements are wrong\n", version.name, bad, in.size());
        wrong += bad;
    }
    if (!wrong) printf("%d x %d transposed three ways, all right\n", width, height);
    check(cudaFree(d_in), "cudaFree");
    check(cudaFree(d_out), "cudaFree");
    return wrong != 0;
}
