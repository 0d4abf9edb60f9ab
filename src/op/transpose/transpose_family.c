// The family of transposes: the problem that the rungs of kernels/transpose solve, and what each kernel is given.
#include <assert.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "base/integers.h"
#include "op/transpose/cpu/transpose_rungs.h"
#include "op/common/family.h"
#include "op/common/padding.h"
#include "op/tune/tune.h"
#include "op/transpose/transpose_launch.h"

enum { IN, OUT, ROWS = 0, COLS = 1 };

static uint32_t elem_bytes(const hw_problem *problem) { return problem->dtype.bits / 8; }

// ---- The problem ----------------------------------------------------------------------------------------------------

static hw_status describe_transpose(const hw_problem *problem, hw_work *work, hw_diag *diag) {
    const uint64_t most = (uint64_t)1 << 40, rows = problem->size[ROWS], cols = problem->size[COLS];
    uint32_t bytes = elem_bytes(problem);
    if (bytes != 1 && bytes != 2 && bytes != 4 && bytes != 8 && bytes != 16)
        return hw_diag_set(diag, HW_UNSUPPORTED, "elements of %u bits are not of 1, 2, 4, 8 or 16 bytes",
                           problem->dtype.bits);
    if (rows > most || cols > most || (rows && cols > most / rows))
        return hw_diag_set(diag, HW_USAGE, "%" PRIu64 "x%" PRIu64 " is more than 2^40 elements", rows, cols);
    *work = (hw_work){.arrays = {[IN] = {"in", .bytes = rows * cols * bytes},
                                 [OUT] = {"out", .bytes = rows * cols * bytes, .is_output = true}},
                      .n_arrays = 2, .bytes_moved = 2.0 * (double)rows * (double)cols * bytes};
    return HW_OK;
}

// Numbers that the type holds exactly, different from all of their eight neighbours.
static void fill_transpose(const hw_problem *problem, void *const *arrays) {
    const uint64_t rows = problem->size[ROWS], cols = problem->size[COLS];
    uint32_t bits = problem->dtype.bits;
    bool is_short = bits == 8 || problem->dtype.code == kDLBfloat;
    uint64_t period = is_short ? 127 : bits == 16 ? 2039 : 16777213;   // primes
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t col = 0; col < cols; col++) {
            uint64_t value = bits <= 16 ? 7 * row + col : row * cols + col;
            hw_dtype_set(problem->dtype, arrays[IN], row * cols + col, (double)(value % period));
        }
}

static void reference_transpose(const hw_problem *problem, void *const *arrays) {
    const uint64_t rows = problem->size[ROWS], cols = problem->size[COLS];
    const uint32_t bytes = elem_bytes(problem);
    const char *in = arrays[IN];
    char *out = arrays[OUT];
    for (uint64_t row = 0; row < rows; row++)
        for (uint64_t col = 0; col < cols; col++)
            memcpy(out + (col * rows + row) * bytes, in + (row * cols + col) * bytes, bytes);
}

// Notes an element that differs from the reference, and the worst one's place in the verdict.
static void note_wrong_element(const hw_problem *problem, uint64_t index, uint64_t row_length, const void *expected,
                               const void *got, hw_verdict *verdict) {
    double is = hw_dtype_get(problem->dtype, got, index), wanted = hw_dtype_get(problem->dtype, expected, index);
    double error = is > wanted ? is - wanted : wanted - is;
    if (!verdict->n_wrong || !(error <= verdict->worst_error)) {
        verdict->worst_error = error;
        verdict->worst_index = index;
        uint64_t row = index / row_length, col = index % row_length;
        // Bits of the same value: zeros of two signs, or the imaginary part.
        if (is == wanted)
            snprintf(verdict->text, sizeof verdict->text, "element (%" PRIu64 ", %" PRIu64 ") has other bits than %.9g",
                     row, col, wanted);
        else
            snprintf(verdict->text, sizeof verdict->text, "element (%" PRIu64 ", %" PRIu64 ") is %.9g, not %.9g", row,
                     col, is, wanted);
    }
    verdict->n_wrong++;
}

