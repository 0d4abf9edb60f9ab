// The transpose of two tiles a thread (seed 000) of a 2048 x 2048 matrix by blocks of four shapes, for
// tests/cli/profile/estimate.sh.
enum { WIDTH = 2048, PAD = 2 };

template <int COLS, int ROWS> __global__ void two_tiles(float *out, const float *in) {
    __shared__ float tile[ROWS][2 * COLS + PAD];
    int x = threadIdx.x, y = threadIdx.y, first_col = blockIdx.x * 2 * COLS, first_row = blockIdx.y * ROWS;
    const float *from = in + (first_row + y) * WIDTH + first_col + x;
    tile[y][x] = from[0];
    tile[y][x + COLS] = from[COLS];
    __syncthreads();
    // The thread's place in the tile that is written, ROWS wide.
    int thread = y * COLS + x, row = thread / ROWS, col = thread % ROWS;
    float *to = out + (first_col + row) * WIDTH + first_row + col;
    to[0] = tile[col][row];
    to[COLS * WIDTH] = tile[col][row + COLS];
}

template <int COLS, int ROWS> static void launch(float *out, const float *in) {
    two_tiles<COLS, ROWS><<<dim3(WIDTH / (2 * COLS), WIDTH / ROWS), dim3(COLS, ROWS)>>>(out, in);
}

int main() {
    float *in, *out;
    cudaMalloc(&in, WIDTH * WIDTH * sizeof(float));
    cudaMalloc(&out, WIDTH * WIDTH * sizeof(float));
    launch<32, 32>(out, in);
    launch<32, 16>(out, in);
    launch<16, 16>(out, in);
    launch<8, 8>(out, in);
    return cudaDeviceSynchronize() != cudaSuccess;
}
