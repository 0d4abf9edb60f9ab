// The second half of a product whose k was cut: adds up the parts of each tile, in the order of k.
//
// Idea       Blocks of 90_tiles.cu left their tiles as they were, one after the other. A thread adds a word of one tile
//            over all parts, or GROUPS threads do and add their sums in the order of their numbers: the same bits every
//            time. Without parts (k = 0) it is C = beta C.
// Predicted  H200, 32x8192x8192 in 8 parts: 8.4 MB that lie in L2, 2 us and a launch.
// Measured   H200, 32x8192x8192: 108.8 us with the product, in 4, 6, 8, 12 parts 110, 108, 109, 119.
// Held back  By its launch: the more parts, the better the multiprocessors are filled, and the more is written and read
//            again.
//
//   ELEMENT_BYTES, TILE_ROWS, TILE_COLS, BATCH_AXES   as for 90_tiles.cu
//   VECTOR                                            elements of a word
//   THREADS, GROUPS                                   per block; threads that share the parts of one word
#include "common/word.cuh"
#include "matmul/shape.cuh"

typedef parts_of<element, VECTOR> word;

constexpr int BLOCK_WORDS = THREADS / GROUPS, ROW_WORDS = TILE_COLS / VECTOR;
constexpr int TILE_WORDS = TILE_ROWS * ROW_WORDS, TILE_BLOCKS = (TILE_WORDS + BLOCK_WORDS - 1) / BLOCK_WORDS;

// The sum of every GROUPS-th part from `first` on; several are in flight.
__device__ __forceinline__ word sum_parts(const word *from, long long step, unsigned first, unsigned parts) {
    word sum;
#pragma unroll
    for (int v = 0; v < VECTOR; v++) sum.parts[v] = 0;
#pragma unroll 8
    for (unsigned part = first; part < parts; part += GROUPS) {
        word next;
        next.whole = from[part * step].whole;
#pragma unroll
        for (int v = 0; v < VECTOR; v++) sum.parts[v] += next.parts[v];
    }
    return sum;
}

extern "C" __global__ __launch_bounds__(THREADS) void product_sum_parts(const element *scratch, element *c,
                                                                        const product_shape shape) {
    const long long batch = batch_of_block();
    if (batch >= shape.batches) return;
    go_to_batch(shape, shape.c_batch, batch, c);
    const unsigned tile = blockIdx.x / TILE_BLOCKS, block = blockIdx.x - tile * TILE_BLOCKS;
    const int place = block * BLOCK_WORDS + threadIdx.x % BLOCK_WORDS, group = threadIdx.x / BLOCK_WORDS;
    if (TILE_WORDS % BLOCK_WORDS && place >= TILE_WORDS) return;

    const long long step = (long long)shape.split_tiles * TILE_WORDS;
    const word *from =
        (const word *)(scratch + shape.scratch_start) + batch * shape.parts * step + (long long)tile * TILE_WORDS;
    word sum = sum_parts(from + place, step, group, shape.parts);
#if GROUPS > 1
    __shared__ decltype(word::whole) sums[GROUPS][BLOCK_WORDS];
    sums[group][threadIdx.x % BLOCK_WORDS] = sum.whole;
    __syncthreads();
    if (group > 0) return;
#pragma unroll
    for (int g = 1; g < GROUPS; g++) {
        word other;
        other.whole = sums[g][threadIdx.x];
#pragma unroll
        for (int v = 0; v < VECTOR; v++) sum.parts[v] += other.parts[v];
    }
#endif

    unsigned tile_m, tile_n;
    find_tile(shape, shape.whole_tiles + tile, tile_m, tile_n);
    const long long row = (long long)tile_m * TILE_ROWS + place / ROW_WORDS;
    const long long col = (long long)tile_n * TILE_COLS + place % ROW_WORDS * VECTOR;
    if (row >= shape.m || col >= shape.n) return;
    word *to = (word *)(c + shape.c_start + row * shape.c_ld + col);
    const element alpha = (element)shape.alpha, beta = (element)shape.beta;
    word value;
    if (beta != 0) value.whole = to->whole;
#pragma unroll
    for (int v = 0; v < VECTOR; v++)
        value.parts[v] = beta != 0 ? alpha * sum.parts[v] + beta * value.parts[v] : alpha * sum.parts[v];
    to->whole = value.whole;
}