static void compare_transpose(const hw_problem *problem, const hw_rung *rung, void *const *arrays, uint32_t array,
                              const void *got, hw_verdict *verdict) {
    const uint64_t rows = problem->size[ROWS], cols = problem->size[COLS];
    const uint32_t bytes = elem_bytes(problem);
    const char *expected = arrays[rung->is_copy ? IN : array];
    *verdict = (hw_verdict){.right = true};
    if (!rows || !cols || !memcmp(expected, got, rows * cols * bytes)) return;
    for (uint64_t i = 0; i < rows * cols; i++)
        if (memcmp(expected + i * bytes, (const char *)got + i * bytes, bytes))
            note_wrong_element(problem, i, rung->is_copy ? cols : rows, expected, got, verdict);
    verdict->right = false;
}

// ---- Plans ----------------------------------------------------------------------------------------------------------

static hw_plan_launch *begin_rung_launch(const hw_rung *rung, const hw_problem *problem, hw_plan *plan) {
    *plan = (hw_plan){.n_launches = 1};
    hw_plan_launch *launch = &plan->launches[0];
    launch->file = rung->file;
    launch->function = rung->kernel;
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "ELEMENT_BYTES=%u", elem_bytes(problem));
    return launch;
}

static void define_number(hw_plan *plan, hw_plan_launch *launch, const char *name, uint32_t value) {
    assert(launch->n_defines < HW_PLAN_DEFINES);
    launch->defines[launch->n_defines++] = hw_plan_text(plan, "%s=%u", name, value);
}

// (out, in, rows, cols), the indices as wide as the largest number that a kernel computes needs: `reach`.
static void give_transpose_params(const hw_problem *problem, uint64_t reach, hw_plan *plan, hw_plan_launch *launch) {
    bool is_wide = reach > INT32_MAX;
    launch->params[0] = (hw_plan_param){.array = OUT};
    launch->params[1] = (hw_plan_param){.array = IN};
    for (int i = 0; i < 2; i++) {
        int32_t narrow = (int32_t)problem->size[i];
        launch->params[2 + i] = (hw_plan_param){
            .array = -1, .offset = is_wide ? hw_plan_value(plan, &problem->size[i], sizeof problem->size[i])
                                           : hw_plan_value(plan, &narrow, sizeof narrow)};
    }
    launch->n_params = 4;
    if (is_wide) define_number(plan, launch, "INDEX_BITS", 64);
}

static hw_status choose_block(const hw_rung *rung, const uint32_t asked[2], uint32_t block[2], hw_diag *diag) {
    bool is_own = (!asked[0] && !asked[1]) || (asked[0] == rung->block[0] && asked[1] == rung->block[1]);
    memcpy(block, is_own ? rung->block : asked, 2 * sizeof *block);
    if (!is_own && !rung->any_block)
        return hw_diag_set(diag, HW_USAGE, "%s is written for blocks of %ux%u", rung->name, rung->block[0],
                           rung->block[1]);
    if (!block[0] || !block[1] || block[0] > 1024 || block[1] > 1024 || block[0] * block[1] > 1024)
        return hw_diag_set(diag, HW_USAGE, "a block has 1 to 1024 threads, and %ux%u are %u", block[0], block[1],
                           block[0] * block[1]);
    return HW_OK;
}

enum { MOST_GRID_ROWS = 65535, MOST_PARAM_BYTES = 32 };   // two arrays and two extents

// A grid of tiles over a rows x cols matrix, as tile_row() and tile_col() of kernels/common/grid.cuh number them.
static void lay_transpose_grid(uint64_t tile_rows, uint64_t tile_cols, hw_plan_launch *launch) {
    uint64_t layers = hw_divide_up(tile_rows, MOST_GRID_ROWS);
    launch->grid[0] = tile_cols <= UINT32_MAX ? (uint32_t)tile_cols : UINT32_MAX;   // which no GPU takes
    launch->grid[1] = layers ? (uint32_t)hw_divide_up(tile_rows, layers) : 0;
    launch->grid[2] = (uint32_t)layers;
}

typedef struct tile_shape {
    uint32_t block[2], tile[2], pad;   // columns, rows
} tile_shape;

static hw_status choose_pad(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            tile_shape *shape, hw_diag *diag) {
    if (shape->block[0] * shape->block[1] % shape->tile[1])
        return hw_diag_set(diag, HW_USAGE, "%s takes blocks whose width is a multiple of %u, which %u is not",
                           rung->name, shape->tile[1] / shape->block[1], shape->block[0]);
    if (!device->banks) return HW_OK;   // a processor
    shape->pad = hw_padding_choose(&(hw_padded_tile){
        .block_cols = shape->block[0], .block_rows = shape->block[1], .tile_cols = shape->tile[0],
        .tile_rows = shape->tile[1], .elem_bytes = elem_bytes(problem),
        .arch = hw_tune_arch(device), .mode_bytes = 4});
    return HW_OK;
}

