// How a permutation is done on a GPU: a pure function of its merged shape. The kernels are kernels/transpose/
// 90_permute.cu, 92_ragged.cu and, in place, 95_swap.cu; they say what a box is.
#ifndef HW_OP_TRANSPOSE_PLAN_H
#define HW_OP_TRANSPOSE_PLAN_H

#include "isa/gpu.h"
#include "op/transpose/permutation.h"

enum { HW_BOX_AXES = 12 };

typedef enum hw_tile_kind {
    HW_TILE_NOTHING,     // no elements
    HW_TILE_COPY,        // one run in both arrays: a copy
    HW_TILE_DIRECT,      // rows of the same bytes in both: no shared memory
    HW_TILE_SHARED,      // through shared memory
    HW_TILE_RAGGED,      // matrices whose rows begin at no common multiple of a lane's word
} hw_tile_kind;

// An axis of the permutation along which boxes are counted.
typedef struct hw_tile_grid {
    uint32_t axis;                     // of the permutation
    uint32_t count;                    // boxes
    uint32_t box;                      // elements that a box takes; 1 where the axis is not in the box
    uint32_t multiplier, shift;        // divide by count (Granlund and Montgomery 1994, round-up method)
} hw_tile_grid;

typedef struct hw_tile_plan {
    hw_tile_kind kind;
    uint32_t elem_bytes, micro, load_vector, store_vector, threads;
    uint32_t n_axes;                   // of the box, in the order of in; ragged: columns, rows
    uint32_t axis[HW_BOX_AXES];        // which axis of the permutation
    uint32_t box[HW_BOX_AXES];         // elements
    uint32_t out_order[HW_BOX_AXES];   // places in `axis`, in the order of out
    uint32_t shared_stride[HW_BOX_AXES], shared_cells;
    int32_t cut[HW_BOX_AXES];          // the grid axis that cuts it with a shorter last piece, or -1
    uint32_t n_grid;
    hw_tile_grid grid[HW_MAX_RANK];    // the first varies fastest
    uint64_t blocks;
    bool index64;                      // an offset does not fit 32 bits
    const hw_arch *arch;               // whose banks shared memory is laid out for
} hw_tile_plan;

// A matrix whose rows are not aligned, by log2 of an element's bytes: about the box's sides; and what lanes move at a
// time otherwise, from which on 90_permute.cu is faster all the same.
typedef struct hw_ragged_goals {
    uint32_t threads[4], cols[4], rows[4], enough_bytes[4];
    uint32_t least_bytes;              // of rows and columns; 92_ragged.cu is not for shorter ones
} hw_ragged_goals;

// In place, by log2 of an element's bytes: the side of a tile; of matrices with fewer than `small` rows, small_box.
typedef struct hw_swap_goals {
    uint32_t threads, box[5], small_box[5], small;
} hw_swap_goals;

// What the choice aims at (op/tune has what was measured), and what bounds it.
typedef struct hw_tile_goals {
    const hw_arch *arch;               // never NULL
    uint32_t multiprocessors;          // to keep busy
    uint32_t byte_run_bytes;           // in_run_bytes and out_run_bytes of elements of one byte
    uint32_t in_run_bytes, out_run_bytes;
    uint32_t box_bytes_min, box_bytes_max;
    uint32_t max_vector_bytes;         // that a lane moves at a time
    uint32_t threads;
    uint32_t few_bytes, few_threads;   // a box of fewer bytes has so many threads at most
    uint32_t direct_bytes;             // common rows from this length on need no shared memory
    uint32_t grid_order;               // 0: boxes follow in, 1: out, 2: the two cut axes first
    uint32_t blocks;                   // for each multiprocessor: until there are as many, boxes become smaller, their
    uint32_t least_run_bytes;          // runs down to this
    uint32_t shared_bytes;             // that the kernel may declare
    hw_ragged_goals ragged;
} hw_tile_goals;

hw_tile_goals hw_tile_goals_for(const hw_permutation *p, const hw_device_properties *device);

// p is merged and widened, no extent above HW_TILE_MOST, and more than one run (not HW_TILE_COPY) has no more than
// hw_tile_blocks_most blocks in the end: the caller splits larger ones. Never fails: every permutation has a plan.
void hw_tile_plan_make(const hw_permutation *p, const hw_tile_goals *goals, hw_tile_plan *plan);
enum { HW_TILE_MOST = 1 << 30 };
uint32_t hw_tile_blocks_most(const hw_device_properties *device);   // HW_TILE_MOST, or less where a grid has less

// The shared memory that a plan's kernel declares.
uint32_t hw_tile_plan_shared_bytes(const hw_tile_plan *plan);

// The wavefronts of one box's shared stores and loads, and without conflicts; for explanations and tests. Not ragged.
void hw_tile_plan_wavefronts(const hw_tile_plan *plan, uint64_t *stores, uint64_t *loads, uint64_t *ideal);

// A permutation in place that only exchanges two axes of the same extent: by pairs of tiles, without other memory.
typedef struct hw_swap_plan {
    uint32_t row_axis, col_axis;       // of the permutation; col_axis has stride 1 in in
    uint32_t elem_bytes, box, vector, threads;
    uint32_t pairs, multiplier, shift;
    uint32_t n_grid;
    hw_tile_grid grid[HW_MAX_RANK];    // matrices
    uint64_t blocks;
    bool index64;
} hw_swap_plan;

// False when the permutation is another, or has more pairs than a grid of the device has blocks.
bool hw_swap_plan_make(const hw_permutation *p, const hw_device_properties *device, hw_swap_plan *plan);
uint32_t hw_swap_plan_shared_bytes(const hw_swap_plan *plan);

#endif
