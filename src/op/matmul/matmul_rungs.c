// What the rungs of kernels/matmul are given on a GPU.
#include <inttypes.h>
#include <string.h>

#include "base/integers.h"
#include "op/matmul/matmul_family.h"
#include "op/matmul/matmul_plan.h"
#include "op/matmul/tensor_plan.h"

static hw_status check_float_rung(const hw_rung *rung, const hw_problem *problem, const uint32_t asked[2],
                                  hw_diag *diag) {
    const bool is_own = (!asked[0] && !asked[1]) || (asked[0] == rung->block[0] && asked[1] == rung->block[1]);
    if (problem->dtype.code != kDLFloat || problem->dtype.bits < 32)
        return hw_diag_set(diag, HW_USAGE, "%s is written for f32 and f64", rung->name);
    if (!is_own)
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %ux%u", rung->name, rung->block[0],
                           rung->block[1]);
    return HW_OK;
}

// (c, a, b, m, n, k), the indices as wide as the largest number that a kernel computes needs.
static void give_matmul_params(const hw_problem *problem, bool is_wide, hw_plan *plan, hw_plan_launch *launch) {
    static const int arrays[] = {C, A, B};
    for (int i = 0; i < 3; i++) launch->params[launch->n_params++] = (hw_plan_param){.array = arrays[i]};
    for (int i = 0; i < 3; i++) {
        int32_t narrow = (int32_t)problem->size[i];
        launch->params[launch->n_params++] = (hw_plan_param){
            .array = -1, .offset = is_wide ? hw_plan_value(plan, &problem->size[i], sizeof problem->size[i])
                                           : hw_plan_value(plan, &narrow, sizeof narrow)};
    }
    if (is_wide) hw_plan_define(plan, launch, "INDEX_BITS", 64);
}

static bool is_wide(const hw_problem *problem, uint64_t tile_rows, uint64_t tile_cols, uint64_t depth) {
    const uint64_t m = (hw_divide_up(problem->size[M], tile_rows) + 1) * tile_rows;
    const uint64_t n = (hw_divide_up(problem->size[N], tile_cols) + 1) * tile_cols;
    const uint64_t k = problem->size[K] + 4 * depth + 1;
    return m * k > INT32_MAX || k * n > INT32_MAX || m * n > INT32_MAX;
}

// A grid of tiles over C, as tile_row() and tile_col() of kernels/common/grid.cuh number them.
static void lay_matmul_grid(uint64_t tile_rows, uint64_t tile_cols, hw_plan_launch *launch) {
    enum { MOST_GRID_ROWS = 65535 };
    const uint64_t layers = hw_divide_up(tile_rows, MOST_GRID_ROWS);
    launch->grid[0] = (uint32_t)tile_cols;
    launch->grid[1] = layers ? (uint32_t)hw_divide_up(tile_rows, layers) : 0;
    launch->grid[2] = (uint32_t)layers;
}

// The rung's tiles, and as many steps of k in a phase.
static hw_status plan_shape(const hw_rung *rung, const hw_matmul_shape *s, const hw_problem *problem,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    hw_status status = check_float_rung(rung, problem, asked, diag);
    if (status) return status;
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    const uint64_t word = 16 / hw_matmul_elem_bytes(problem);
    memset(plan, 0, sizeof *plan);
    plan->n_launches = 1;
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = rung->file;
    launch->function = rung->kernel;
    hw_plan_define(plan, launch, "ELEMENT_BYTES", hw_matmul_elem_bytes(problem));
    hw_plan_define(plan, launch, "TILE_ROWS", rung->tile[1]);
    hw_plan_define(plan, launch, "TILE_COLS", rung->tile[0]);
    if (s->depth) hw_plan_define(plan, launch, "TILE_DEPTH", s->depth);
    if (s->words) hw_plan_define(plan, launch, "WORDS", n % word == 0 && k % word == 0);
    launch->block[0] = rung->block[0];
    launch->block[1] = rung->block[1];
    launch->block[2] = 1;
    lay_matmul_grid(hw_divide_up(m, rung->tile[1]), hw_divide_up(n, rung->tile[0]), launch);
    give_matmul_params(problem, is_wide(problem, rung->tile[1], rung->tile[0], s->depth), plan, launch);
    return HW_OK;
}

static hw_status plan_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    (void)device;
    return plan_shape(rung, hw_matmul_rung_shape(rung), problem, asked, plan, diag);
}