static hw_status choose_shape(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                              const uint32_t asked[2], bool is_padded, tile_shape *shape, hw_diag *diag) {
    *shape = (tile_shape){0};
    hw_status status = choose_block(rung, asked, shape->block, diag);
    if (status) return status;
    for (int i = 0; i < 2; i++) shape->tile[i] = shape->block[i] * (rung->tile[i] / rung->block[i]);
    if (is_padded) status = choose_pad(rung, problem, device, shape, diag);
    if (status) return status;
    uint64_t bytes = (uint64_t)(shape->tile[0] + shape->pad) * shape->tile[1] * elem_bytes(problem);
    uint32_t most = hw_plan_static_shared_most(device, MOST_PARAM_BYTES);
    if (is_padded && bytes > most)
        return hw_diag_set(diag, HW_USAGE, "a block of %ux%u takes a tile of %" PRIu64 " bytes, and may have %u",
                           shape->block[0], shape->block[1], bytes, most);
    return HW_OK;
}

static hw_status plan_by_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                               const uint32_t asked[2], bool is_padded, bool is_along_out, hw_plan *plan,
                               hw_diag *diag) {
    const uint64_t rows = problem->size[is_along_out ? COLS : ROWS], cols = problem->size[is_along_out ? ROWS : COLS];
    tile_shape shape;
    hw_status status = choose_shape(rung, problem, device, asked, is_padded, &shape, diag);
    if (status) return status;
    hw_plan_launch *launch = begin_rung_launch(rung, problem, plan);
    define_number(plan, launch, "TILE_COLS", shape.tile[0]);
    define_number(plan, launch, "TILE_ROWS", shape.tile[1]);
    define_number(plan, launch, "BLOCK_COLS", shape.block[0]);
    define_number(plan, launch, "BLOCK_ROWS", shape.block[1]);
    if (is_padded) define_number(plan, launch, "PAD", shape.pad);
    launch->block[0] = shape.block[0];
    launch->block[1] = shape.block[1];
    launch->block[2] = 1;
    lay_transpose_grid(hw_divide_up(rows, shape.tile[1]), hw_divide_up(cols, shape.tile[0]), launch);
    // Indices of threads in the last tiles, which may lie outside; and of a layer of tiles behind the last row.
    uint64_t reach_rows = (uint64_t)launch->grid[1] * launch->grid[2] * shape.tile[1];
    uint64_t reach_cols = (uint64_t)launch->grid[0] * shape.tile[0];
    uint64_t reach = reach_rows && reach_cols > UINT64_MAX / reach_rows ? UINT64_MAX : reach_rows * reach_cols;
    give_transpose_params(problem, reach > reach_rows + reach_cols ? reach : reach_rows + reach_cols, plan, launch);
    return HW_OK;
}

static hw_status plan_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    return plan_by_tiles(rung, problem, device, block, false, false, plan, diag);
}

// The kernels whose thread (x, y) reads element (y, x) of its tile, one of them by x ^ y.
static hw_status plan_square_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                   const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    if (block[0] != block[1] || block[0] & (block[0] - 1))
        return hw_diag_set(diag, HW_USAGE, "%s takes square blocks of a power of two, which %ux%u is not", rung->name,
                           block[0], block[1]);
    return plan_by_tiles(rung, problem, device, block, false, false, plan, diag);
}

static hw_status plan_padded_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                   const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    return plan_by_tiles(rung, problem, device, block, true, false, plan, diag);
}

static hw_status plan_out_tiles(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                                const uint32_t block[2], hw_plan *plan, hw_diag *diag) {
    return plan_by_tiles(rung, problem, device, block, false, true, plan, diag);
}

