// What 90_permute.cu, 92_ragged.cu and 95_swap.cu are given.
#include "op/transpose/transpose_launch.h"

#include <string.h>

#include "base/integers.h"

enum { BLOCK_BYTES = 2048 };

// A structure of a kernel, member by member.
typedef struct param_block {
    _Alignas(8) char bytes[BLOCK_BYTES];
    size_t used;
    bool index64;
} param_block;

static void put_param(param_block *block, const void *value, size_t bytes) {
    block->used = hw_align_up(block->used, bytes);
    memcpy(block->bytes + block->used, value, bytes);
    block->used += bytes;
}

static void put_param_u32(param_block *block, uint64_t value) {
    uint32_t narrow = (uint32_t)value;
    put_param(block, &narrow, sizeof narrow);
}

// offset_t of kernels/common/boxes.cuh.
static void put_param_offset(param_block *block, int64_t value) {
    int32_t narrow = (int32_t)value;
    if (block->index64) put_param(block, &value, sizeof value);
    else put_param(block, &narrow, sizeof narrow);
}

// A structure that holds offsets is aligned as an offset, and its size is a multiple of that alignment.
static void align_params(param_block *block) {
    if (block->index64) block->used = hw_align_up(block->used, 8);
}

// grid_axis of kernels/common/boxes.cuh. The kernel's array has one member where there is no axis.
static void put_grid(param_block *block, const hw_permutation *p, const hw_tile_grid *grid, uint32_t n_grid) {
    static const hw_tile_grid none;
    for (uint32_t g = 0; g < (n_grid ? n_grid : 1); g++) {
        const hw_tile_grid *axis = n_grid ? &grid[g] : &none;
        align_params(block);
        put_param_u32(block, axis->count);
        put_param_u32(block, axis->multiplier);
        put_param_u32(block, axis->shift);
        put_param_u32(block, axis->box);
        put_param_u32(block, p->n[axis->axis]);
        put_param_offset(block, p->in_stride[axis->axis] * axis->box);
        put_param_offset(block, p->out_stride[axis->axis] * axis->box);
    }
}

static hw_plan_launch *begin_permute_launch(hw_plan *plan, const char *file, const char *function, uint64_t blocks,
                                            uint32_t threads) {
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = file;
    launch->function = function;
    launch->grid[0] = (uint32_t)blocks;
    launch->block[0] = threads;
    launch->grid[1] = launch->grid[2] = launch->block[1] = launch->block[2] = 1;
    return launch;
}

static void add_array_param(hw_plan_launch *launch, int array) {
    launch->params[launch->n_params++] = (hw_plan_param){.array = array};
}

static void add_shape_param(hw_plan *plan, hw_plan_launch *launch, param_block *shape) {
    align_params(shape);
    launch->params[launch->n_params++] =
        (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, shape->bytes, shape->used)};
}

static void launch_boxes(const hw_permutation *p, const hw_tile_plan *tile, int in, int out, hw_plan *plan) {
    hw_plan_launch *launch =
        begin_permute_launch(plan, "transpose/90_permute.cu", "permute", tile->blocks, tile->threads);
    hw_plan_define(plan, launch, "ELEMENT_BYTES", tile->elem_bytes);
    hw_plan_define(plan, launch, "THREADS", tile->threads);
    hw_plan_define(plan, launch, "AXES", tile->n_axes);
    hw_plan_define_list(plan, launch, "BOX", (const int32_t *)tile->box, tile->n_axes);
    hw_plan_define_list(plan, launch, "OUT_ORDER", (const int32_t *)tile->out_order, tile->n_axes);
    hw_plan_define_list(plan, launch, "SHARED_STRIDE", (const int32_t *)tile->shared_stride, tile->n_axes);
    hw_plan_define_list(plan, launch, "CUT", tile->cut, tile->n_axes);
    hw_plan_define(plan, launch, "SHARED_CELLS", tile->shared_cells);
    hw_plan_define(plan, launch, "LOAD_VECTOR", tile->load_vector);
    hw_plan_define(plan, launch, "STORE_VECTOR", tile->store_vector);
    hw_plan_define(plan, launch, "MICRO", tile->micro);
    hw_plan_define(plan, launch, "GRID_AXES", tile->n_grid);
    hw_plan_define(plan, launch, "INDEX_BITS", tile->index64 ? 64 : 32);

    param_block shape = {.index64 = tile->index64};
    put_grid(&shape, p, tile->grid, tile->n_grid);
    for (uint32_t a = 0; a < tile->n_axes; a++) put_param_offset(&shape, p->in_stride[tile->axis[a]]);
    for (uint32_t a = 0; a < tile->n_axes; a++) put_param_offset(&shape, p->out_stride[tile->axis[a]]);
    add_array_param(launch, in);
    add_array_param(launch, out);
    add_shape_param(plan, launch, &shape);
}

static void launch_ragged(const hw_permutation *p, const hw_tile_plan *tile, int in, int out, hw_plan *plan) {
    const uint32_t col = tile->axis[0], row = tile->axis[1];
    hw_plan_launch *launch =
        begin_permute_launch(plan, "transpose/92_ragged.cu", "ragged", tile->blocks, tile->threads);
    hw_plan_define(plan, launch, "ELEMENT_BYTES", tile->elem_bytes);
    hw_plan_define(plan, launch, "THREADS", tile->threads);
    hw_plan_define(plan, launch, "BOX_COLS", tile->box[0]);
    hw_plan_define(plan, launch, "BOX_ROWS", tile->box[1]);
    hw_plan_define(plan, launch, "GRID_AXES", tile->n_grid);
    hw_plan_define(plan, launch, "INDEX_BITS", tile->index64 ? 64 : 32);

    param_block shape = {.index64 = tile->index64};
    put_param_u32(&shape, p->n[row]);
    put_param_u32(&shape, p->n[col]);
    put_param_offset(&shape, p->in_stride[row]);
    put_param_offset(&shape, p->out_stride[col]);
    put_grid(&shape, p, tile->grid, tile->n_grid);
    add_array_param(launch, in);
    add_array_param(launch, out);
    add_shape_param(plan, launch, &shape);
}

void hw_tile_plan_launch(const hw_permutation *p, const hw_tile_plan *tile, int in, int out, hw_plan *plan) {
    if (tile->kind == HW_TILE_RAGGED) launch_ragged(p, tile, in, out, plan);
    else launch_boxes(p, tile, in, out, plan);
}

void hw_swap_plan_launch(const hw_permutation *p, const hw_swap_plan *swap, int data, hw_plan *plan) {
    hw_plan_launch *launch = begin_permute_launch(plan, "transpose/95_swap.cu", "swap", swap->blocks, swap->threads);
    hw_plan_define(plan, launch, "ELEMENT_BYTES", swap->elem_bytes);
    hw_plan_define(plan, launch, "THREADS", swap->threads);
    hw_plan_define(plan, launch, "BOX", swap->box);
    hw_plan_define(plan, launch, "VECTOR", swap->vector);
    hw_plan_define(plan, launch, "GRID_AXES", swap->n_grid);
    hw_plan_define(plan, launch, "INDEX_BITS", swap->index64 ? 64 : 32);

    param_block shape = {.index64 = swap->index64};
    put_param_u32(&shape, p->n[swap->row_axis]);
    put_param_u32(&shape, swap->pairs);
    put_param_u32(&shape, swap->multiplier);
    put_param_u32(&shape, swap->shift);
    put_param_offset(&shape, p->in_stride[swap->row_axis]);
    put_grid(&shape, p, swap->grid, swap->n_grid);
    add_array_param(launch, data);
    add_shape_param(plan, launch, &shape);
}