// A thread for each element of a square tile: before 2.0 a block has 512 threads at most (programming guide 4.2, F.1).
static hw_status plan_square_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                   const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    enum { SMALL = 16, LARGE_BLOCKS_CC = 20 };
    hw_matmul_shape shape = *hw_matmul_rung_shape(rung);
    hw_rung own = *rung;
    if (device->cc < LARGE_BLOCKS_CC) {
        own.block[0] = own.block[1] = own.tile[0] = own.tile[1] = shape.depth = SMALL;
    }
    return plan_shape(&own, &shape, problem, asked, plan, diag);
}

// Kernels without guards: every tile is whole.
static hw_status plan_whole_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                  const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    static const char names[] = {'m', 'n', 'k'};
    const uint32_t parts[] = {rung->tile[1], rung->tile[0], hw_matmul_rung_shape(rung)->depth};
    for (int i = 0; i < 3; i++)
        if (problem->size[i] % parts[i])
            return hw_diag_set(diag, HW_USAGE, "%s takes multiples of %u, which %c = %" PRIu64 " is not", rung->name,
                               parts[i], names[i], problem->size[i]);
    return plan_tiles(rung, problem, device, asked, plan, diag);
}

// An index as wide as is_wide says.
static void give_index(uint64_t value, bool is_wide, hw_plan *plan, hw_plan_launch *launch) {
    const int32_t narrow = (int32_t)value;
    launch->params[launch->n_params++] = (hw_plan_param){
        .array = -1, .offset = is_wide ? hw_plan_value(plan, &value, sizeof value)
                                       : hw_plan_value(plan, &narrow, sizeof narrow)};
}

// A copy of an array of rows x cols in the scratch memory, `start` elements from its begin, its rows `pitch` long.
static void plan_padding(hw_plan *plan, const hw_plan_launch *like, int array, uint64_t start, uint64_t rows,
                         uint64_t cols, uint64_t pitch, bool is_wide) {
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    const uint64_t numbers[] = {start, pitch, rows, cols};
    *launch = *like;
    launch->function = "matmul_pad";
    lay_matmul_grid(hw_divide_up(rows, like->block[1]), pitch / like->block[0], launch);
    launch->params[launch->n_params++] = (hw_plan_param){.array = SCRATCH};
    launch->params[launch->n_params++] = (hw_plan_param){.array = array};
    for (int i = 0; i < 4; i++) give_index(numbers[i], is_wide, plan, launch);
}

// A and B with rows of whole tiles, and their product.
static hw_status plan_pitched(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                              const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const uint32_t tile = rung->tile[0], bytes = hw_matmul_elem_bytes(problem);
    const uint64_t m = problem->size[M], n = problem->size[N], k = problem->size[K];
    const uint64_t a_pitch = hw_align_up(k, tile), b_pitch = hw_align_up(n, tile);
    const uint64_t b_start = hw_align_up(m, tile) * a_pitch, all = b_start + a_pitch * b_pitch;
    hw_status status = plan_tiles(rung, problem, device, asked, plan, diag);
    if (status) return status;
    if (all > hw_matmul_scratch_bytes(problem) / bytes)
        return hw_diag_set(diag, HW_USAGE, "%s wants %" PRIu64 " bytes of scratch memory, and gets %" PRIu64,
                           rung->name, all * bytes, hw_matmul_scratch_bytes(problem));
    const bool wide = all > INT32_MAX || is_wide(problem, tile, tile, tile);
    hw_plan_launch product = plan->launches[0];
    product.n_params = 0;
    plan->n_launches = 0;
    if (wide) hw_plan_define(plan, &product, "INDEX_BITS", 64);
    plan_padding(plan, &product, A, 0, m, k, a_pitch, wide);
    plan_padding(plan, &product, B, b_start, k, n, b_pitch, wide);
    hw_plan_launch *launch = &plan->launches[plan->n_launches++];
    const uint64_t numbers[] = {b_start, m, n, a_pitch, b_pitch};
    *launch = product;
    launch->params[launch->n_params++] = (hw_plan_param){.array = C};
    launch->params[launch->n_params++] = (hw_plan_param){.array = SCRATCH};
    for (int i = 0; i < 5; i++) give_index(numbers[i], wide, plan, launch);
    return HW_OK;
}