// Plans a rung that sees both arrays as 16-byte words and gives each thread WORDS of them.
static hw_status plan_words(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                            const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    enum { WORD_BYTES = 16, WORDS = 4, MOST_GRID_COLS = 32768 };
    uint32_t block[2];
    (void)device;
    hw_status status = choose_block(rung, asked, block, diag);
    if (status) return status;
    hw_plan_launch *launch = begin_rung_launch(rung, problem, plan);
    define_number(plan, launch, "BLOCK_COLS", block[0]);
    define_number(plan, launch, "WORDS_PER_THREAD", WORDS);
    uint64_t elems = problem->size[ROWS] * problem->size[COLS], words = elems * elem_bytes(problem) / WORD_BYTES;
    uint64_t blocks = hw_divide_up(words, (uint64_t)block[0] * WORDS);
    if (elems && !blocks) blocks = 1;   // less than a word
    uint64_t grid_cols = blocks < MOST_GRID_COLS ? blocks : MOST_GRID_COLS;
    launch->grid[0] = (uint32_t)grid_cols;
    launch->grid[1] = blocks ? (uint32_t)hw_divide_up(blocks, grid_cols) : 0;
    launch->grid[2] = 1;
    launch->block[0] = block[0];
    launch->block[1] = launch->block[2] = 1;
    // rows and cols alone: the kernel computes with 64 bits.
    give_transpose_params(
        problem, problem->size[ROWS] > problem->size[COLS] ? problem->size[ROWS] : problem->size[COLS], plan, launch);
    return HW_OK;
}

// What hw_transpose does with a matrix of the problem's size, aligned as devices allocate memory.
static hw_status plan_best(const hw_rung *rung, const hw_problem *problem, const hw_device_properties *device,
                           const uint32_t asked[2], hw_plan *plan, hw_diag *diag) {
    static const hw_rung copy = {.name = "best", .file = "transpose/10_copy.cu", .kernel = "copy", .block = {256, 1}};
    const uint64_t rows = problem->size[ROWS], cols = problem->size[COLS];
    if (asked[0] || asked[1])
        return hw_diag_set(diag, HW_USAGE, "%s chooses its block by the size", rung->name);
    if (rows <= 1 || cols <= 1) return plan_words(&copy, problem, device, asked, plan, diag);
    const hw_permutation p = {.rank = 2, .elem_bytes = elem_bytes(problem), .elems = rows * cols, .n = {cols, rows},
                              .in_stride = {1, (int64_t)cols}, .out_stride = {(int64_t)rows, 1}};
    const hw_tile_goals goals = hw_tile_goals_for(&p, device);
    hw_tile_plan tile = {0};
    bool is_small = rows <= HW_TILE_MOST && cols <= HW_TILE_MOST;
    if (is_small) hw_tile_plan_make(&p, &goals, &tile);
    if (!is_small || tile.blocks > hw_tile_blocks_most(device))
        return hw_diag_set(diag, HW_USAGE, "%s takes up to %u boxes in one launch", rung->name,
                           hw_tile_blocks_most(device));
    hw_tile_plan_launch(&p, &tile, IN, OUT, plan);
    return HW_OK;
}

// ---- The family -----------------------------------------------------------------------------------------------------

#define PAIR(a, b) {a, b}
#define HW_RUNG(rung_number, rung_name, base, rung_file, rung_kernel, rung_block, rung_tile, takes_any_block, copies, \
                rung_plan, rung_idea, rung_limit)                                                                     \
    {.number = rung_number, .name = rung_name, .builds_on = base, .file = rung_file, .kernel = rung_kernel,           \
     .block = PAIR rung_block, .tile = PAIR rung_tile, .any_block = takes_any_block, .is_copy = copies,               \
     .plan = rung_plan, .idea = rung_idea, .limit = rung_limit},
static const hw_rung rungs[] = {
#include "kernels/transpose/ladder.def"
};
#undef HW_RUNG

const hw_family hw_family_transpose = {
    .name = "transpose",
    .does = "out[col][row] = in[row][col]",
    .rungs = rungs,
    .n_rungs = sizeof rungs / sizeof rungs[0],
    .cpu_rungs = hw_cpu_transpose_rungs,
    .n_cpu_rungs = HW_CPU_TRANSPOSE_RUNGS,
    .size_names = {"rows", "cols"},
    .default_size = {8192, 8192},
    .default_sim_size = {2048, 2048},
    .large_sim_size = {4096, 4096},
    .default_cpu_size = {4096, 4096},
    .dtypes = "f32 f64 f16 bf16 u8 u16 u32 u64 i8 i16 i32 i64 c64 c128",
    .describe = describe_transpose,
    .fill = fill_transpose,
    .reference = reference_transpose,
    .compare = compare_transpose,
};
