// What kernels/matmul/90_tiles.cu and 95_sum_parts.cu are given.
#include <assert.h>
#include <string.h>

#include "base/integers.h"
#include "op/matmul/product_plan.h"

// As product_shape of kernels/matmul/shape.cuh.
typedef struct product_shape {
    int64_t m, n, k;
    int64_t a_ld, b_ld, c_ld;
    int64_t a_start, b_start, c_start, scratch_start;
    int64_t batches, batch[HW_PRODUCT_BATCH_AXES];
    int64_t a_batch[HW_PRODUCT_BATCH_AXES], b_batch[HW_PRODUCT_BATCH_AXES], c_batch[HW_PRODUCT_BATCH_AXES];
    double alpha, beta;
    uint32_t tiles_m, tiles_n, group_rows;
    uint32_t whole_tiles, split_tiles, parts, depths_per_part;
    int32_t section;
} product_shape;

_Static_assert(4 * sizeof(void *) + sizeof(product_shape) == HW_PRODUCT_PARAM_BYTES, "parameters of 90_tiles.cu");

static uint64_t tiles_split(const hw_product_piece *piece) {
    return piece->tiles_m * piece->tiles_n - piece->whole_tiles;
}

static product_shape shape_of_product(const hw_product *p, const hw_product_piece *piece, uint64_t batches) {
    const int64_t row = (int64_t)piece->row, col = (int64_t)piece->col;
    product_shape shape = {.m = (int64_t)piece->m,
                           .n = (int64_t)piece->n,
                           .k = (int64_t)p->k,
                           .a_ld = p->a.ld,
                           .b_ld = p->b.ld,
                           .c_ld = p->c.ld,
                           .a_start = p->a.transposed ? row : row * p->a.ld,
                           .b_start = p->b.transposed ? col * p->b.ld : col,
                           .c_start = row * p->c.ld + col,
                           .scratch_start = (int64_t)piece->scratch_start,
                           .batches = (int64_t)batches,
                           .alpha = p->alpha,
                           .beta = p->beta,
                           .tiles_m = (uint32_t)piece->tiles_m,
                           .tiles_n = (uint32_t)piece->tiles_n,
                           .group_rows = piece->group_rows,
                           .whole_tiles = (uint32_t)piece->whole_tiles,
                           .split_tiles = (uint32_t)tiles_split(piece),
                           .parts = piece->parts,
                           .depths_per_part = (uint32_t)piece->depths_per_part,
                           .section = (int32_t)piece->section};
    for (uint32_t i = 0; i < p->n_batch_axes; i++) {
        shape.batch[i] = (int64_t)p->batch[i];
        shape.a_batch[i] = p->a.batch_stride[i];
        shape.b_batch[i] = p->b.batch_stride[i];
        shape.c_batch[i] = p->c.batch_stride[i];
    }
    return shape;
}

// Adds a launch of `blocks` blocks for each batch, with the defines that all kernels of products have.
static hw_plan_launch *begin_product_launch(const hw_product *p, const hw_product_choice *choice,
                                            const hw_product_piece *piece, const char *file, const char *function,
                                            uint64_t blocks, hw_plan *plan) {
    enum { MOST_ROWS = 65535 };   // of blocks, in y and in z
    assert(plan->n_launches < HW_PLAN_LAUNCHES && blocks <= INT32_MAX);
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    const uint64_t layers = hw_divide_up(choice->batches, MOST_ROWS),
                   rows = hw_divide_up(choice->batches, layers);
    *launch = (hw_plan_launch){.file = file,
                               .function = function,
                               .block = {0, 1, 1},
                               .grid = {(uint32_t)blocks, (uint32_t)rows, (uint32_t)layers}};
    hw_plan_define(plan, launch, "ELEMENT_BYTES", choice->is_f64 ? 8 : 4);
    hw_plan_define(plan, launch, "TILE_ROWS", piece->tile.rows);
    hw_plan_define(plan, launch, "TILE_COLS", piece->tile.cols);
    hw_plan_define(plan, launch, "BATCH_AXES", choice->batches > 1 ? p->n_batch_axes : 0);
    return launch;
}

