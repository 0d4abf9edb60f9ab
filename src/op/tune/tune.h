// What the operations' choices on a GPU rest on: numbers that were measured on one GPU, a table for each compute
// capability of which a GPU was measured (cc_NN.def). A device without a table of its own gets that of the nearest
// older compute capability, else the oldest, scaled by the two GPUs' datasheets.
#ifndef HW_OP_TUNE_H
#define HW_OP_TUNE_H

#include "op/matmul/product_plan.h"
#include "op/matmul/tensor_plan.h"
#include "op/nearest/nearest_plan.h"
#include "op/reduce/reduce_plan.h"
#include "op/transpose/transpose_plan.h"

// A tile on CUDA cores and what it reaches.
typedef struct hw_tune_tile {
    hw_product_tile tile;
    enum { HW_TILE_ANY, HW_TILE_LEAN /* only where B is copied by whole words: otherwise the registers do not suffice
                                        for so many blocks */, HW_TILE_RICH /* where the lean one cannot be */ } use;
    float rate[3];   // TFLOP/s of the GPU with one block on each multiprocessor, with two, with as many as fit
} hw_tune_tile;

// Tiles on tensor cores, by how elements are multiplied.
enum { HW_TUNE_TILES = 16, HW_TUNE_TENSOR_TILES = 4 };

typedef struct hw_tune_product {
    hw_tune_tile f32[HW_TUNE_TILES], f64[HW_TUNE_TILES];   // up to the first without rows
    double launch_us;                              // what a launch costs beyond its work
    double dram, l2, scratch;                      // bytes a microsecond: arrays, strips of tiles, parts and their sums
    double single_elements, pairs, transposed_b;   // what a tile takes longer when A or B is copied so: a share
    hw_tensor_core_tile tensor[HW_MMAS][HW_TUNE_TENSOR_TILES];
    double fewer_stages;                           // the rate of a tile on tensor cores with fewer stages than its own
    double f64_tensor_blocks;                      // for each multiprocessor, from which on f64 goes to tensor cores
    uint32_t rows_together;                        // of C, whose tiles follow each other in the grid
} hw_tune_product;

// Sums of f64 and f32 that are exact (95_exact.cu).
typedef struct hw_tune_exact {
    uint32_t words;                            // of 16 bytes, under way for each thread
    uint32_t threads;                          // of blocks whose threads have an output each
    uint32_t many_outputs;                     // that keep a GPU busy with a thread for each
    uint32_t few_terms;                        // of these: fewer are not worth a block
    uint32_t thread_terms;                     // fewer are not worth a block, however few outputs there are
} hw_tune_exact;

// Nearest neighbours: points are of 4 bytes and more, by dimensions and type.
typedef struct hw_tune_nearest {
    // What each way costs, in pairs of points that brute force looks at in the same time.
    double brute_pair, brute_result;           // for k above 1: a pair, and a result
    double search_multiprocessor, search_point, search_query, search_result;
    // Every pair (80_brute.cu, a thread for some queries; 82_select.cu, a warp). Of points up to 16, 32, 64 bytes, and
    // larger: points in shared memory at a time; queries of a thread; of a warp.
    uint32_t tile[4], thread_queries[4], warp_queries[4];
    uint32_t few_queries, few_points;          // below these tiles are short; below the first warps have queries
    uint32_t short_tile;
    uint32_t many_neighbours;                  // above it a warp has no more queries than of points of 32 bytes
    uint32_t thread_block, warp_block;         // threads of a block
    uint32_t blocks;                           // of 128 threads, for each multiprocessor, until points are not cut
    // The search (90_index.cu, 92_search.cu).
    uint32_t search_threads, build_blocks;     // blocks for each multiprocessor
    uint32_t sorted_queries;                   // more are sorted first
    uint32_t cell_bits;                        // cells for each point on the first curve: 2^cell_bits
} hw_tune_nearest;

typedef struct hw_tune {
    int cc;
    const char *gpu;                           // the GPU that it was measured on, a row of isa/gpus
    hw_tune_product product;
    hw_tile_goals transpose;
    hw_swap_goals swap;
    hw_reduce_goals reduce;
    hw_tune_exact exact;
    hw_tune_nearest nearest;
} hw_tune;

// Never NULL. Pure.
const hw_tune *hw_tune_for(const hw_device_properties *device);

// What the device's compute capability fixes (banks, kinds of tensor cores), or the nearest older one that is known.
// Never NULL, not for a processor either.
const hw_arch *hw_tune_arch(const hw_device_properties *device);

// How much more of each the device has than the table's GPU; 1 where the device does not say. Of multiplications a
// multiprocessor's; 1 on GPUs of the table's own compute capability, which differ in clock alone.
typedef struct hw_tune_scale {
    double memory, multiply;
    uint32_t multiprocessors;   // of the table's GPU
} hw_tune_scale;
hw_tune_scale hw_tune_scale_for(const hw_tune *tune, const hw_device_properties *device, bool is_f64);

#endif
