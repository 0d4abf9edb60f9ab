// The copies and transposes of NVIDIA's Optimizing Matrix Transpose in CUDA, which seed 004 took its own from, of a
// matrix that is 2048 wide (-DWIDTH=W for another): in the order of that document's table, for cli.estimate.
#ifndef WIDTH
#define WIDTH 2048
#endif
enum { TILE = 32, ROWS = 8 };

__device__ int place(int row, int col) { return row * WIDTH + col; }

__global__ void copy(float *out, const float *in) {
    int at = place(blockIdx.y * TILE + threadIdx.y, blockIdx.x * TILE + threadIdx.x);
    for (int k = 0; k < TILE; k += ROWS) out[at + place(k, 0)] = in[at + place(k, 0)];
}

__global__ void naive(float *out, const float *in) {
    int col = blockIdx.x * TILE + threadIdx.x, row = blockIdx.y * TILE + threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) out[place(col, row + k)] = in[place(row + k, col)];
}

// By a tile in shared memory: from tile (in_row, in_col) to (out_row, out_col), its elements transposed or not.
template <int PAD, bool IS_TRANSPOSED>
__device__ void move_tile(float *out, const float *in, int in_row, int in_col, int out_row, int out_col) {
    __shared__ float tile[TILE][TILE + PAD];
    int x = threadIdx.x, y = threadIdx.y;
    for (int k = 0; k < TILE; k += ROWS) tile[y + k][x] = in[place(in_row * TILE + y + k, in_col * TILE + x)];
    __syncthreads();
    for (int k = 0; k < TILE; k += ROWS)
        out[place(out_row * TILE + y + k, out_col * TILE + x)] = IS_TRANSPOSED ? tile[x][y + k] : tile[y + k][x];
}

__global__ void shared_copy(float *out, const float *in) {
    move_tile<0, false>(out, in, blockIdx.y, blockIdx.x, blockIdx.y, blockIdx.x);
}
__global__ void coalesced(float *out, const float *in) {
    move_tile<0, true>(out, in, blockIdx.y, blockIdx.x, blockIdx.x, blockIdx.y);
}
__global__ void no_conflicts(float *out, const float *in) {
    move_tile<1, true>(out, in, blockIdx.y, blockIdx.x, blockIdx.x, blockIdx.y);
}
__global__ void fine_grained(float *out, const float *in) {
    move_tile<1, true>(out, in, blockIdx.y, blockIdx.x, blockIdx.y, blockIdx.x);
}
__global__ void coarse_grained(float *out, const float *in) {
    move_tile<1, false>(out, in, blockIdx.y, blockIdx.x, blockIdx.x, blockIdx.y);
}
__global__ void diagonal(float *out, const float *in) {
    int row = blockIdx.x, col = (blockIdx.x + blockIdx.y) % gridDim.x;
    move_tile<1, true>(out, in, row, col, col, row);
}

int main() {
    float *in, *out;
    cudaMalloc(&in, WIDTH * WIDTH * sizeof(float));
    cudaMalloc(&out, WIDTH * WIDTH * sizeof(float));
    dim3 grid(WIDTH / TILE, WIDTH / TILE), block(TILE, ROWS);
    copy<<<grid, block>>>(out, in);
    shared_copy<<<grid, block>>>(out, in);
    naive<<<grid, block>>>(out, in);
    coalesced<<<grid, block>>>(out, in);
    no_conflicts<<<grid, block>>>(out, in);
    fine_grained<<<grid, block>>>(out, in);
    coarse_grained<<<grid, block>>>(out, in);
    diagonal<<<grid, block>>>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
