// The best without tensor cores: tiles of C in registers, fed by a pipeline of asynchronous copies.
//
// Idea       A block makes a tile of C, a thread 8x8 elements of it: each step of k is two fragments of 8 from shared
//            memory (four reads of 16 bytes, two passes over the banks each, because lanes that read the same are
//            neighbours) for 64 multiply-adds. Strips of A and B come by asynchronous copies, three tiles ahead; where
//            k is the fast axis an element at a time, turned on the way, else by words as wide as the alignment
//            allows. The next step's fragments are read before this one's products are added. Products go to and fro
//            over the thread's tile, so that each shares a register with the one before. Every 1376 steps or less the
//            sums go to C, which rounds less. Tiles of the last round, or all where they are few, are cut along k and
//            added up by 95_sum_parts.cu.
// Predicted  H200, f32 4096: 66.9 TFLOP/s at 1.98 GHz is one FFMA per scheduler and cycle. The loop of 64x128 tiles has
//            1024 FFMA in 1159 instructions: 59.1. 15.5 tiles for each multiprocessor, of which the last half round is
//            cut: 58. Strips are 3.2 TB/s from L2, C is 0.2 GB: neither is in the way. 1024x1024x1024: 128 tiles of
//            64x128, 262144 copies of A of 4 sectors each and 131072 of B of 16, no conflicts.
// Measured   H200, f32, TFLOP/s (cuBLAS in the same run; its relative error is 1.15e-6 at 4096, ours 6.6e-7): 4096 52.1
//            (51.3), 8192 53.0 (51.2), 4097x4099x4111 45.7 (44.5), 1000 38.1 (39.4), 1024 42.4 (38.1), 8192x8192x32
//            36.0 (25.7), 32x8192x8192 39.5 (22.8), 128x128x65536 37.2 (32.8), 65536x64x64 27.2 (26.6). A with m as
//            its fast axis, 4096: 53.6 (51.7). f64 4096: 25.7 of 33.5. Clock 1.98 GHz throughout.
// Held back  Not by memory: L2 is at less than a third of its rate. In relatives of this kernel (128x128 tiles, 8x16
//            elements a thread) a warp waits 0.2 cycles an instruction for dispatch, most often where the operands of
//            an FFMA lie in one register bank, and loops of 35 KB lose up to 9% to fetching instructions; this one is
//            18 KB. Elements that are copied singly cost an instruction each: 4096 with unaligned rows reaches 47.5.
//
// The host (src/op/matmul/product_plan.c) chooses these; extents, strides, alpha and beta are parameters:
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
