// The transposes of seeds 000, 002 and 004 (4.7.3) as they stand there but for letters (__synthreads, BlockDim), and
// mended where they are wrong: each is run, and the elements that are wrong are counted. docs/seeds.md says which and
// why.
//
//     halfwarp profile --gpu gtx280 examples/seeds/transposes.cu
#include <cstdio>
#include <cstdlib>

// ---- 004: square blocks ----

#define BLOCK_DIM 16
#define TILE_DIM 32
#define BLOCK_ROWS 8

__global__ void transpose_naive(float *odata, float *idata, int width, int height) {
    unsigned int xIndex = blockDim.x * blockIdx.x + threadIdx.x;
    unsigned int yIndex = blockDim.y * blockIdx.y + threadIdx.y;
    if (xIndex < width && yIndex < height) {
        unsigned int index_in = xIndex + width * yIndex;
        unsigned int index_out = yIndex + height * xIndex;
        odata[index_out] = idata[index_in];
    }
}

__global__ void transpose(float *odata, float *idata, int width, int height) {
    __shared__ float block[BLOCK_DIM][BLOCK_DIM + 1];
    unsigned int xIndex = blockIdx.x * BLOCK_DIM + threadIdx.x;
    unsigned int yIndex = blockIdx.y * BLOCK_DIM + threadIdx.y;
    if ((xIndex < width) && (yIndex < height)) {
        unsigned int index_in = yIndex * width + xIndex;
        block[threadIdx.y][threadIdx.x] = idata[index_in];
    }
    __syncthreads();
    xIndex = blockIdx.y * BLOCK_DIM + threadIdx.x;
    yIndex = blockIdx.x * BLOCK_DIM + threadIdx.y;
    if ((xIndex < height) && (yIndex < width)) {
        unsigned int index_out = yIndex * height + xIndex;
        odata[index_out] = block[threadIdx.x][threadIdx.y];
    }
}

// Right for square matrices alone: blocks are numbered along the diagonal of a square grid. MENDED is NVIDIA's own
// general form, for any grid.
template <bool MENDED>
__global__ void transposeDiagonal(float *odata, float *idata, int width, int height) {
    __shared__ float tile[TILE_DIM][TILE_DIM + 1];
    int blockIdx_y = blockIdx.x;
    int blockIdx_x = (blockIdx.x + blockIdx.y) % gridDim.x;
    if (MENDED && width != height) {
        int bid = blockIdx.x + gridDim.x * blockIdx.y;
        blockIdx_y = bid % gridDim.y;
        blockIdx_x = ((bid / gridDim.y) + blockIdx_y) % gridDim.x;
    }
    int xIndex = blockIdx_x * TILE_DIM + threadIdx.x;
    int yIndex = blockIdx_y * TILE_DIM + threadIdx.y;
    int index_in = xIndex + yIndex * width;
    xIndex = blockIdx_y * TILE_DIM + threadIdx.x;
    yIndex = blockIdx_x * TILE_DIM + threadIdx.y;
    int index_out = xIndex + yIndex * height;
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (!MENDED && index_in + i * width >= width * height) continue;   // as printed it reads past the end there
        tile[threadIdx.y + i][threadIdx.x] = idata[index_in + i * width];
    }
    __syncthreads();
    for (int i = 0; i < TILE_DIM; i += BLOCK_ROWS) {
        if (!MENDED && index_out + i * height >= width * height) continue;
        odata[index_out + i * height] = tile[threadIdx.x][threadIdx.y + i];
    }
}

// ---- 000: blocks of 32 x 16 ----

#define BDIMX 32
#define BDIMY 16
#define IPAD 2

__global__ void naiveGmem(float *out, float *in, const int nx, const int ny) {
    unsigned int ix = blockIdx.x * blockDim.x + threadIdx.x;
    unsigned int iy = blockIdx.y * blockDim.y + threadIdx.y;
    if (ix < nx && iy < ny) out[ix * ny + iy] = in[iy * nx + ix];
}

// One block's tile, of a square block: of 32 x 16 threads half would read past the tile's last row.
__global__ void setRowReadCol(float *out) {
    __shared__ int tile[BDIMY][BDIMX];
    unsigned int idx = threadIdx.y * blockDim.x + threadIdx.x;
    tile[threadIdx.y][threadIdx.x] = idx;
    __syncthreads();
    out[idx] = tile[threadIdx.x][threadIdx.y];
}

// As printed the block's place in the result has blockDim.x and blockDim.y exchanged, which only square blocks forgive,
// and the barrier stands inside of the question whether the thread has an element.
template <bool MENDED>
__global__ void transposeSmem(float *out, float *in, int nx, int ny) {
    __shared__ float tile[BDIMY][BDIMX];
    unsigned int ix, iy, ti, to, bidx, irow, icol;
    ix = blockIdx.x * blockDim.x + threadIdx.x;
    iy = blockIdx.y * blockDim.y + threadIdx.y;
    ti = iy * nx + ix;
    const bool has_element = ix < nx && iy < ny;
    bidx = threadIdx.y * blockDim.x + threadIdx.x;
    irow = bidx / blockDim.y;
    icol = bidx % blockDim.y;
    ix = blockIdx.y * (MENDED ? blockDim.y : blockDim.x) + icol;
    iy = blockIdx.x * (MENDED ? blockDim.x : blockDim.y) + irow;
    to = iy * ny + ix;
    if (has_element) tile[threadIdx.y][threadIdx.x] = in[ti];
    __syncthreads();
    if (ix < ny && iy < nx) out[to] = tile[icol][irow];
}

