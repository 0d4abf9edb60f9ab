// The best without tensor cores: tiles of C in registers, fed by a pipeline of asynchronous copies.
//
// Idea       Not measured yet.
// Predicted  Not yet.
// Measured   Not yet.
// Held back  Not yet.
//
// The host (src/op/product_plan.c) chooses these; extents, strides, alpha and beta are parameters:
//
//   ELEMENT_BYTES                4: float, 8: double
//   TILE_ROWS, TILE_COLS         of C, for each block
//   TILE_DEPTH                   steps of k that are in shared memory at a time
//   THREAD_ROWS, THREAD_COLS     of C, for each thread
//   LANE_ROWS                    a warp's lanes are LANE_ROWS x 32 / LANE_ROWS
//   THREADS, RESIDENT            per block; blocks that a multiprocessor is to hold
//   STAGES                       of the pipeline
//   A_VECTOR, B_VECTOR           elements copied at a time along m, n; 0: neighbours in the array are those along k
//   C_VECTOR                     elements stored at a time
//   INDEX_BITS                   32, or 64 where the elements of a tile lie farther from each other
//   BATCH_AXES                   0 to 4
#include "matmul/pipeline.cuh"
#include "matmul/shape.cuh"

// What a block does: which tile of C, of which batch, over which steps of k.
struct block_work {
    long long batch, row, col, k_begin, k_end, place;   // place: the tile's among those in scratch memory
    bool split;

    // Read in a way that the compiler takes for new each time: it works this out again for the results, instead of
    // keeping it in registers that the multiplication needs.
    static __device__ __forceinline__ unsigned block_number() {
        unsigned number;
        asm volatile("mov.u32 %0, %%ctaid.x;" : "=r"(number));
        return number;
    }

    __device__ __forceinline__ block_work(const product_shape &shape) : batch(batch_of_block()) {
        unsigned index = block_number(), part = 0, tile_m, tile_n;
        split = index >= shape.whole_tiles;
        if (split) {
            part = (index - shape.whole_tiles) / shape.split_tiles;
            index -= part * shape.split_tiles;
        }
        find_tile(shape, index, tile_m, tile_n);
        row = (long long)tile_m * TILE_ROWS;
        col = (long long)tile_n * TILE_COLS;
        const long long per_part = (long long)shape.depths_per_part * TILE_DEPTH;
        k_begin = split ? part * per_part : 0;
        k_end = split && per_part < shape.k - k_begin ? k_begin + per_part : shape.k;
        place = (batch * shape.parts + part) * shape.split_tiles + (index - shape.whole_tiles);
    }
};

// To C, or to scratch memory as they are; `again` after the first section.
__device__ __forceinline__ void store(const accumulators &sums, element *c, element *scratch,
                                      const product_shape &shape, bool again) {
    const block_work work(shape);
    const thread_place at;
    if (work.split) {
        store_tile(sums, at, scratch + shape.scratch_start + work.place * (TILE_ROWS * TILE_COLS), TILE_COLS, TILE_ROWS,
                   TILE_COLS, 1, again ? 1 : 0);
    } else {
        go_to_batch(shape, shape.c_batch, work.batch, c);
        store_tile(sums, at, c + shape.c_start + work.row * shape.c_ld + work.col, shape.c_ld, shape.m - work.row,
                   shape.n - work.col, (element)shape.alpha, again ? 1 : (element)shape.beta);
    }
}

extern "C" __global__ __launch_bounds__(THREADS, RESIDENT) void product_tiles(const element *__restrict__ a,
                                                                              const element *__restrict__ b, element *c,
                                                                              element *scratch,
                                                                              const product_shape shape) {
    extern __shared__ __align__(16) unsigned char shared_bytes[];
    const block_work work(shape);
    if (work.batch >= shape.batches) return;
    go_to_batch(shape, shape.a_batch, work.batch, a);
    go_to_batch(shape, shape.b_batch, work.batch, b);
    pipeline steps(thread_place(), a_operand(a + shape.a_start, shape.a_ld, work.row, shape.m, work.k_begin),
                   b_operand(b + shape.b_start, shape.b_ld, work.col, shape.n, work.k_begin), (element *)shared_bytes,
                   work.k_end - work.k_begin);
    accumulators sums;
    for (bool again = false; steps.multiply(sums, shape.section); again = true) store(sums, c, scratch, shape, again);
}
