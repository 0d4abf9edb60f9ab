// How a matrix product in true fp32 or fp64 is done on a GPU's CUDA cores: a pure function of the product and the
// device. The kernels are kernels/matmul/90_tiles.cu, which multiplies tile by tile, and 95_sum_parts.cu, which adds
// up what several blocks have multiplied of one tile; they say what the numbers of a tile mean.
#ifndef HW_OP_PRODUCT_PLAN_H
#define HW_OP_PRODUCT_PLAN_H

#include "op/common/plan.h"
#include "op/matmul/product.h"

enum { HW_PRODUCT_PIECES = 4 };

// How a block multiplies.
typedef struct hw_product_tile {
    uint32_t rows, cols, depth;          // of C that a block makes; steps of k that it has in shared memory at a time
    uint32_t thread_rows, thread_cols;   // of C that a thread makes
    uint32_t lane_rows;                  // of a warp's 32 lanes; 32 / lane_rows lanes are side by side
    uint32_t stages;                     // of the pipeline in shared memory
    uint32_t threads, resident;          // per block; blocks that a multiprocessor is to hold
} hw_product_tile;

// A rectangle of C that one launch makes, by one kind of tile.
typedef struct hw_product_piece {
    uint64_t row, col, m, n;   // of C
    hw_product_tile tile;
    uint32_t a_vector, b_vector, c_vector;   // elements that a lane moves at a time
    uint64_t tiles_m, tiles_n;
    uint64_t whole_tiles;       // of tiles_m * tiles_n: each by one block; the rest by `parts` blocks each
    uint32_t parts;             // 1: nothing is split
    uint64_t depths_per_part;   // steps of tile.depth
    uint64_t scratch_start;     // elements
    uint32_t section;           // steps of tile.depth that are added up before the sums go to memory
    uint32_t group_rows;        // tiles below each other before the next column, so that they meet in L2
    uint32_t shared_bytes;
    bool index64;   // a tile's elements do not lie within 2^31 of each other
} hw_product_piece;

typedef struct hw_product_choice {
    bool is_f64;
    bool only_scales;    // k is 0 or alpha is: C = beta C
    uint32_t n_pieces;   // 0: C has no elements
    hw_product_piece pieces[HW_PRODUCT_PIECES];
    uint64_t batches;
    uint64_t scratch_bytes;   // of HW_PRODUCT_SCRATCH, which need not be initialised; 0: none
    double predicted_us;      // by the model of product_plan.c, which the choice was made by
} hw_product_choice;

// p->precision is HW_PRECISION_FP32 (f32 arrays) or HW_PRECISION_FP64 (f64). Never fails: every product that memory can
// hold has a choice, and it keeps to the device's limits. The device's address is not kept.
void hw_product_choose(const hw_product *p, const hw_device_properties *device, hw_product_choice *choice);

// Chooses one piece of this tile, whose k is cut into `parts` (as far as that makes sense) in all but the first
// whole_tiles tiles; for tuning and tests. False: the tile is not for this device or type.
bool hw_product_choose_tile(const hw_product *p, const hw_device_properties *device, const hw_product_tile *tile,
                            uint64_t whole_tiles, uint32_t parts, hw_product_choice *choice);
enum { HW_PRODUCT_PARAM_BYTES = 296 };   // of the kernel that makes tiles

// The tiles that hw_product_choose has for a type on a device; NULL past the last.
const hw_product_tile *hw_product_tile_at(const hw_device_properties *device, bool is_f64, size_t index);

// The launches, with arrays HW_PRODUCT_A to HW_PRODUCT_SCRATCH (element (0, 0) of batch 0); none when C has no
// elements. beta 0: C is not read.
void hw_product_plan_launch(const hw_product *p, const hw_product_choice *choice, hw_plan *plan);

// In words, for --explain; returns text.
char *hw_product_choice_explain(const hw_product *p, const hw_product_choice *choice, char *text, size_t text_bytes);

#endif
