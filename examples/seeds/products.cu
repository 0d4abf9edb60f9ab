// Seed 004, 4.7.1: the three matrix products of the book, as they stand there but for what it leaves out, on one pair
// of square matrices. docs/seeds.md says what the text gets wrong.
//
//     halfwarp profile --gpu 8800gtx examples/seeds/products.cu
#include <cstdio>
#include <cstdlib>

#define BLOCK_SIZE 16
#define AS(i, j) As[i][j]
#define BS(i, j) Bs[i][j]

struct Matrix {
    int width, height;
    float *elements;
};

// matrixMul 0: each thread an element of C, from global memory.
__global__ void MatMulKernel(Matrix A, Matrix B, Matrix C) {
    float Cvalue = 0;
    int row = blockIdx.y * blockDim.y + threadIdx.y;
    int col = blockIdx.x * blockDim.x + threadIdx.x;
    for (int e = 0; e < A.width; ++e) Cvalue += A.elements[row * A.width + e] * B.elements[e * B.width + col];
    C.elements[row * C.width + col] = Cvalue;
}

// matrixMul 1: tiles of 16 x 16 in shared memory.
__global__ void matrixMul(float *C, float *A, float *B, int wA, int wB) {
    int bx = blockIdx.x, by = blockIdx.y, tx = threadIdx.x, ty = threadIdx.y;
    int aBegin = wA * BLOCK_SIZE * by;
    int aEnd = aBegin + wA - 1;
    int aStep = BLOCK_SIZE;
    int bBegin = BLOCK_SIZE * bx;
    int bStep = BLOCK_SIZE * wB;
    float Csub = 0;
    for (int a = aBegin, b = bBegin; a <= aEnd; a += aStep, b += bStep) {
        __shared__ float As[BLOCK_SIZE][BLOCK_SIZE];
        __shared__ float Bs[BLOCK_SIZE][BLOCK_SIZE];
        AS(ty, tx) = A[a + wA * ty + tx];
        BS(ty, tx) = B[b + wB * ty + tx];
        __syncthreads();
        for (int k = 0; k < BLOCK_SIZE; ++k) Csub += AS(ty, k) * BS(k, tx);
        __syncthreads();
    }
    int c = wB * BLOCK_SIZE * by + BLOCK_SIZE * bx;
    C[c + wB * ty + tx] = Csub;
}

// matrixMul 2: 16 sums in each thread's registers. Matrices are by columns; the last loop, which the book leaves out,
// is that of Volkov's original.
__global__ void sgemmNN(const float *A, int lda, const float *B, int ldb, float *C, int ldc, int k) {
    A += blockIdx.x * 64 + threadIdx.x + threadIdx.y * 16;
    B += threadIdx.x + (blockIdx.y * 16 + threadIdx.y) * ldb;
    C += blockIdx.x * 64 + threadIdx.x + (threadIdx.y + blockIdx.y * ldc) * 16;
    __shared__ float bs[16][17];
    float c[16] = {0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0};
    const float *Blast = B + k;
    do {
#pragma unroll
        for (int i = 0; i < 16; i += 4) bs[threadIdx.x][threadIdx.y + i] = B[i * ldb];
        B += 16;
        __syncthreads();
#pragma unroll
        for (int i = 0; i < 16; i++, A += lda) {
            c[0] += A[0] * bs[i][0]; c[1] += A[0] * bs[i][1];
            c[2] += A[0] * bs[i][2]; c[3] += A[0] * bs[i][3];
            c[4] += A[0] * bs[i][4]; c[5] += A[0] * bs[i][5];
            c[6] += A[0] * bs[i][6]; c[7] += A[0] * bs[i][7];
            c[8] += A[0] * bs[i][8]; c[9] += A[0] * bs[i][9];
            c[10] += A[0] * bs[i][10]; c[11] += A[0] * bs[i][11];
            c[12] += A[0] * bs[i][12]; c[13] += A[0] * bs[i][13];
            c[14] += A[0] * bs[i][14]; c[15] += A[0] * bs[i][15];
        }
        __syncthreads();
    } while (B < Blast);
    for (int i = 0; i < 16; i++, C += ldc) C[0] = c[i];
}

static float element(int row, int col) { return (float)((row * 7 + col * 3) % 11 - 5); }

// Elements of C = A B that are wrong; by columns the arrays hold what is the product of the other order by rows.
static int count_wrong(const float *c, int n) {
    int wrong = 0;
    for (int i = 0; i < n; i++)
        for (int j = 0; j < n; j++) {
            float sum = 0;
            for (int k = 0; k < n; k++) sum += element(i, k) * element(k, j);
            wrong += !(c[i * n + j] == sum);
        }
    return wrong;
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 128;
    const size_t bytes = sizeof(float) * n * n;
    float *host = (float *)malloc(bytes), *a, *b, *c;
    int wrong = 0;
    cudaMalloc(&a, bytes);
    cudaMalloc(&b, bytes);
    cudaMalloc(&c, bytes);
    for (int i = 0; i < n * n; i++) host[i] = element(i / n, i % n);
    cudaMemcpy(a, host, bytes, cudaMemcpyHostToDevice);
    cudaMemcpy(b, host, bytes, cudaMemcpyHostToDevice);
    for (int version = 0; version < 3; version++) {
        const dim3 block(BLOCK_SIZE, BLOCK_SIZE), grid(n / BLOCK_SIZE, n / BLOCK_SIZE);
        cudaMemset(c, 0xff, bytes);
        if (version == 0) MatMulKernel<<<grid, block>>>(Matrix{n, n, a}, Matrix{n, n, b}, Matrix{n, n, c});
        if (version == 1) matrixMul<<<grid, block>>>(c, a, b, n, n);
        if (version == 2) sgemmNN<<<dim3(n / 64, n / 16), dim3(16, 4)>>>(b, n, a, n, c, n, n);
        cudaMemcpy(host, c, bytes, cudaMemcpyDeviceToHost);
        wrong += count_wrong(host, n);
    }
    printf("%d x %d multiplied three ways, %d elements are wrong\n", n, n, wrong);
    return wrong != 0;
}
