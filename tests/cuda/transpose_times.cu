// Three transposes of a matrix that is 2048 wide, for tests/cli/estimate.sh: naive, by padded tiles, and by padded tiles in
// diagonal order (NVIDIA, Optimizing Matrix Transpose in CUDA).
enum { TILE = 32, ROWS = 8, WIDTH = 2048 };

__global__ void naive(float *out, const float *in) {
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) out[col * WIDTH + row + k] = in[(row + k) * WIDTH + col];
}

__device__ void transpose_tile(float *out, const float *in, int tile_col, int tile_row) {
    __shared__ float tile[TILE][TILE + 1];
    int col = tile_col * TILE + threadIdx.x, row = tile_row * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) tile[threadIdx.y + k][threadIdx.x] = in[(row + k) * WIDTH + col];
    __syncthreads();
    col = tile_row * TILE + threadIdx.x;
    row = tile_col * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) out[(row + k) * WIDTH + col] = tile[threadIdx.x][threadIdx.y + k];
}

__global__ void tiled(float *out, const float *in) { transpose_tile(out, in, blockIdx.x, blockIdx.y); }

__global__ void diagonal(float *out, const float *in) {
    transpose_tile(out, in, (blockIdx.x + blockIdx.y) % gridDim.x, blockIdx.x);
}

int main() {
    float *in, *out;
    cudaMalloc(&in, WIDTH * WIDTH * sizeof(float));
    cudaMalloc(&out, WIDTH * WIDTH * sizeof(float));
    dim3 grid(WIDTH / TILE, WIDTH / TILE), block(TILE, ROWS);
    naive<<<grid, block>>>(out, in);
    tiled<<<grid, block>>>(out, in);
    diagonal<<<grid, block>>>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
