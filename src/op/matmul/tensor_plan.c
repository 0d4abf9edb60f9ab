// Which tile a product takes on tensor cores.
#include "op/matmul/tensor_plan.h"

#include <stdio.h>

#include "base/integers.h"
#include "op/matmul/matmul_plan.h"
#include "op/tune/tune.h"

static hw_mma mma_of(const hw_product *p) {
    if (p->input.bits == 64) return HW_MMA_F64;
    if (p->input.bits == 16) return p->input.code == kDLBfloat ? HW_MMA_BF16 : HW_MMA_F16;
    return p->precision == HW_PRECISION_TF32 ? HW_MMA_TF32 : HW_MMA_ROUNDED_BF16;
}

bool hw_tensor_core_takes(const hw_product *p, const hw_device_properties *device) {
    if (device->cc < HW_TENSOR_CORE_CC || hw_product_is_integer(p)) return false;
    if (p->input.bits == 64) return hw_tune_arch(device)->has_f64_tensor_cores && p->k;
    return p->input.bits == 16 || p->precision == HW_PRECISION_TF32 || p->precision == HW_PRECISION_BF16;
}

// by_matrices(), gap_bytes() and pitch_of() of fragments.cuh.
static uint32_t strip_bytes(const hw_product *p, const hw_tensor_core_tile *tile, bool along_k, uint32_t length) {
    const hw_mma kind = mma_of(p);
    const bool by_matrices = kind == HW_MMA_F16 || kind == HW_MMA_BF16 || (kind == HW_MMA_TF32 && along_k);
    const uint32_t gap = by_matrices ? 0 : kind == HW_MMA_ROUNDED_BF16 && !along_k ? 16 : 32;
    const uint32_t line = (along_k ? tile->depth : length) * (p->input.bits / 8) + gap;
    return line * (along_k ? length : tile->depth);
}

bool hw_tensor_core_choose_tile(const hw_product *p, const hw_device_properties *device, size_t index,
                                hw_tensor_core_choice *choice) {
    const hw_tune_product *tune = &hw_tune_for(device)->product;
    if (index >= HW_TUNE_TENSOR_TILES || !tune->tensor[mma_of(p)][index].rows) return false;
    const hw_tensor_core_tile *tile = &tune->tensor[mma_of(p)][index];
    const uint32_t stage = strip_bytes(p, tile, !p->a.transposed, tile->rows) +
                           strip_bytes(p, tile, p->b.transposed, tile->cols);
    *choice = (hw_tensor_core_choice){
        .tile = *tile,
        .tiles_m = hw_divide_up(p->m, tile->rows),
        .tiles_n = hw_divide_up(p->n, tile->cols),
        .batches = hw_product_batches(p),
        .a_bytes = p->a.align_bytes,
        .b_bytes = p->b.align_bytes,
        .threads = tile->rows / tile->warp_rows * (tile->cols / tile->warp_cols) * 32,
        .c_pairs = p->c.align_bytes >= 2 * (p->output.bits / 8),
    };
    while (choice->tile.stages > 2 && choice->tile.stages * stage > device->shared_bytes) choice->tile.stages--;
    if (choice->tile.stages < tile->stages) choice->tile.rate *= tune->fewer_stages;
    choice->shared_bytes = choice->tile.stages * stage;
    return choice->shared_bytes <= device->shared_bytes;
}

// The multiprocessors' turns, times a tile's work: what is beyond the edges costs as much as the rest.
static double cost_of_choice(const hw_device_properties *device, const hw_tensor_core_choice *choice) {
    const hw_tensor_core_tile *tile = &choice->tile;
    const uint64_t blocks = choice->tiles_m * choice->tiles_n * choice->batches;
    const double work = (double)tile->rows * tile->cols / tile->rate;
    return (double)hw_divide_up(blocks, device->multiprocessors ? device->multiprocessors : 1) * work;
}

void hw_tensor_core_choose(const hw_product *p, const hw_device_properties *device, hw_tensor_core_choice *choice) {
    hw_tensor_core_choice next;
    double least = 0;
    for (size_t i = 0; i < HW_TUNE_TENSOR_TILES; i++) {
        if (!hw_tensor_core_choose_tile(p, device, i, &next)) continue;
        const double cost = cost_of_choice(device, &next);
        if (least > 0 && cost >= least) continue;
        least = cost;
        *choice = next;
    }
}

// Does the last copy of a line go past its end?
static bool is_partial(const hw_product *p, const hw_matrix *matrix, uint64_t rows, uint64_t cols) {
    return (matrix->transposed ? rows : cols) * (p->input.bits / 8) % matrix->align_bytes != 0;
}

void hw_tensor_core_plan_launch(const hw_product *p, const hw_tensor_core_choice *choice, hw_plan *plan) {
    enum { MOST_GRID = 65535 };
    hw_plan_launch *launch = hw_product_begin(p, "matmul/97_tensor.cu", "product_tensor", plan);
    const hw_tensor_core_tile *tile = &choice->tile;
    hw_plan_define(plan, launch, "MMA", mma_of(p));
    hw_plan_define(plan, launch, "TILE_ROWS", tile->rows);
    hw_plan_define(plan, launch, "TILE_COLS", tile->cols);
    hw_plan_define(plan, launch, "TILE_DEPTH", tile->depth);
    hw_plan_define(plan, launch, "WARP_ROWS", tile->warp_rows);
    hw_plan_define(plan, launch, "WARP_COLS", tile->warp_cols);
    hw_plan_define(plan, launch, "STAGES", tile->stages);
    hw_plan_define(plan, launch, "A_BYTES", choice->a_bytes);
    hw_plan_define(plan, launch, "B_BYTES", choice->b_bytes);
    hw_plan_define(plan, launch, "C_PAIRS", choice->c_pairs);
    hw_plan_define(plan, launch, "A_PARTIAL", is_partial(p, &p->a, p->m, p->k));
    hw_plan_define(plan, launch, "B_PARTIAL", is_partial(p, &p->b, p->k, p->n));
    launch->grid[0] = (uint32_t)(choice->tiles_m * choice->tiles_n);
    launch->grid[1] = (uint32_t)(choice->batches < MOST_GRID ? choice->batches : MOST_GRID);
    launch->grid[2] = (uint32_t)hw_divide_up(choice->batches, MOST_GRID);
    launch->block[0] = choice->threads;
    launch->block[1] = launch->block[2] = 1;
    launch->dynamic_shared_bytes = choice->shared_bytes;
}

char *hw_tensor_core_explain(const hw_product *p, const hw_tensor_core_choice *choice, char *text, size_t text_bytes) {
    static const char *const names[] = {"f16", "bf16", "tf32", "bf16, rounded from f32", "f64"};
    const hw_tensor_core_tile *tile = &choice->tile;
    snprintf(text, text_bytes,
             "kernel: matmul/97_tensor.cu, tensor cores, products of %s\n"
             "tiles: %u x %u, %llu x %llu of them, %u steps of k in each of %u stages, %u x %u for a warp, %u threads "
             "and %u bytes a block\n"
             "copies: %u bytes of A, %u of B\n",
             names[mma_of(p)], tile->rows, tile->cols, (unsigned long long)choice->tiles_m,
             (unsigned long long)choice->tiles_n, tile->depth, tile->stages, tile->warp_rows, tile->warp_cols,
             choice->threads, choice->shared_bytes, choice->a_bytes, choice->b_bytes);
    return text;
}