static void add_array_param(hw_plan_launch *launch, int array) {
    launch->params[launch->n_params++] = (hw_plan_param){.array = array};
}

// Adds the parameter for sums of parts. A launch without parts gets C there, and does not touch it through that
// parameter.
static void add_scratch(const hw_product_choice *choice, hw_plan_launch *launch) {
    add_array_param(launch, choice->scratch_bytes ? HW_PRODUCT_SCRATCH : HW_PRODUCT_C);
}

static void add_shape_param(const product_shape *shape, hw_plan *plan, hw_plan_launch *launch) {
    launch->params[launch->n_params++] =
        (hw_plan_param){.array = -1, .offset = hw_plan_value(plan, shape, sizeof *shape)};
}

static void launch_tiles(const hw_product *p, const hw_product_choice *choice, const hw_product_piece *piece,
                         const product_shape *shape, hw_plan *plan) {
    const hw_product_tile *tile = &piece->tile;
    hw_plan_launch *launch = begin_product_launch(p, choice, piece, "matmul/90_tiles.cu", "product_tiles",
                                                  piece->whole_tiles + tiles_split(piece) * piece->parts, plan);
    launch->block[0] = tile->threads;
    launch->dynamic_shared_bytes = piece->shared_bytes;
    hw_plan_define(plan, launch, "TILE_DEPTH", tile->depth);
    hw_plan_define(plan, launch, "THREAD_ROWS", tile->thread_rows);
    hw_plan_define(plan, launch, "THREAD_COLS", tile->thread_cols);
    hw_plan_define(plan, launch, "LANE_ROWS", tile->lane_rows);
    hw_plan_define(plan, launch, "THREADS", tile->threads);
    hw_plan_define(plan, launch, "RESIDENT", tile->resident);
    hw_plan_define(plan, launch, "STAGES", tile->stages);
    hw_plan_define(plan, launch, "A_VECTOR", piece->a_vector);
    hw_plan_define(plan, launch, "B_VECTOR", piece->b_vector);
    hw_plan_define(plan, launch, "C_VECTOR", piece->c_vector);
    hw_plan_define(plan, launch, "INDEX_BITS", piece->index64 ? 64 : 32);
    add_array_param(launch, HW_PRODUCT_A);
    add_array_param(launch, HW_PRODUCT_B);
    add_array_param(launch, HW_PRODUCT_C);
    add_scratch(choice, launch);
    add_shape_param(shape, plan, launch);
}

static void launch_sum(const hw_product *p, const hw_product_choice *choice, const hw_product_piece *piece,
                       const product_shape *shape, hw_plan *plan) {
    enum { THREADS = 256, MANY_PARTS = 16, GROUPS = 8 };
    const uint32_t groups = shape->parts > MANY_PARTS ? GROUPS : 1, words = THREADS / groups;
    const uint64_t tile_words = piece->tile.rows * piece->tile.cols / piece->c_vector;
    hw_plan_launch *launch = begin_product_launch(p, choice, piece, "matmul/95_sum_parts.cu", "product_sum_parts",
                                                  shape->split_tiles * hw_divide_up(tile_words, words), plan);
    launch->block[0] = THREADS;
    hw_plan_define(plan, launch, "VECTOR", piece->c_vector);
    hw_plan_define(plan, launch, "THREADS", THREADS);
    hw_plan_define(plan, launch, "GROUPS", groups);
    add_scratch(choice, launch);
    add_array_param(launch, HW_PRODUCT_C);
    add_shape_param(shape, plan, launch);
}

void hw_product_plan_launch(const hw_product *p, const hw_product_choice *choice, hw_plan *plan) {
    memset(plan, 0, sizeof *plan);
    for (uint32_t i = 0; i < choice->n_pieces; i++) {
        const hw_product_piece *piece = &choice->pieces[i];
        product_shape shape = shape_of_product(p, piece, choice->batches);
        if (choice->only_scales) {
            shape.parts = 0;
            launch_sum(p, choice, piece, &shape, plan);
            continue;
        }
        launch_tiles(p, choice, piece, &shape, plan);
        if (shape.split_tiles > 0) launch_sum(p, choice, piece, &shape, plan);
    }
}