// Three stages of a tile of A, whose rows are followed by a word that is never used, and one of B.
static hw_status plan_async(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    enum { STAGES = 3, WORD_BYTES = 16, DEPTH_WORDS = 4, ASYNC_CC = 80 };
    if (device->cc < ASYNC_CC)
        return hw_diag_set(diag, HW_USAGE, "%s takes GPUs from compute capability 8.0, and %s has %d.%d", rung->name,
                           device->name, device->cc / 10, device->cc % 10);
    hw_status status = plan_tiles(rung, problem, device, asked, plan, diag);
    if (status) return status;
    const uint32_t a_bytes = rung->tile[1] * (DEPTH_WORDS + 1) * WORD_BYTES;
    const uint32_t b_bytes = rung->tile[0] * DEPTH_WORDS * WORD_BYTES;
    plan->launches[0].dynamic_shared_bytes = STAGES * (a_bytes + b_bytes);
    hw_plan_define(plan, &plan->launches[0], "TILE_DEPTH", DEPTH_WORDS * WORD_BYTES / hw_matmul_elem_bytes(problem));
    return HW_OK;
}

// What hw_matmul does.
static hw_status plan_best(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = hw_matmul_product_of(problem);
    hw_matmul_plan made;
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    memset(plan, 0, sizeof *plan);
    if (!p.m || !p.n) return HW_OK;
    hw_status status = hw_matmul_plan_make(&p, device, &made, diag);
    if (status) return status;
    if (made.scratch_bytes > hw_matmul_scratch_bytes(problem))
        return hw_diag_set(diag, HW_USAGE, "%s wants %" PRIu64 " bytes of scratch memory, and gets %" PRIu64,
                           rung->name, made.scratch_bytes, hw_matmul_scratch_bytes(problem));
    *plan = made.plan;
    return HW_OK;
}

// f32 is rounded to tf32.
static hw_status plan_tensor(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                             const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    hw_product p = hw_matmul_product_of(problem);
    hw_tensor_core_choice choice;
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    if (p.precision == HW_PRECISION_FP32) p.precision = HW_PRECISION_TF32;
    memset(plan, 0, sizeof *plan);
    if (!p.m || !p.n) return HW_OK;
    if (device->cc < HW_TENSOR_CORE_CC || hw_matmul_is_integer(p.input) || (p.k && !hw_tensor_core_takes(&p, device)))
        return hw_diag_set(diag, HW_USAGE, "%s has no instructions for this type on %s", rung->name, device->name);
    hw_tensor_core_choose(&p, device, &choice);
    hw_tensor_core_plan_launch(&p, &choice, plan);
    return HW_OK;
}

// What the rungs for integers ask of their problem; HW_USAGE where it is another.
static hw_status check_integers(const hw_rung *rung, const hw_problem *problem, const uint32_t asked[2], hw_plan *plan,
                                hw_diag *diag) {
    if (asked[0] || asked[1]) return hw_diag_set(diag, HW_USAGE, "%s has blocks of its own", rung->name);
    if (!hw_matmul_is_integer(problem->dtype)) return hw_diag_set(diag, HW_USAGE, "%s is for integers", rung->name);
    memset(plan, 0, sizeof *plan);
    return HW_OK;
}

static hw_status plan_plain(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = hw_matmul_product_of(problem);
    hw_status status = check_integers(rung, problem, asked, plan, diag);
    (void)device;
    if (!status && p.m && p.n) hw_product_plan_plain(&p, plan);
    return status;
}

static hw_status plan_dp4a(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    const hw_product p = hw_matmul_product_of(problem);
    hw_status status = check_integers(rung, problem, asked, plan, diag);
    if (status || !p.m || !p.n) return status;
    if (p.k && !hw_product_dp4a_takes(&p, device))
        return hw_diag_set(diag, HW_USAGE, "%s has no instruction for this type on %s", rung->name, device->name);
    hw_product_plan_dp4a(&p, plan);
    return HW_OK;
}

// ---- The rungs ------------------------------------------------------------------------------------------------------

#define PAIR(a, b) {a, b}
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, rung_block, rung_tile, rung_depth, rung_shared, \
                rung_words, rung_sums, planner, rung_idea, rung_limit)                                                \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,           \
     .block = PAIR rung_block, .tile = PAIR rung_tile, .plan = planner, .idea = rung_idea, .limit = rung_limit},
const hw_rung hw_matmul_rungs[HW_MATMUL_RUNGS] = {
#include "kernels/matmul/ladder.def"
};
#undef HW_RUNG

const hw_matmul_shape *hw_matmul_rung_shape(const hw_rung *rung) {
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, rung_block, rung_tile, rung_depth, rung_shared, \
                rung_words, rung_sums, planner, rung_idea, rung_limit)                                                \
    {rung_depth, rung_shared, rung_words, rung_sums},
    static const hw_matmul_shape shapes[] = {
#include "kernels/matmul/ladder.def"
    };
#undef HW_RUNG
    static const hw_matmul_shape none;
    for (int i = 0; i < HW_MATMUL_RUNGS; i++)
        if (hw_matmul_rungs[i].number == rung->number) return &shapes[i];
    return &none;
}