// As printed: the same, and what it names ix2 and iy2 is declared nowhere.
template <bool MENDED>
__global__ void transposeSmemUnrollPad(float *out, float *in, const int nx, const int ny) {
    __shared__ float tile[BDIMY * (BDIMX * 2 + IPAD)];
    unsigned int ix, iy, ti, to, bidx, irow, icol;
    ix = 2 * blockIdx.x * blockDim.x + threadIdx.x;
    iy = blockIdx.y * blockDim.y + threadIdx.y;
    ti = iy * nx + ix;
    bidx = threadIdx.y * blockDim.x + threadIdx.x;
    irow = bidx / blockDim.y;
    icol = bidx % blockDim.y;
    unsigned int ix2 = blockIdx.y * (MENDED ? blockDim.y : blockDim.x) + icol;
    unsigned int iy2 = 2 * blockIdx.x * (MENDED ? blockDim.x : blockDim.y) + irow;
    to = iy2 * ny + ix2;
    const bool has_elements = ix + blockDim.x < nx && iy < ny;
    if (has_elements) {
        unsigned int row_idx = threadIdx.y * (blockDim.x * 2 + IPAD) + threadIdx.x;
        tile[row_idx] = in[ti];
        tile[row_idx + BDIMX] = in[ti + BDIMX];
    }
    __syncthreads();
    unsigned int col_idx = icol * (blockDim.x * 2 + IPAD) + irow;
    if (ix2 < ny && iy2 + blockDim.x < nx) {
        out[to] = tile[col_idx];
        out[to + ny * BDIMX] = tile[col_idx + BDIMX];
    }
}

// ---- 002: without conflicts by an exclusive or of the column, in place of a pad ----

template <bool SWIZZLED>
__global__ void transpose_v1(float *output, float *input, int nx, int ny) {
    __shared__ float smem[TILE_DIM][TILE_DIM];
    const int tx = threadIdx.x;
    const int ty = threadIdx.y;
    int id_x = blockIdx.x * TILE_DIM + tx;
    int id_y = blockIdx.y * TILE_DIM + ty;
    if (id_x < nx && id_y < ny) smem[ty][SWIZZLED ? tx ^ ty : tx] = input[id_y * nx + id_x];
    __syncthreads();
    int trans_x = blockIdx.y * TILE_DIM + tx;
    int trans_y = blockIdx.x * TILE_DIM + ty;
    if (trans_x < ny && trans_y < nx) output[trans_y * ny + trans_x] = smem[tx][SWIZZLED ? ty ^ tx : ty];
}

// ---- Running them ----

static float *in, *out, *host;

static void tell(const char *name, int width, int height) {
    int wrong = 0;
    cudaMemcpy(host, out, sizeof(float) * width * height, cudaMemcpyDeviceToHost);
    for (int i = 0; i < height; i++)
        for (int j = 0; j < width; j++) wrong += host[j * height + i] != (float)(i * width + j);
    printf("%-40s %4d x %4d: %d wrong\n", name, width, height, wrong);
    cudaMemset(out, 0xff, sizeof(float) * width * height);
}

// Blocks of 32 x 32 threads, as 002 has them, came with compute capability 2.0.
static bool has_large_blocks() {
    int most = 0;
    cudaDeviceGetAttribute(&most, cudaDevAttrMaxThreadsPerBlock, 0);
    return most >= TILE_DIM * TILE_DIM;
}

static void run_one_tile() {
    const dim3 block(BDIMY, BDIMY);
    setRowReadCol<<<1, block>>>(out);
    tell("setRowReadCol", BDIMY, BDIMY);
}

#define RUN(kernel, grid, block)                        \
    kernel<<<grid, block>>>(out, in, width, height);    \
    tell(#kernel, width, height)

static void run_all(int width, int height) {
    const dim3 squares(width / BLOCK_DIM, height / BLOCK_DIM), square(BLOCK_DIM, BLOCK_DIM);
    const dim3 tiles(width / TILE_DIM, height / TILE_DIM), tile(TILE_DIM, BLOCK_ROWS);
    const dim3 blocks(width / BDIMX, height / BDIMY), pairs(width / BDIMX / 2, height / BDIMY), block(BDIMX, BDIMY);
    for (int i = 0; i < width * height; i++) host[i] = (float)i;
    cudaMemcpy(in, host, sizeof(float) * width * height, cudaMemcpyHostToDevice);
    cudaMemset(out, 0xff, sizeof(float) * width * height);
    RUN(transpose_naive, squares, square);
    RUN(transpose, squares, square);
    RUN(transposeDiagonal<false>, tiles, tile);
    RUN(transposeDiagonal<true>, tiles, tile);
    RUN(naiveGmem, blocks, block);
    RUN(transposeSmem<false>, blocks, block);
    RUN(transposeSmem<true>, blocks, block);
    RUN(transposeSmemUnrollPad<false>, pairs, block);
    RUN(transposeSmemUnrollPad<true>, pairs, block);
    if (!has_large_blocks()) return;
    RUN(transpose_v1<false>, tiles, dim3(TILE_DIM, TILE_DIM));
    RUN(transpose_v1<true>, tiles, dim3(TILE_DIM, TILE_DIM));
}

int main(int argc, char **argv) {
    const int n = argc > 1 ? atoi(argv[1]) : 256;
    const size_t bytes = sizeof(float) * n * n;
    host = (float *)malloc(bytes);
    cudaMalloc(&in, bytes);
    cudaMalloc(&out, bytes);
    run_one_tile();
    run_all(n, n);
    run_all(n, n / 2);
    return cudaDeviceSynchronize();
}
