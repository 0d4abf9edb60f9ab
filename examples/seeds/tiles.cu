// The matrix products of seed 001 as they stand there but for letters and names (`n` and WIDTH for Width), on square
// matrices of a width that tiles divide and of one that they do not. docs/seeds.md says what is wrong.
//
//     halfwarp profile --gpu h200 examples/seeds/tiles.cu
#include <cstdio>
#include <cstdlib>
#include <vector>

#define TILE_WIDTH 16

// 1.2: each thread an element of P, from global memory.
__global__ void MatrixMulKernel(float *M, float *N, float *P, int Width) {
    int Row = blockIdx.y * blockDim.y + threadIdx.y;
    int Col = blockIdx.x * blockDim.x + threadIdx.x;
    if ((Row < Width) && (Col < Width)) {
        float Pvalue = 0;
        for (int k = 0; k < Width; ++k) Pvalue += M[Row * Width + k] * N[k * Width + Col];
        P[Row * Width + Col] = Pvalue;
    }
}

// 4.4: tiles, of widths that TILE_WIDTH divides.
__global__ void TiledKernel(float *M, float *N, float *P, int Width) {
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
    int bx = blockIdx.x;
    int by = blockIdx.y;
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int Row = by * blockDim.y + ty;
    int Col = bx * blockDim.x + tx;
    float Pvalue = 0;
    for (int p = 0; p < Width / TILE_WIDTH; ++p) {
        ds_M[ty][tx] = M[Row * Width + p * TILE_WIDTH + tx];
        ds_N[ty][tx] = N[(p * TILE_WIDTH + ty) * Width + Col];
        __syncthreads();
        for (int i = 0; i < TILE_WIDTH; ++i) Pvalue += ds_M[ty][i] * ds_N[i][tx];
        __syncthreads();
    }
    P[Row * Width + Col] = Pvalue;
}

// 5.2: tiles, of any width. As printed the second barrier is inside of the question whether the thread has an element:
// the others are already a tile further.
template <bool MENDED>
__global__ void BoundedKernel(float *M, float *N, float *P, int Width) {
    __shared__ float ds_M[TILE_WIDTH][TILE_WIDTH];
    __shared__ float ds_N[TILE_WIDTH][TILE_WIDTH];
    int tx = threadIdx.x;
    int ty = threadIdx.y;
    int Row = blockIdx.y * blockDim.y + ty;
    int Col = blockIdx.x * blockDim.x + tx;
    float Pvalue = 0;
    for (int p = 0; p < (Width - 1) / TILE_WIDTH + 1; ++p) {
        if (Row < Width && p * TILE_WIDTH + tx < Width) ds_M[ty][tx] = M[Row * Width + p * TILE_WIDTH + tx];
        else ds_M[ty][tx] = 0.0;
        if (p * TILE_WIDTH + ty < Width && Col < Width) ds_N[ty][tx] = N[(p * TILE_WIDTH + ty) * Width + Col];
        else ds_N[ty][tx] = 0.0;
        __syncthreads();
        if (Row < Width && Col < Width) {
            for (int i = 0; i < TILE_WIDTH; ++i) Pvalue += ds_M[ty][i] * ds_N[i][tx];
            if (!MENDED) __syncthreads();
        }
        if (MENDED) __syncthreads();
    }
    if (Row < Width && Col < Width) P[Row * Width + Col] = Pvalue;
}

static float element(int row, int col) { return (float)((row * 7 + col * 3) % 11 - 5); }

static void tell(const char *name, const float *P, int width) {
    std::vector<float> host(width * width);
    int wrong = 0;
    if (cudaMemcpy(host.data(), P, host.size() * sizeof(float), cudaMemcpyDeviceToHost)) exit(1);
    for (int i = 0; i < width; i++)
        for (int j = 0; j < width; j++) {
            float sum = 0;
            for (int k = 0; k < width; k++) sum += element(i, k) * element(k, j);
            wrong += !(host[i * width + j] == sum);
        }
    printf("%-22s %3d: %d wrong\n", name, width, wrong);
}

#define RUN(kernel)                                   \
    cudaMemset(P, 0xff, bytes);                       \
    kernel<<<grid, block>>>(M, N, P, width);          \
    tell(#kernel, P, width)

static void run_all(int width) {
    const int tiles = (width + TILE_WIDTH - 1) / TILE_WIDTH;
    const dim3 grid(tiles, tiles), block(TILE_WIDTH, TILE_WIDTH);
    const size_t bytes = sizeof(float) * width * width;
    std::vector<float> host(width * width);
    float *M, *N, *P;
    for (int i = 0; i < width * width; i++) host[i] = element(i / width, i % width);
    cudaMalloc(&M, bytes);
    cudaMalloc(&N, bytes);
    cudaMalloc(&P, bytes);
    cudaMemcpy(M, host.data(), bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(N, host.data(), bytes, cudaMemcpyHostToDevice);
    RUN(MatrixMulKernel);
    if (width % TILE_WIDTH == 0) {
        RUN(TiledKernel);
    }
    RUN(BoundedKernel<false>);
    RUN(BoundedKernel<true>);
    cudaFree(M);
    cudaFree(N);
    cudaFree(P);
}

int main() {
    run_all(128);
    run_all(100);
    return cudaDeviceSynchronize();
}
